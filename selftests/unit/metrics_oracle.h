/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of metrics, read as the text format's description says it: the oracle of the tests and
 * of the fuzzer.
 */
#ifndef UNIT_METRICS_ORACLE_H
#define UNIT_METRICS_ORACLE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The end of a name at @s: letters, digits, underscores, no digit first; NULL if there is none */
static inline const char *oracle_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return NULL;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return s;
}

/* The end of a quoted value at @s, behind its second quote; NULL if it is not right */
static inline const char *oracle_quoted(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if (!*s || (unsigned char)*s < ' ' || *s == 0x7f)
			return NULL;
		if (*s == '\\' && !strchr("\\\"n", *++s))
			return NULL;
		if (!*s)
			return NULL;
	}
	return s + 1;
}

/* Whether a line without its newline is a comment or a sample */
static inline bool oracle_line(const char *s)
{
	char *end;

	if (*s == '#')
		return !strncmp(s, "# HELP ", 7) || !strncmp(s, "# TYPE ", 7) ||
		       !strncmp(s, "# UNIT ", 7) || !strcmp(s, "# EOF");
	s = oracle_name(s);
	if (s && *s == '{') {
		do {
			s = oracle_name(s + 1);
			s = s && *s == '=' ? oracle_quoted(s + 1) : NULL;
		} while (s && *s == ',');
		if (!s || *s++ != '}')
			return false;
	}
	if (!s || *s++ != ' ' || !isdigit((unsigned char)*s))
		return false;
	strtod(s, &end);
	return !*end;
}

#endif

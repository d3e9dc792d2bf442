// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "rec.h"
#include "status.h"

/* The number behind " KEY=" in a line, or 0. */
static uint64_t find_key(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key), i;

	for (i = 0; i + n + 1 < len; i++) {
		if (line[i] == ' ' && !strncmp(line + i + 1, key, n) &&
		    line[i + 1 + n] == '=')
			return strtoull(line + i + n + 2, NULL, 10);
	}
	return 0;
}

/* Parse "loss NAME N (what)". */
static void parse_loss(struct status *st, const char *line, size_t len)
{
	struct status_loss *loss = &st->loss[st->nr_losses];
	const char *end = line + len, *p;
	size_t n;

	line += strlen("loss ");
	n = strcspn(line, " \n");
	if (st->nr_losses == STATUS_LOSSES || !n || line + n >= end)
		return;
	/* it is normal that the text log is not read */
	if (n == strlen("iolog_unread") && !strncmp(line, "iolog_unread", n))
		return;
	escape_text(loss->name, sizeof(loss->name), line, n);
	loss->nr = strtoull(line + n, NULL, 10);
	loss->what[0] = '\0';
	p = memchr(line, '(', end - line);
	if (p && end[-1] == ')')
		escape_text(loss->what, sizeof(loss->what), p + 1, end - p - 2);
	st->nr_losses++;
}

/* Add a loss that the module does not know of, if there was one. */
void status_add_loss(struct status *st, const char *name, const char *what, uint64_t nr)
{
	struct status_loss *loss = &st->loss[st->nr_losses];

	if (!nr || st->nr_losses == STATUS_LOSSES)
		return;
	snprintf(loss->name, sizeof(loss->name), "%s", name);
	snprintf(loss->what, sizeof(loss->what), "%s", what);
	loss->nr = nr;
	st->nr_losses++;
}

static void parse_total(struct status *st, const char *line, size_t len)
{
	unsigned int how;

	st->ios += find_key(line, len, "ios");
	for (how = 0; how < IOB_NR_HOWS; how++)
		st->bytes[how] += find_key(line, len, rec_how_name(how));
}

/* The name of a step in the line `known`. */
const char *status_less_name(enum status_less less)
{
	static const char *const name[] = { "role+file", "role", "nomem" };

	return name[less];
}

static void parse_known(struct status *st, const char *line, size_t len)
{
	unsigned int less;

	for (less = 0; less < NR_LESS; less++)
		st->less[less] = find_key(line, len, status_less_name(less));
}

/* Parse the text of `status`.  Unknown lines are skipped. */
void status_parse(struct status *st, const char *text)
{
	const char *line = text;
	size_t len;

	memset(st, 0, sizeof(*st));
	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (!strncmp(line, STATUS_OWN, strlen(STATUS_OWN)))
			st->own = true;
		else if (!strncmp(line, "enabled ", 8))
			st->enabled = line[8] == '1';
		else if (!strncmp(line, "session ", 8))
			st->session = strtoull(line + 8, NULL, 10);
		else if (!strncmp(line, "module ", 7))
			st->module = strtoull(line + 7, NULL, 10);
		else if (!strncmp(line, "total ", 6))
			parse_total(st, line, len);
		else if (!strncmp(line, "known ", 6))
			parse_known(st, line, len);
		else if (!strncmp(line, "loss ", 5))
			parse_loss(st, line, len);
		else if (!strncmp(line, "hook ", 5) &&
			 memmem(line, len, " missing ", 9))
			st->missing++;
	}
}

static uint64_t subtract(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/**
 * status_follows - whether the numbers of one status go on from those of another
 * @now:    the later one
 * @before: the earlier one
 *
 * A module that is loaded anew counts its sessions from 1 again.  A status without the line
 * `module` shows that only by totals that go back.
 * Return: true if both are of one session, or the earlier one is of the session before, which was
 * over: then status_since() leaves what the later one has since its beginning.
 */
bool status_follows(const struct status *now, const struct status *before)
{
	bool told = now->module && before->module;

	if (told && now->module != before->module)
		return false;
	if (now->session != before->session)
		return told && !before->enabled && now->session == before->session + 1;
	return told || (now->ios >= before->ios &&
			status_all_bytes(now) >= status_all_bytes(before));
}

/* Subtract @before from @now, if both are of one session. */
void status_since(struct status *now, const struct status *before)
{
	unsigned int i, k, kept = 0;

	if (now->session != before->session)
		return;
	now->ios = subtract(now->ios, before->ios);
	for (i = 0; i < IOB_NR_HOWS; i++)
		now->bytes[i] = subtract(now->bytes[i], before->bytes[i]);
	for (i = 0; i < NR_LESS; i++)
		now->less[i] = subtract(now->less[i], before->less[i]);
	for (i = 0; i < now->nr_losses; i++) {
		struct status_loss loss = now->loss[i];

		for (k = 0; k < before->nr_losses; k++) {
			if (!strcmp(before->loss[k].name, loss.name))
				loss.nr = subtract(loss.nr, before->loss[k].nr);
		}
		if (loss.nr)
			now->loss[kept++] = loss;
	}
	now->nr_losses = kept;
}

uint64_t status_all_bytes(const struct status *st)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < IOB_NR_HOWS; i++)
		sum += st->bytes[i];
	return sum;
}

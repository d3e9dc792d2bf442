// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rec.h"
#include "textlog.h"

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Replace the module's escapes \ooo by their bytes; the rest of @to is filled with zeroes. */
void textlog_unescape(char *to, size_t size, const char *s, size_t len)
{
	size_t n = 0, i;

	memset(to, 0, size);
	for (i = 0; i < len && n < size; i++) {
		if (s[i] == '\\' && i + 3 < len && s[i + 1] >= '0' && s[i + 1] <= '3' &&
		    is_octal(s[i + 2]) && is_octal(s[i + 3])) {
			to[n++] = (s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 |
				  (s[i + 3] - '0');
			i += 3;
		} else {
			to[n++] = s[i];
		}
	}
}

/* Find the last @what in a text: a name before it may contain it, too. */
static const char *find_last(const char *s, size_t len, const char *what)
{
	size_t n = strlen(what);
	const char *p;

	for (p = s + len - (len < n ? len : n); p >= s && len >= n; p--) {
		if (!memcmp(p, what, n))
			return p;
	}
	return NULL;
}

/* Parse a role: "pid-12 (dd)", "user-3", "cgroup-77", "pid-0 (lost)" */
static bool parse_who(struct iob_iolog_bin_record *rec, const char *s, size_t len)
{
	unsigned long long n;
	const char *comm;
	int used = 0;

	if (sscanf(s, "user-%llu%n", &n, &used) == 1 && used) {
		rec->role_kind = ROLE_USER;
		rec->id = -(int32_t)n;
		return true;
	}
	if (sscanf(s, "cgroup-%llu%n", &n, &used) == 1 && used) {
		rec->role_kind = ROLE_CGROUP;
		rec->cgroup = n;
		return true;
	}
	if (sscanf(s, "pid-%llu%n", &n, &used) != 1 || !used || (size_t)used > len)
		return false;
	rec->role_kind = n ? ROLE_THREAD : ROLE_SPECIAL;
	rec->id = n;
	rec->pid = n;
	comm = s + used;
	if (len - used > 3 && !memcmp(comm, " (", 2))
		textlog_unescape(rec->comm, sizeof(rec->comm), comm + 2, len - used - 3);
	return true;
}

/* The value and its length of a KEY=VALUE word after gen=, or NULL. */
static const char *find_word(const char *s, const char *end, const char *key, size_t *len)
{
	size_t n = strlen(key);

	for (; s && s < end; s = memchr(s + 1, ' ', end - s - 1)) {
		if (*s != ' ' || (size_t)(end - s) < n + 2 || memcmp(s + 1, key, n) ||
		    s[n + 1] != '=')
			continue;
		s += n + 2;
		for (*len = 0; s + *len < end && s[*len] != ' '; ++*len)
			;
		return s;
	}
	return NULL;
}

static uint64_t find_number(const char *s, const char *end, const char *key)
{
	size_t len;
	const char *value = find_word(s, end, key, &len);

	return value && *value != '-' ? strtoull(value, NULL, 10) : 0;
}

/* The time that KEY=MICROSECONDS goes back to from @ns; 0 if one of them is not known. */
static uint64_t time_before(uint64_t ns, const char *s, const char *end, const char *key)
{
	size_t len;
	const char *value = find_word(s, end, key, &len);
	uint64_t span = find_number(s, end, key) * 1000;

	return value && *value != '-' && ns > span ? ns - span : 0;
}

static void parse_words(struct textlog *t, const char *s, const char *end, uint64_t now_ns)
{
	struct iob_iolog_bin_record *rec = &t->rec;
	uint64_t age = find_number(s, end, "age") * 1000;
	const char *value;
	size_t len;

	rec->complete_ns = now_ns;
	rec->issue_ns = time_before(now_ns, s, end, "io");
	rec->queue_ns = time_before(rec->issue_ns, s, end, "wait");
	rec->dirty_ns = age && now_ns > age ? now_ns - age : 0;
	rec->sub_pid = find_number(s, end, "sub");
	rec->part = find_number(s, end, "part");
	value = find_word(s, end, "err", &len);
	if (value)
		rec->error = strtol(value, NULL, 10);
	value = find_word(s, end, "sub_comm", &len);
	if (value)
		textlog_unescape(rec->sub_comm, sizeof(rec->sub_comm), value, len);
	value = find_word(s, end, "how", &len);
	for (rec->how = 0; value && rec->how < IOB_HOW_LOST; rec->how++) {
		const char *name = rec_how_name(rec->how);

		if (strlen(name) == len && !memcmp(name, value, len))
			break;
	}
	value = find_word(s, end, "disk", &len);
	snprintf(t->disk, sizeof(t->disk), "%.*s", value ? (int)len : 0, value ? value : "");
}

/**
 * textlog_head - parse the first line of an entry
 * @t:      the entry
 * @line:   "W 1024 @ 34818 pid-165 (sh) dev=0x.. ino=0x.. gen=0x.. WORDS..."; it
 *          ends in a newline or a NUL
 * @len:    length without the newline
 * @now_ns: taken as the time of completion, which the log lacks
 *
 * Return: false if it is not a first line.
 */
bool textlog_head(struct textlog *t, const char *line, size_t len, uint64_t now_ns)
{
	struct iob_iolog_bin_record *rec = &t->rec;
	unsigned long long sector, ino;
	const char *who, *file, *end = line + len, *tail;
	unsigned int bytes, dev, gen;
	int used = 0;
	char op;

	memset(t, 0, sizeof(*t));
	if (sscanf(line, "%c %u @ %llu %n", &op, &bytes, &sector, &used) != 3 || !used ||
	    (size_t)used >= len || !strchr(rec_op_letters, op))
		return false;
	who = line + used;
	file = find_last(who, len - used, " dev=0x");
	if (!file || !parse_who(rec, who, file - who))
		return false;
	used = 0;
	if (sscanf(file, " dev=0x%x ino=0x%llx gen=0x%x%n", &dev, &ino, &gen, &used) != 3 ||
	    file + used > end)
		return false;
	tail = file + used;
	rec->len = sizeof(*rec);
	rec->ver = IOB_IOLOG_BIN_VER;
	rec->op = op;
	rec->bytes = bytes;
	rec->sector = sector;
	rec->dev = dev;
	rec->ino = ino;
	rec->gen = gen;
	rec->nr_bios = 1;
	rec->hwq = REC_NO_QUEUE;
	parse_words(t, tail, end, now_ns);
	t->pending = true;
	return true;
}

/* Parse the second line: "  #6 modifier=0x10000002 wb=sync" */
void textlog_intent(struct textlog *t, const char *line)
{
	unsigned int nr, modifier;

	if (sscanf(line, " #%u modifier=0x%x", &nr, &modifier) != 2)
		return;
	t->rec.intent_nr = nr;
	t->rec.modifier = modifier;
}

/**
 * textlog_act - parse the first line of an act in counters_pipe
 * @rec:  the result: who, intent and file
 * @line: "pid-172 (dd) int=14 dev=0x.. ino=0x.. gen=0x.."; it ends in a newline or a NUL
 * @len:  length without the newline
 *
 * Return: false if it is none.
 */
bool textlog_act(struct iob_iolog_bin_record *rec, const char *line, size_t len)
{
	const char *words = find_last(line, len, " int=");
	unsigned long long ino;
	unsigned int intent, dev, gen;

	memset(rec, 0, sizeof(*rec));
	if (!words || !parse_who(rec, line, words - line) ||
	    sscanf(words, " int=%u dev=0x%x ino=0x%llx gen=0x%x", &intent, &dev, &ino,
		   &gen) != 4)
		return false;
	rec->len = sizeof(*rec);
	rec->ver = IOB_IOLOG_BIN_VER;
	rec->intent_nr = intent;
	rec->dev = dev;
	rec->ino = ino;
	rec->gen = gen;
	return true;
}

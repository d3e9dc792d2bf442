// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blkevent.h"
#include "msg.h"
#include "text.h"

#define NAME(tracepoint, letter, word)		#tracepoint,
#define LETTER(tracepoint, letter, word)	letter,
#define WORD(tracepoint, letter, word)		word,

const char *const blkevent_names[NR_BLKEVENTS] = { BLKEVENTS(NAME) };
const char blkevent_letters[NR_BLKEVENTS] = { BLKEVENTS(LETTER) };
const char *const blkevent_words[NR_BLKEVENTS] = { BLKEVENTS(WORD) };

/**
 * blkevent_parse_format - parse the file `format` of a tracepoint
 * @f:    the result
 * @text: the file
 *
 * Return: false if it has no number.
 */
bool blkevent_parse_format(struct blkevent_format *f, const char *text)
{
	static const char *const names[NR_AT] = {
		"dev", "sector", "nr_sector", "bytes", "error", "old_dev", "old_sector",
		"new_sector", "nr_rq", "rwbs", "comm", "common_pid",
	};
	const char *line, *at;
	unsigned int i, offset, size;
	size_t n;

	memset(f, 0, sizeof(*f));
	if (sscanf(text, "name: %*[^\n]\nID: %d", &f->id) != 1)
		return false;
	for (line = text; (line = strstr(line, "field:")) != NULL; line++) {
		at = strchr(line, ';');
		if (!at || sscanf(at, ";\toffset:%u;\tsize:%u;", &offset, &size) != 2)
			continue;
		/* the name ends before ; or [ */
		n = strcspn(line, ";[");
		for (i = 0; i < NR_AT; i++) {
			size_t len = strlen(names[i]);

			if (n > len && !strncmp(line + n - len, names[i], len) &&
			    line[n - len - 1] == ' ') {
				f->field[i].offset = offset;
				f->field[i].size = size;
			}
		}
	}
	return f->field[AT_PID].size == 4;
}

static uint64_t number_of(const struct blkevent_format *f, enum blkevent_field field,
			  const unsigned char *data, size_t len)
{
	unsigned int offset = f->field[field].offset, size = f->field[field].size;
	uint64_t n = 0;
	uint32_t half = 0;

	if (offset + size > len)
		return 0;
	if (size == 8)
		memcpy(&n, data + offset, 8);
	else if (size == 4)
		memcpy(&half, data + offset, 4);
	return size == 8 ? n : half;
}

static void text_of(const struct blkevent_format *f, enum blkevent_field field,
		    const unsigned char *data, size_t len, char *to, size_t room)
{
	unsigned int offset = f->field[field].offset, size = f->field[field].size;

	memset(to, 0, room);
	if (offset + size > len)
		return;
	memcpy(to, data + offset, size < room ? size : room);
	/* what is behind the end of the text is no part of it */
	memset(to + strnlen(to, room), 0, room - strnlen(to, room));
}

/**
 * blkevent_decode - decode an event
 * @e:       the result, but for the time and the CPU
 * @formats: by enum blkevent_kind
 * @data:    the event
 * @len:     its bytes
 *
 * Return: false if it is none of ours.
 */
bool blkevent_decode(struct blkevent *e, const struct blkevent_format *formats,
		     const unsigned char *data, size_t len)
{
	const struct blkevent_format *f;
	uint16_t id;

	memset(e, 0, sizeof(*e));
	if (len < sizeof(id))
		return false;
	memcpy(&id, data, sizeof(id));
	for (f = formats; f < formats + NR_BLKEVENTS && (!f->id || f->id != id); f++)
		;
	if (f == formats + NR_BLKEVENTS)
		return false;
	e->kind = f - formats;
	e->pid = number_of(f, AT_PID, data, len);
	e->dev = number_of(f, AT_DEV, data, len);
	e->sector = number_of(f, AT_SECTOR, data, len);
	/* a flush has no place */
	if (e->sector == UINT64_MAX)
		e->sector = 0;
	e->sectors = number_of(f, AT_NR_SECTOR, data, len);
	e->bytes = number_of(f, AT_BYTES, data, len);
	e->error = (int32_t)number_of(f, AT_ERROR, data, len);
	e->other_dev = number_of(f, AT_OLD_DEV, data, len);
	e->other_sector = number_of(f, f->field[AT_NEW_SECTOR].size ? AT_NEW_SECTOR :
				    AT_OLD_SECTOR, data, len);
	e->nr_rq = number_of(f, AT_NR_RQ, data, len);
	text_of(f, AT_RWBS, data, len, e->rwbs, sizeof(e->rwbs) - 1);
	text_of(f, AT_COMM, data, len, e->comm, sizeof(e->comm));
	return true;
}

/* True if the event is about sectors of a disk: not of a plug, nor of a command passed through. */
bool blkevent_has_place(const struct blkevent *e)
{
	return e->dev && *e->rwbs != 'N';
}

/* What blktrace's -a selects by: an action, or a property of the IO. */
static const struct {
	const char *word;
	char flag;		/* a letter of rwbs */
} properties[] = {
	{ "read", 'R' }, { "write", 'W' }, { "discard", 'D' }, { "flush", 'F' },
	{ "fua", 'F' }, { "sync", 'S' }, { "meta", 'M' }, { "ahead", 'A' }, { "pc", 'N' },
};

#define FIRST_PROPERTY	NR_BLKEVENTS

static bool parse_act(const char *word, void *arg)
{
	uint32_t *acts = arg, found = 0;
	unsigned int i;

	for (i = 0; i < NR_BLKEVENTS; i++) {
		if (!strcmp(word, blkevent_words[i]) ||
		    (word[0] == blkevent_letters[i] && !word[1]))
			found |= 1U << i;
	}
	for (i = 0; i < ARRAY_SIZE(properties); i++) {
		if (!strcmp(word, properties[i].word))
			found |= 1U << (FIRST_PROPERTY + i);
	}
	*acts |= found;
	return found;
}

/**
 * blkevent_parse_acts - parse what is to be shown
 * @words: with commas: words or letters of actions, or properties of the IO
 * @acts:  gets them, besides those that it has
 *
 * Return: false if a word is unknown.
 */
bool blkevent_parse_acts(const char *words, uint32_t *acts)
{
	return text_parse_list(words, parse_act, acts);
}

/* The place of a letter among the flags of an IO: in WFS the F is FUA, in FWS it is a flush. */
static bool has_property(const char *rwbs, unsigned int i)
{
	const char *op = *rwbs == 'F' && rwbs[1] && strchr("WDRN", rwbs[1]) ? rwbs + 1 : rwbs;

	if (!strcmp(properties[i].word, "flush"))
		return *rwbs == 'F';
	if (strchr("RWDN", properties[i].flag))
		return *op == properties[i].flag;
	return *op && strchr(op + 1, properties[i].flag);
}

/* True if any of the selected actions or properties is the event's. */
bool blkevent_is_in(const struct blkevent *e, uint32_t acts)
{
	unsigned int i;

	if (acts & 1U << e->kind)
		return true;
	for (i = 0; i < ARRAY_SIZE(properties); i++) {
		if (acts & 1U << (FIRST_PROPERTY + i) && has_property(e->rwbs, i))
			return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "rec.h"

enum {
	DEPTH_MAX = 256,
};

static struct intent **intents;		/* by number, with gaps */
static uint32_t nr_intents, size_intents;
static uint64_t forgotten;		/* how often they were */

/* The same frames are in many stacks: each text is kept once. */
struct word {
	uint64_t hash;
	char *text;
};

/* What all texts and stacks take, and those that would take more: a recording may be forged */
#define BYTES_MOST	(1ULL << 30)
static uint64_t bytes, no_room;

static struct map words = { .key_len = sizeof(uint64_t) };

/* Of recordings that are read as one: the intents of all, by what is in them */
struct known {
	uint64_t hash;
	uint32_t nr;
};

static struct map known = { .key_len = sizeof(uint64_t) };
static uint32_t *number;	/* of an intent of this recording: the one that it has here */
static uint32_t nr_numbers;
static bool renumbering;

static uint64_t hash_word(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	while (len--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ULL;
	return h;
}

static const char *intern_word(const char *s, size_t len)
{
	uint64_t key = hash_word(s, len);
	struct word *word = map_get(&words, &key);

	if (word)
		return word->text;
	bytes += sizeof(*word) + 4 * len;
	word = must(malloc(sizeof(*word)));
	word->hash = key;
	word->text = must(escape_dup(s, len));
	map_put(&words, word);
	return word->text;
}

/* Texts are kept once, so their addresses tell them from each other. */
static uint64_t hash_intent(const struct intent *in)
{
	uint64_t h = hash_word((const char *)&in->modifier, sizeof(in->modifier));

	h ^= (uintptr_t)in->why * 0x9e3779b97f4a7c15ULL;
	return h ^ hash_word((const char *)in->frame, in->depth * sizeof(*in->frame));
}

static void note_known(const struct intent *in)
{
	struct known *k, like = { .hash = hash_intent(in) };

	if (map_get(&known, &like.hash))
		return;
	k = must(malloc(sizeof(*k)));
	*k = (struct known){ .hash = like.hash, .nr = in->nr };
	map_put(&known, k);
}

/* Note the number of one that is known, or give a new one.  Return: whether it is known. */
static bool renumber(struct intent *in)
{
	uint64_t hash = hash_intent(in);
	const struct known *k = map_get(&known, &hash);
	uint32_t nr = in->nr;

	if (nr >= nr_numbers) {
		number = must(realloc(number, (nr + 256) * sizeof(*number)));
		memset(number + nr_numbers, 0xff, (nr + 256 - nr_numbers) * sizeof(*number));
		nr_numbers = nr + 256;
	}
	in->nr = k ? k->nr : nr_intents;
	number[nr] = in->nr;
	return k;
}

static void free_intent(struct intent *in)
{
	bytes -= sizeof(*in) + DEPTH_MAX * sizeof(*in->frame);
	free(in->frame);
	free(in);
}

static void put_intent(struct intent *in)
{
	if (renumbering && renumber(in)) {
		free_intent(in);
		return;
	}
	if (renumbering)
		note_known(in);
	if (in->nr >= size_intents) {
		uint32_t size = in->nr + 256;

		intents = must(realloc(intents, size * sizeof(*intents)));
		memset(intents + size_intents, 0,
		       (size - size_intents) * sizeof(*intents));
		size_intents = size;
	}
	if (intents[in->nr])
		free_intent(intents[in->nr]);
	intents[in->nr] = in;
	if (in->nr >= nr_intents)
		nr_intents = in->nr + 1;
}

static bool is_direct(const char *frame, size_t len)
{
	static const char * const parts[] = {
		"_dio_", "dio_", "direct_IO", "direct_io", "direct_write", "direct_read",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (memmem(frame, len, parts[i], strlen(parts[i])))
			return true;
	}
	return false;
}

/* Parse "#12 modifier=0x10000002 wb=sync" */
static struct intent *parse_intent_head(const char *line, size_t len)
{
	struct intent *in;
	unsigned long nr;
	const char *p;
	char *end;

	if (*line != '#' || line[1] < '0' || line[1] > '9')
		return NULL;
	nr = strtoul(line + 1, &end, 10);
	/* larger than any max_intents */
	if (nr > 1UL << 24 || strncmp(end, " modifier=0x", 12))
		return NULL;
	if (bytes >= BYTES_MOST) {
		no_room++;
		return NULL;
	}
	bytes += sizeof(*in) + DEPTH_MAX * sizeof(*in->frame);
	in = must(calloc(1, sizeof(*in)));
	in->nr = nr;
	in->modifier = strtoul(end + 12, &end, 16);
	p = end;
	if (p < line + len && *p == ' ') {
		p++;
		if (!strncmp(p, "wb=", 3))
			p += 3;
		in->why = intern_word(p, line + len - p);
	}
	return in;
}

/* Parse "[ffffffffba1b351f] mark_buffer_dirty+0xff/0x150 [mod]" */
static bool parse_frame(struct intent *in, const char *line, size_t len)
{
	const char *p = memchr(line, ']', len);

	if (*line != '[' || !p || p + 2 > line + len || in->depth == DEPTH_MAX)
		return false;
	p += 2;
	if (in->depth % 16 == 0)
		in->frame = must(realloc(in->frame, (in->depth + 16) *
					 sizeof(*in->frame)));
	in->frame[in->depth++] = intern_word(p, line + len - p);
	in->direct |= is_direct(p, line + len - p);
	return true;
}

/**
 * intent_parse - parse entries of the file `intents`
 * @text: whole entries
 *
 * Return: false if a line was not understood.
 */
bool intent_parse(const char *text)
{
	struct intent *in = NULL;
	const char *line = text;
	bool good = true;
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (*line == '#') {
			if (in)
				put_intent(in);
			in = parse_intent_head(line, len);
			good &= !!in;
		} else if (len && !(in && parse_frame(in, line, len))) {
			good = false;
		}
	}
	if (in)
		put_intent(in);
	return good;
}

/**
 * intent_load - read new intents
 * @fd: the file `intents`
 */
void intent_load(int fd)
{
	static char buf[256 << 10];
	ssize_t n;

	/* the file's position is an intent's number; a read returns whole entries */
	if (lseek(fd, nr_intents, SEEK_SET) < 0)
		return;
	while ((n = read(fd, buf, sizeof(buf) - 1)) > 0) {
		buf[n] = '\0';
		intent_parse(buf);
	}
}

/* Another session of the module began: its intents have the same numbers. */
void intent_forget(void)
{
	uint32_t nr;

	for (nr = 0; nr < nr_intents; nr++) {
		if (!intents[nr])
			continue;
		free_intent(intents[nr]);
		intents[nr] = NULL;
	}
	nr_intents = 0;
	forgotten++;
}

/**
 * intent_note_session - forget the intents of a session that is over
 * @module:  the number of the module that is loaded
 * @session: its number of the session
 *
 * A module that is loaded anew counts its sessions from 1 again.
 */
void intent_note_session(uint64_t module, uint64_t session)
{
	static uint64_t of_module, of_session;

	if (module == of_module && session == of_session)
		return;
	intent_forget();
	of_module = module;
	of_session = session;
}

/*
 * Another recording is read as if it was one with those before: its intents, which are parsed from
 * now on, have numbers of another session.
 */
void intent_begin_other(void)
{
	uint32_t nr;

	for (nr = 0; nr < nr_intents && !renumbering; nr++) {
		if (intents[nr])
			note_known(intents[nr]);
	}
	renumbering = true;
	if (number)
		memset(number, 0xff, nr_numbers * sizeof(*number));
}

/* The number by which intent_get() knows an intent of the recording that is read. */
uint32_t intent_number(uint32_t nr)
{
	if (!renumbering)
		return nr;
	return nr < nr_numbers ? number[nr] : UINT32_MAX;
}

/* A number for the intents that are known: another one after intent_forget(). */
uint64_t intent_session(void)
{
	return forgotten;
}

/* An intent by its number; NULL if it is not known. */
const struct intent *intent_get(uint32_t nr)
{
	return nr < nr_intents ? intents[nr] : NULL;
}

/* How many intents had no room. */
uint64_t intent_no_room(void)
{
	return no_room;
}

uint32_t intent_count(void)
{
	return nr_intents;
}

/**
 * intent_why - the reason of an IO, in a word
 * @rec: the IO
 *
 * Return: the name of the modifier: sync, journal.  Without a modifier, the task of
 * the stack asked for the IO: a word for the operation or the stack.
 */
const char *intent_why(const struct iob_iolog_bin_record *rec)
{
	const struct intent *in = intent_get(rec->intent_nr);

	switch (rec->modifier & IOB_MODIFIER_TYPE_MASK) {
	case IOB_MODIFIER_JOURNAL:
		return "journal";
	case IOB_MODIFIER_RECLAIM:
		return "reclaim";
	case IOB_MODIFIER_WB:
		return in && in->why ? in->why : "writeback";
	}
	switch (rec->op) {
	case OP_AHEAD:
	case OP_DISCARD:
	case OP_FLUSH:
		return rec_op_name(rec->op);
	}
	if (rec->role_kind == ROLE_SPECIAL)
		return "-";
	if (in && in->direct)
		return "direct";
	if (rec_is_metadata(rec))
		return "metadata";
	return rec->op == OP_READ ? rec_op_name(rec->op) : "task";
}

/*
 * The function of a frame without offset and module, in @size bytes.  Example:
 * "ext4_writepages" of "ext4_writepages+0x1f4/0x2a0 [ext4]".
 */
char *intent_function(const char *frame, char *to, unsigned int size)
{
	snprintf(to, size, "%.*s", (int)strcspn(frame, "+ "), frame);
	return escape_cut(to);
}

/**
 * intent_folded - the functions of a stack on one line
 * @in:              the intent
 * @separator:       between two functions
 * @outermost_first: the order of flame graphs; else the innermost is first
 *
 * Return: the line, allocated; "-" without a stack.
 */
char *intent_folded(const struct intent *in, const char *separator, bool outermost_first)
{
	size_t size = 1, len = 0;
	unsigned int i;
	char name[256], *text;

	for (i = 0; i < in->depth; i++)
		size += strlen(in->frame[i]) + strlen(separator);
	text = must(malloc(size + 16));
	*text = '\0';
	for (i = 0; i < in->depth; i++) {
		const char *frame = in->frame[outermost_first ? in->depth - 1 - i : i];

		len += sprintf(text + len, "%s%s", i ? separator : "",
			       intent_function(frame, name, sizeof(name)));
	}
	if (!in->depth)
		strcpy(text, "-");
	return text;
}

/* An entry in the format of the file `intents`, allocated; for recordings. */
char *intent_text(const struct intent *in)
{
	size_t size = 128, i;
	char *text, *p;

	for (i = 0; i < in->depth; i++)
		size += strlen(in->frame[i]) + 8;
	text = must(malloc(size));
	p = text + sprintf(text, "#%u modifier=0x%x%s%.60s\n", in->nr, in->modifier,
			   !in->why ? "" :
			   (in->modifier & IOB_MODIFIER_TYPE_MASK) == IOB_MODIFIER_WB ?
			   " wb=" : " ", in->why ? in->why : "");
	for (i = 0; i < in->depth; i++)
		p += sprintf(p, "[0] %s\n", in->frame[i]);
	return text;
}

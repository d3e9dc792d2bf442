// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rec.h"

static uint64_t time_span(uint64_t from, uint64_t to)
{
	return from && to > from ? to - from : 0;
}

/*
 * When it was given to the device, 0: not known.  A disk without requests has no queue, and a flush
 * is not issued: all of their time is the device's.
 */
static uint64_t issue_time(const struct iob_iolog_bin_record *rec)
{
	bool issued = rec->hwq != REC_NO_QUEUE && rec->op != 'F';

	return rec->issue_ns || issued ? rec->issue_ns : rec->queue_ns;
}

/* True if rec_wait_ns() is known: not of what was under way when ioblame was switched on. */
bool rec_has_wait(const struct iob_iolog_bin_record *rec)
{
	return rec->queue_ns && issue_time(rec);
}

/* True if rec_io_ns() is known. */
bool rec_has_io(const struct iob_iolog_bin_record *rec)
{
	return issue_time(rec);
}

/* From queueing to the last issue. */
uint64_t rec_wait_ns(const struct iob_iolog_bin_record *rec)
{
	return time_span(rec->queue_ns, issue_time(rec));
}

/* From the last issue to completion. */
uint64_t rec_io_ns(const struct iob_iolog_bin_record *rec)
{
	return time_span(issue_time(rec), rec->complete_ns);
}

uint64_t rec_total_ns(const struct iob_iolog_bin_record *rec)
{
	return time_span(rec->queue_ns, rec->complete_ns);
}

/* From dirtying the first page to completion.  Known only while a counter uses age. */
uint64_t rec_age_ns(const struct iob_iolog_bin_record *rec)
{
	return time_span(rec->dirty_ns, rec->complete_ns);
}

/* The number of the originator: of a user role, of its process, or of its thread. */
uint32_t rec_originator(const struct iob_iolog_bin_record *rec)
{
	if (rec->role_kind == ROLE_USER)
		return -(uint32_t)rec->id;
	return rec->tgid ? rec->tgid : (uint32_t)rec->id;
}

/* True for IO without a file: see Documentation/reference/charging.rst. */
bool rec_is_metadata(const struct iob_iolog_bin_record *rec)
{
	return rec->ino <= 2;
}

/*
 * True if its originator submitted it: the same task, or another thread by the same name.  Threads
 * of other names are taken for other programs.
 */
bool rec_is_own(const struct iob_iolog_bin_record *rec)
{
	return rec->sub_pid == rec->pid || rec->sub_pid == rec->tgid ||
	       !memcmp(rec->comm, rec->sub_comm, sizeof(rec->comm));
}

#define LETTER(constant, letter, word)		letter,
#define LETTER_WORD(constant, letter, word)	word,
#define WORD(constant, word)			word,

/* The letters of all operations, as the text log and --rw use them */
const char rec_op_letters[] = { IOB_OPS(LETTER) '\0' };

/* The word of an operation's letter. */
const char *rec_op_name(unsigned char op)
{
	static const char *const names[] = { IOB_OPS(LETTER_WORD) };
	const char *at = op ? strchr(rec_op_letters, op) : NULL;

	return at ? names[at - rec_op_letters] : "?";
}

const char *rec_role_name(unsigned int kind)
{
	static const char *const names[NR_ROLES] = { IOB_ROLE_KINDS(WORD) };

	return kind < NR_ROLES ? names[kind] : "?";
}

/* As snprintf() of "%u": that costs as much as ten numbers of JSON. */
static void print_digits(uint32_t nr, char *to, size_t size)
{
	char digits[12], *from = digits + sizeof(digits) - 1;

	*from = '\0';
	do {
		*--from = '0' + nr % 10;
		nr /= 10;
	} while (nr);
	while (size-- > 1 && *from)
		*to++ = *from++;
	*to = '\0';
}

/* The role in short: a pid, user-N, cgroup or -. */
const char *rec_who(unsigned int kind, uint32_t nr, char *to, size_t size)
{
	switch (kind) {
	case ROLE_THREAD:
	case ROLE_PROCESS:
		print_digits(nr, to, size);
		break;
	case ROLE_USER:
		snprintf(to, size, "user-%u", nr);
		break;
	case ROLE_CGROUP:
		snprintf(to, size, "cgroup");
		break;
	default:
		snprintf(to, size, "-");
	}
	return to;
}

const char *rec_how_name(unsigned int how)
{
	static const char *const names[IOB_NR_HOWS] = { IOB_HOWS(WORD) };

	return how < IOB_NR_HOWS ? names[how] : "?";
}

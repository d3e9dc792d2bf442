// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "ring.h"

/* The kernel's, of kernel/trace/ring_buffer.c: what the user interface has of it is text. */
enum {
	TYPE_LONG = 0,			/* the length follows */
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
	/* the length of a page has flags above these bits */
	COMMIT_MASK = (1 << 20) - 1,
	DELTA_BITS = 27,
};

static bool parse_field(const char *text, const char *name, unsigned int *offset,
			unsigned int *size)
{
	const char *at = strstr(text, name);

	return at && sscanf(at + strlen(name), ";\toffset:%u;\tsize:%u;", offset, size) == 2;
}

/* Parse events/header_page.  Return: false if it is not understood. */
bool ring_parse_format(struct ring_format *f, const char *text)
{
	unsigned int size;

	if (!parse_field(text, " commit", &f->commit, &f->commit_size) ||
	    !parse_field(text, " data", &f->data, &size))
		return false;
	f->page = f->data + size;
	return f->commit_size >= 4 && f->commit + f->commit_size <= f->data && f->data >= 8;
}

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/**
 * ring_each - call a function for each event of a page
 * @f:    where the parts of a page are
 * @page: the page
 * @len:  bytes that were read of it
 * @one:  gets the time in ns, the event and its bytes
 * @arg:  of @one
 *
 * Return: false if the page is not understood; the events before that were given.
 */
bool ring_each(const struct ring_format *f, const unsigned char *page, size_t len,
	       void (*one)(uint64_t ns, const unsigned char *data, size_t len, void *arg),
	       void *arg)
{
	size_t at = f->data, end, n;
	uint64_t ns, more;
	uint32_t head, type, delta;

	if (len < f->data)
		return false;
	memcpy(&ns, page, sizeof(ns));
	end = f->data + (word_at(page + f->commit) & COMMIT_MASK);
	if (end > len)
		return false;
	for (; at + 4 <= end; at += n) {
		head = word_at(page + at);
		type = head & 31;
		delta = head >> 5;
		more = at + 8 <= end ? word_at(page + at + 4) : 0;
		if (type == TYPE_PADDING && !delta)
			return true;
		if (type == TYPE_TIME_STAMP)
			/* the upper five bits are not stored */
			ns = (ns & 0xf8ULL << 56) | more << DELTA_BITS | delta;
		else if (type == TYPE_TIME_EXTEND)
			ns += more << DELTA_BITS | delta;
		else
			ns += delta;
		n = type >= TYPE_TIME_EXTEND ? 8 : type == TYPE_PADDING || !type ? 4 + more :
		    4 + type * 4;
		if (n < 8 || n > end - at)
			return false;
		if (type == TYPE_LONG)
			one(ns, page + at + 8, n - 8, arg);
		else if (type < TYPE_PADDING)
			one(ns, page + at + 4, n - 4, arg);
	}
	return true;
}

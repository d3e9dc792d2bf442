/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring - the pages of the kernel's trace buffer
 *
 * Pure.  A page has the time of its first event, a length, and events, each with the time since
 * the one before.  events/header_page says where the parts are.  Example: a page of time 1000
 * whose events have the deltas 5 and 7 has events at 1005 and 1012.
 */
#ifndef IOBLAME_RING_H
#define IOBLAME_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_format {
	unsigned int commit, commit_size;	/* where the length is */
	unsigned int data;			/* where the events begin */
	unsigned int page;			/* bytes of a page */
};

bool ring_parse_format(struct ring_format *f, const char *text);
bool ring_each(const struct ring_format *f, const unsigned char *page, size_t len,
	       void (*one)(uint64_t ns, const unsigned char *data, size_t len, void *arg),
	       void *arg);

#endif

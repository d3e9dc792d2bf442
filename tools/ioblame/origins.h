/* SPDX-License-Identifier: GPL-2.0 */
/*
 * origins - records of the log, found by disk, sector and time
 *
 * Pure.  The kernel's events say which sectors, the log says who caused the IO to them.  An event
 * belongs to the record whose sectors it has and in whose time, from queue to completion, it
 * falls.  Example: records of sectors 0 to 7 from 10 to 20 ms, and from 30 to 40 ms.  An event of
 * sector 4 at 33 ms belongs to the second one.
 */
#ifndef IOBLAME_ORIGINS_H
#define IOBLAME_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct origins {
	struct iob_iolog_bin_record *rec;
	size_t nr, size;
	struct origins_node {
		uint32_t rec, next;	/* number + 1; 0: none */
		uint64_t until_ns;	/* when the last of it and those behind it was complete */
	} *node;
	size_t nr_nodes, node_size;
	uint32_t *head;			/* by a hash of disk and place */
	uint32_t wide;			/* records of very many places */
	uint32_t flushes;		/* those without sectors */
};

struct origins_query {
	uint32_t disk;
	uint64_t sector, sectors;	/* of 512 bytes; 0: a flush */
	uint64_t ns;
	uint32_t pid;			/* the task, which decides between equals; 0: not known */
	uint64_t slack_ns;		/* how far the time may be outside */
};

struct origins_found {
	const struct iob_iolog_bin_record *rec;	/* NULL: none */
	unsigned int others;		/* originators besides it */
};

void origins_add(struct origins *o, const struct iob_iolog_bin_record *rec);
void origins_find(const struct origins *o, const struct origins_query *q,
		  struct origins_found *found);
void origins_forget(struct origins *o, uint64_t before_ns);
void origins_clear(struct origins *o);

#endif

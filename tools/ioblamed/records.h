/* SPDX-License-Identifier: GPL-2.0 */
/*
 * records - the daemon as the one reader of the module's log
 *
 * The log is read as long as somebody has a tap, and at no other time: reading costs.  The module
 * may go and come, a session may end and begin, another program may hold the log: it is opened
 * again when that can be, and records_state() says what it waits for.
 */
#ifndef IOBLAMED_RECORDS_H
#define IOBLAMED_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct sd_event;

/* What somebody wants of the log.  Any function may be NULL. */
struct records_tap {
	/* each record, in the order of completion */
	void (*take)(const struct iob_iolog_bin_record *rec, void *arg);
	/*
	 * the bytes of one CPU, whole records in its order, before they are merged for @take; those
	 * of a read come in pieces, between records for @take
	 */
	void (*raw)(unsigned int cpu, const void *bytes, size_t len, void *arg);
	/* after each read, also one that brought nothing; may take away this tap, and no other */
	void (*batch)(void *arg);
	void *arg;
	uint64_t most_ns;	/* the longest time between two reads; 0: RECORDS_TICK */
	struct records_tap *next;	/* records.c's own */
};

/* A live view is shown a tenth of a second later */
#define RECORDS_TICK	100000000ULL

int records_begin(struct sd_event *event);
bool records_can(void);
void records_tap(struct records_tap *tap);
void records_untap(struct records_tap *tap);
void records_read(void);
void records_let_go(void);
const char *records_state(void);
uint64_t records_session(void);
uint64_t records_read_ns(void);
int64_t records_wall_ns(void);
void records_end(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blkevent - the block layer's events, as blktrace calls them
 *
 * Pure.  The kernel's block tracepoints are those by which blktrace makes its events; what a
 * tracepoint records is described by its `format`, which differs between kernels.
 */
#ifndef IOBLAME_BLKEVENT_H
#define IOBLAME_BLKEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

/*
 * X(tracepoint, letter, word): in the order of an IO's life.  The word is the one by which
 * blktrace's -a selects it; two tracepoints may be one event.
 */
#define BLKEVENTS(X)						\
	X(block_bio_queue, 'Q', "queue")			\
	X(block_bio_remap, 'A', "remap")			\
	X(block_rq_remap, 'A', "remap")				\
	X(block_bio_bounce, 'B', "bounce")			\
	X(block_split, 'X', "split")				\
	X(block_getrq, 'G', "getrq")				\
	X(block_sleeprq, 'S', "sleeprq")			\
	X(block_plug, 'P', "plug")				\
	X(block_unplug, 'U', "unplug")				\
	X(block_bio_backmerge, 'M', "merge")			\
	X(block_bio_frontmerge, 'F', "merge")			\
	X(block_rq_merge, 'M', "merge")				\
	X(block_rq_insert, 'I', "insert")			\
	X(block_rq_requeue, 'R', "requeue")			\
	X(block_rq_issue, 'D', "issue")				\
	X(block_rq_complete, 'C', "complete")			\
	X(block_bio_complete, 'C', "complete")

enum blkevent_kind {
#define X(tracepoint, letter, word)	EV_##tracepoint,
	BLKEVENTS(X)
#undef X
	NR_BLKEVENTS,
};

extern const char *const blkevent_names[NR_BLKEVENTS];
extern const char blkevent_letters[NR_BLKEVENTS];
extern const char *const blkevent_words[NR_BLKEVENTS];

enum blkevent_field {
	AT_DEV, AT_SECTOR, AT_NR_SECTOR, AT_BYTES, AT_ERROR, AT_OLD_DEV,
	AT_OLD_SECTOR, AT_NEW_SECTOR, AT_NR_RQ, AT_RWBS, AT_COMM, AT_PID,
	NR_AT,
};

/* Where the fields of one tracepoint are; a size of 0: it has no such field */
struct blkevent_format {
	int id;			/* 0: not on this kernel */
	struct {
		uint16_t offset, size;
	} field[NR_AT];
};

struct blkevent {
	uint64_t ns;		/* CLOCK_MONOTONIC */
	uint64_t order;		/* of events of one CPU at one time */
	uint64_t sector, other_sector;	/* where it was remapped from, or where it is split */
	uint32_t dev, other_dev;	/* major << 20 | minor; 0: none */
	uint32_t sectors;
	uint32_t pid;		/* of the task in which it came */
	uint32_t nr_rq;
	uint32_t bytes;		/* of the data of a command, of passthrough */
	int32_t error;
	uint16_t cpu;
	uint8_t kind;		/* enum blkevent_kind */
	char rwbs[11];
	char comm[IOB_COMM_LEN];
};

bool blkevent_parse_format(struct blkevent_format *f, const char *text);
bool blkevent_decode(struct blkevent *e, const struct blkevent_format *formats,
		     const unsigned char *data, size_t len);
bool blkevent_has_place(const struct blkevent *e);

#define BLKEVENT_ALL_ACTS	0xffffffffU

bool blkevent_parse_acts(const char *words, uint32_t *acts);
bool blkevent_is_in(const struct blkevent *e, uint32_t acts);

#endif

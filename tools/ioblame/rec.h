/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rec - records of iolog_bin out of a stream of bytes
 *
 * Pure.  A record may come in pieces.  What is of another version is skipped
 * and counted; where lengths make no sense, the rest of the bytes is given up.
 */
#ifndef IOBLAME_REC_H
#define IOBLAME_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct rec_stream {
	unsigned char *buf;
	size_t len, size, off;
	uint64_t unknown;	/* records of another version */
	uint64_t broken;	/* times that bytes were given up */
};

unsigned char *rec_room(struct rec_stream *s, size_t room);
void rec_added(struct rec_stream *s, size_t len);
bool rec_next(struct rec_stream *s, struct iob_iolog_bin_record *rec);
void rec_free(struct rec_stream *s);

/* times of a record in ns; 0 where not known */
uint64_t rec_wait_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_io_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_total_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_age_ns(const struct iob_iolog_bin_record *rec);
bool rec_is_metadata(const struct iob_iolog_bin_record *rec);
const char *rec_op_name(unsigned char op);
const char *rec_how_name(unsigned int how);

/* the roles of iob_iolog_bin_record.role_kind */
enum role_kind {
	ROLE_THREAD,
	ROLE_PROCESS,
	ROLE_CGROUP,
	ROLE_USER,
	ROLE_NOBODY,
};

const char *rec_role_name(unsigned int kind);
const char *rec_who(unsigned int kind, uint32_t nr, char *to, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rec - what a record of iolog_bin says
 *
 * Pure.
 */
#ifndef IOBLAME_REC_H
#define IOBLAME_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

/* iob_iolog_bin_record.op */
enum rec_op {
#define X(constant, letter, word)	OP_##constant = (letter),
	IOB_OPS(X)
#undef X
};

/* iob_iolog_bin_record.role_kind */
enum rec_role {
#define X(constant, word)	ROLE_##constant,
	IOB_ROLE_KINDS(X)
#undef X
	NR_ROLES,
};

/* iob_iolog_bin_record.hwq of a disk without requests */
#define REC_NO_QUEUE	0xffff

extern const char rec_op_letters[];

/* times in nanoseconds; 0 if not known */
bool rec_has_wait(const struct iob_iolog_bin_record *rec);
bool rec_has_io(const struct iob_iolog_bin_record *rec);
uint64_t rec_wait_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_io_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_total_ns(const struct iob_iolog_bin_record *rec);
uint64_t rec_age_ns(const struct iob_iolog_bin_record *rec);

uint32_t rec_originator(const struct iob_iolog_bin_record *rec);
bool rec_is_own(const struct iob_iolog_bin_record *rec);
bool rec_is_metadata(const struct iob_iolog_bin_record *rec);
const char *rec_op_name(unsigned char op);
const char *rec_how_name(unsigned int how);
const char *rec_role_name(unsigned int kind);
const char *rec_who(unsigned int kind, uint32_t nr, char *to, size_t size);

#endif

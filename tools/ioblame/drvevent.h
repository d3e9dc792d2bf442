/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvevent - what a line of the kernel's trace says of a command of SCSI or NVMe
 *
 * Pure.  A command has a line when it is sent and one when it is done.  @match is the same in
 * both: of SCSI, the disk's address, the tag and the command's bytes; of NVMe, the controller,
 * the queue and the number of the command.  Names of tasks can hold anything, also what looks
 * like a line: they are taken by their place.
 */
#ifndef IOBLAME_DRVEVENT_H
#define IOBLAME_DRVEVENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DRVEVENT_COMM = 16,		/* cells of a task's name, with which a line begins */
};

enum drvevent_kind {
	DRV_SENT,
	DRV_DONE,
	DRV_TIMEOUT,
};

struct drvevent {
	enum drvevent_kind kind;
	bool nvme;
	uint64_t ns;			/* CLOCK_MONOTONIC, to the microsecond */
	uint64_t match;
	uint32_t pid;			/* the task, of which the sender is of use only */
	char comm[17];
	char device[40];		/* H:C:I:L; nvme0n1, or nvme0 of an admin command */
	char command[40];		/* READ_10, nvme_cmd_write */
	uint64_t block;			/* of the device's size */
	uint64_t blocks;		/* of SCSI, how many */
	bool has_block;
	char result[80];		/* "" if good */
};

bool drvevent_parse(const char *line, struct drvevent *e);
bool drvevent_is_flush(const struct drvevent *e);
bool drvevent_is_discard(const struct drvevent *e);

#endif

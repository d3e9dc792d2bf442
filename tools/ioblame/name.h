/* SPDX-License-Identifier: GPL-2.0 */
/*
 * name - names for the numbers of disks, files and cgroups
 *
 * A name is looked up soon after the IO, and kept: its file may be deleted later.
 * When it is shown, it is looked up again every few seconds: files are renamed.  What another
 * process of the same id is called does not take its place.
 * Offline, only the names of the recording are known.  A name that is returned is
 * escaped, and lives until the next name_tidy().
 *
 * Names that are looked up have so much memory in all.  One that has no room is a number, and is
 * counted; name_tidy() makes room for others.  Of what ended long ago no name can be had again, so
 * who has sums of it holds their names meanwhile: name_held_by().
 */
#ifndef IOBLAME_NAME_H
#define IOBLAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process.h"

enum name_kind {
	NAME_DISK,		/* number */
	NAME_FILE,		/* dev, ino, gen */
	NAME_CGROUP,		/* number */
	NAME_MOUNT,		/* dev: its mount point */
	NAME_SCHED,		/* dev: the scheduler of the disk */
	NAME_USER,		/* process, and a hash of its name in gen: who runs it */
	NAME_COMMAND,		/* the same: its command line */
	NAME_CONTAINER,		/* number of a cgroup: the container that it is */
	NAME_UID,		/* number of a user; not in recordings */
	NAME_KINDS,
};

struct name_key {
	uint32_t kind;
	uint32_t dev;		/* as the kernel's dev_t: major << 20 | minor */
	uint64_t nr;
	uint32_t gen;
	uint32_t zero;
};

struct name {
	struct name_key key;
	char *text;		/* NULL if it has none */
	uint64_t asked_ns, used_ns;
	uint64_t saved;		/* a bit for each tape that has it */
	size_t recorded;	/* what it takes of the room for the names of a recording */
	uint32_t asked_uid1;	/* + 1: who ran the process when it was asked; 0: not certain */
	struct process process;	/* that it is of */
	bool held;		/* name_tidy() keeps it */
	bool wanted;		/* it would be held, if there were room for that */
};

void name_offline(void);
void name_stale_after(uint64_t ns);
void name_bound(size_t longest, size_t bytes);
void name_served(void);
char *name_ask(const struct name_key *key);
char *name_ask_here(const struct name_key *key, bool *asked);
void name_ask_by(char *(*ask)(const struct name_key *key, bool *asked));
void name_put(const struct name_key *key, const char *text);
uint64_t name_no_room(void);
const char *name_disk(uint32_t dev);
const char *name_sched(uint32_t dev);
const char *name_user(uint32_t tgid, const char *comm);
const char *name_uid(uint32_t uid);
const char *name_command(uint32_t tgid, const char *comm);
const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen);
void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen);
void name_note_at_most(unsigned int per_second);
const char *name_cgroup(uint64_t id);
const char *name_unit(uint64_t id);
void name_held_by(void (*hold)(const void *arg), const void *arg);
void name_hold_process(uint32_t tgid, const char *comm);
void name_hold_file(uint32_t dev, uint64_t ino, uint32_t gen);
void name_hold_cgroup(uint64_t id);
void name_tidy(void);
void name_done(void);
void name_watch(void (*one)(struct name *name, void *arg), void *arg);
void name_not_saved(uint64_t bit);
bool name_is_of_user(const struct name *name, uint32_t uid);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A process id is used again.  The process that has it now is the one that is meant if it began
 * no later than the thread that is meant: as long as a process has a thread, nobody gets its id.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "owner.h"
#include "process.h"
#include "user.h"

enum {
	/* processes that are kept, some 60 bytes each */
	OWNERS_MAX = 16384,
};

/*
 * A process is asked again after this time: sshd becomes its user.  Two files of /proc are read for
 * that, 100,000 instructions, so a thousand processes are not asked for each interval of ioblamed.
 * It is asked at once if its folder in /proc is another user's, which stat(2) tells.
 */
#define STALE_NS	30000000000ULL

struct owner {
	struct owner_key {
		uint64_t start_ns, tgid;
	} key;
	uint64_t asked_ns;
	uint64_t since_ns;	/* when it was first seen to be run by this user */
	bool changed;		/* another one was seen before */
	uint32_t uid;
	uint32_t folder_uid;	/* who has /proc/PID: its effective user, or root */
};

static struct map owners = { .key_len = sizeof(struct owner_key) };

static uint32_t ask_uid(uint32_t tgid, uint64_t start_ns)
{
	uint64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	uint32_t uid = user_of_process(tgid);

	/* (the later of two processes of this id is looked at last) */
	if (uid != OWNER_NONE && process_start(tgid, NULL) > start_ns / tick_ns)
		return OWNER_NONE;
	return uid;
}

static struct owner *find_owner(const struct owner_key *key)
{
	struct owner *owner = map_get(&owners, key);

	if (owner)
		return owner;
	if (owners.nr >= OWNERS_MAX)
		map_clear(&owners, free);
	owner = must(calloc(1, sizeof(*owner)));
	owner->key = *key;
	owner->uid = OWNER_NONE;
	owner->folder_uid = OWNER_NONE;
	map_put(&owners, owner);
	return owner;
}

/* What is known of a process by now, or NULL. */
static const struct owner *ask_owner(uint32_t tgid, uint64_t start_ns)
{
	struct owner_key key = { .start_ns = start_ns, .tgid = tgid };
	uint64_t now = clock_ns();
	uint32_t folder_uid, uid;
	struct owner *owner;

	if (!tgid || !start_ns)
		return NULL;
	owner = find_owner(&key);
	folder_uid = user_of_folder(tgid);
	/* (of a process that cannot be dumped the folder is root's, whoever runs it) */
	if (owner->asked_ns && now - owner->asked_ns < STALE_NS &&
	    folder_uid == owner->folder_uid &&
	    (folder_uid == owner->uid || folder_uid == OWNER_NONE))
		return owner;
	owner->asked_ns = now;
	owner->folder_uid = folder_uid;
	uid = ask_uid(tgid, start_ns);
	if (uid != OWNER_NONE && uid != owner->uid) {
		owner->changed = owner->uid != OWNER_NONE;
		owner->uid = uid;
		owner->since_ns = now;
	}
	return owner;
}

/**
 * owner_uid - who runs a process
 * @tgid:     its id; 0 for none
 * @start_ns: when it, or the thread of it that is meant, began, in nanoseconds from boot
 *
 * A process that ended is run by who ran it when it was asked for last.
 * Return: the real user id; OWNER_NONE if it is not known.
 */
uint32_t owner_uid(uint32_t tgid, uint64_t start_ns)
{
	const struct owner *owner = ask_owner(tgid, start_ns);

	return owner ? owner->uid : OWNER_NONE;
}

/**
 * owner_uid_since - who alone has run a process since a time
 * @tgid:     its id; 0 for none
 * @start_ns: as for owner_uid()
 * @first:    who ran it when the module first saw IO of it; OWNER_NONE if that is not known
 * @since_ns: the time, as clock_ns()
 *
 * sshd reads as root, and then becomes its user, who shall not be shown what root has read.
 * Return: the real user id; OWNER_NONE if it is not known, or may have been another one before.
 */
uint32_t owner_uid_since(uint32_t tgid, uint64_t start_ns, uint32_t first, uint64_t since_ns)
{
	const struct owner *owner = ask_owner(tgid, start_ns);

	/* it has ended before anybody asked */
	if (!owner || owner->uid == OWNER_NONE)
		return first;
	if (owner->since_ns <= since_ns || (owner->uid == first && !owner->changed))
		return owner->uid;
	return OWNER_NONE;
}

/* The process that has an id */
struct holder {
	uint64_t tgid;
	uint64_t from_ns;	/* it began no later, CLOCK_MONOTONIC; UINT64_MAX: not known */
	uint64_t asked_ns;	/* and it had the id all the time until then */
	uint64_t tried_ns;	/* when it was looked for last */
	uint64_t since_ns;	/* when it was first seen to be run by this user */
	uint64_t start;		/* clock ticks from boot */
	uint32_t uid;
	bool changed;		/* it was seen to be run by another one before */
	bool kernel;		/* it is a thread of the kernel */
};

static struct map holders = { .key_len = sizeof(uint64_t) };

/* Another process than the one that was seen may have been any user before it is asked. */
static void note_holder(struct holder *h, uint32_t uid, uint64_t start)
{
	bool same = h->uid != OWNER_NONE && h->start == start;

	if (!same || h->uid != uid) {
		h->changed = same;
		h->since_ns = clock_ns();
	}
	h->uid = uid;
	h->start = start;
}

static void ask_holder(struct holder *h)
{
	uint64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK), now = clock_ns();
	uint64_t slept_ns = clock_boot_ns() - now, start;
	uint32_t uid = user_of_process(h->tgid);
	bool kernel = false;

	h->tried_ns = now;
	/* one that took the id meanwhile began after @now, and is none of whom a record tells */
	start = process_start(h->tgid, &kernel);
	/* what it was is kept of a process that is gone */
	if (uid != OWNER_NONE && start != PROCESS_NONE) {
		note_holder(h, uid, start);
		h->kernel = kernel;
		start = (start + 1) * tick_ns;
		h->from_ns = start > slept_ns ? start - slept_ns : 0;
		h->asked_ns = now;
	}
}

/* Who had a process id at a time; it is asked again if it was not asked since. */
static const struct holder *find_holder(uint32_t tgid, uint64_t at_ns)
{
	uint64_t key = tgid;
	struct holder *h = map_get(&holders, &key);

	if (!h) {
		if (holders.nr >= OWNERS_MAX)
			map_clear(&holders, free);
		h = must(calloc(1, sizeof(*h)));
		h->tgid = key;
		h->from_ns = UINT64_MAX;
		h->uid = OWNER_NONE;
		map_put(&holders, h);
	}
	if (h->tried_ns < at_ns)
		ask_holder(h);
	return h;
}

/**
 * owner_of_record - whose IO it is
 * @rec: a record of this machine, some seconds old at most
 *
 * The module says who ran the originator when it first did IO.  It may have become another user
 * since: who runs it now counts, if it was seen to be his before the IO, and is certain to be the
 * same process, as that has submitted the IO.  Else the two must agree.  So nobody is shown what
 * another user did, and what is in doubt is nobody's.
 * Return: the user id; OWNER_NONE if it is not known.
 */
uint32_t owner_of_record(const struct iob_iolog_bin_record *rec)
{
	uint32_t first = rec->uid1 ? rec->uid1 - 1 : OWNER_NONE;
	bool itself = rec->sub_pid && (rec->sub_pid == rec->pid || rec->sub_pid == rec->tgid);
	const struct holder *h;
	bool seen;

	if (!rec->tgid)
		return OWNER_NONE;
	h = find_holder(rec->tgid, rec->queue_ns);
	if (rec->queue_ns < h->from_ns)
		return first;
	seen = rec->queue_ns >= h->since_ns;
	if (itself && seen && rec->queue_ns <= h->asked_ns)
		return h->uid;
	return h->uid == first && (seen || !h->changed) ? first : OWNER_NONE;
}

/**
 * owner_of_submitter - who ran the task that submitted an IO
 * @rec: a record of this machine, some seconds old at most
 *
 * Return: the user id; OWNER_KERNEL for a thread of the kernel or an interrupt; OWNER_NONE if it is
 * not certain.
 */
uint32_t owner_of_submitter(const struct iob_iolog_bin_record *rec)
{
	const struct holder *h;

	if (!rec->sub_pid)
		return OWNER_KERNEL;
	h = find_holder(rec->sub_pid, rec->queue_ns);
	if (rec->queue_ns < h->from_ns || rec->queue_ns > h->asked_ns)
		return OWNER_NONE;
	return h->kernel ? OWNER_KERNEL : h->uid;
}

/* The name of a user, else the number; "" if none is known.  As a name of name.h. */
const char *owner_name(uint32_t uid)
{
	return uid == OWNER_NONE ? "" : name_uid(uid);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats - each loss of information is counted
 *
 * There is a per-CPU counter for each way in which information can be lost, and for a few
 * events that are no loss.  The lists are X-macros: each name is written once, and is a file
 * under stats/.
 *
 * What is forgotten of objects of many kinds is one loss, owner_evicted, and each kind, which
 * is added at module load, has its part of it.
 *
 * Example: iob_stat_inc(node_nomem) adds 1 to stats/node_nomem.
 */
#ifndef IOB_CORE_STATS_H
#define IOB_CORE_STATS_H

#include <linux/percpu.h>

#define IOB_STATS(X)							\
	X(idx_nomem, "index could not grow: memory")			\
	X(idx_nospc, "index could not grow: max_* reached")		\
	X(node_nomem, "role, intent or act not allocated")		\
	X(role_nomem, "acts of a task without a role: memory or max_roles") \
	X(role_many, "looks for a role of a task that had too many: its name is lost") \
	X(pgtree_nomem, "dirtier of a page not noted: memory")		\
	X(cnts_nomem, "counters of an act not allocated")		\
	X(sum_nomem, "IO in the sum of its disk's rest: memory")	\
	X(sum_nospc, "IO in the sum of its disk's rest: max_sums reached") \
	X(sum_unseen, "sums that went before a reader saw their end")	\
	X(iolog_overflow, "iolog entries lost")				\
	X(iolog_unread, "iolog entries without a reader")	\
	X(iolog_bin_overflow, "iolog_bin records lost")			\
	X(inflight_nomem, "IO not followed: memory")			\
	X(inflight_stale, "IO whose end was not seen")			\
	X(inflight_unseen, "IO whose queueing was not seen")		\
	X(parts_nomem, "IO not split by dirtier: memory")		\
	X(task_nomem, "a task's context not allocated")			\
	X(act_stale, "page entry of another file dropped")		\
	X(act_lost, "cause reclaimed under an IO, or before it")	\
	X(stack_cut, "stack traces deeper than kept")			\
	X(stack_wrong, "stack taken for another one (check_stacks)")	\
	X(owner_evicted, "act of an inode or buffer forgotten: room")	\
	X(freed_evicted, "act that freed blocks forgotten: room, memory or pieces") \
	X(journal_evicted, "participants of a journal forgotten: room or memory") \
	X(participant_merged, "participants of a transaction beyond those kept") \
	X(behalf_evicted, "work on behalf of others nested deeper than kept") \
	X(second_nospc, "claimed devices beyond those noted") \
	X(chain_cut, "chain of bios longer than followed")		\
	X(layout_wrong, "private structs that were not as believed")

/* events that are no loss */
#define IOB_EVENTS(X)							\
	X(acts_merged, "acts whose counts went to one that is less exact") \
	X(freed_unknown, "discards of blocks that nothing is noted of")	\
	X(inflight_hashed, "IO for which there was no slot: more work")	\
	X(io_refused, "IO sent back at once: no room, and not to wait")	\
	X(pages_cancelled, "dirty pages truncated before their write")	\
	X(stack_known, "stacks that were remembered")			\
	X(stack_walked, "stacks that had to be walked")

enum iob_stat {
#define IOB_STAT_ENUM(name, what) IOB_STAT_##name,
	IOB_STATS(IOB_STAT_ENUM)
	IOB_NR_LOSSES,
	IOB_STAT_BEFORE_EVENTS = IOB_NR_LOSSES - 1,
	IOB_EVENTS(IOB_STAT_ENUM)
	IOB_NR_STATS,
#undef IOB_STAT_ENUM
};

/* What owner_evicted is the sum of: a part for each kind of object. */
#define IOB_MAX_STAT_PARTS	24

struct iob_stats {
	u64 v[IOB_NR_STATS];
	u64 part[IOB_MAX_STAT_PARTS];
};

DECLARE_PER_CPU(struct iob_stats, iob_stats);

/* Count one loss or event.  Any context, preemption may be on. */
#define iob_stat_inc(name) this_cpu_inc(iob_stats.v[IOB_STAT_##name])
#define iob_stat_add(name, n) this_cpu_add(iob_stats.v[IOB_STAT_##name], n)

/* Count one object of owner_evicted; @nr is of iob_stat_part_add().  Likewise. */
#define iob_stat_inc_part(nr)						\
	do {								\
		this_cpu_inc(iob_stats.part[nr]);			\
		iob_stat_inc(owner_evicted);				\
	} while (0)

int iob_stat_part_add(const char *name);
const char *iob_stat_part_name(unsigned int part);
u64 iob_stat_part_read(unsigned int part);
u64 iob_stat_read(enum iob_stat stat);
void iob_stats_reset(void);
const char *iob_stat_name(enum iob_stat stat);
const char *iob_stat_what(enum iob_stat stat);

#endif

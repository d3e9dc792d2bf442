/* SPDX-License-Identifier: GPL-2.0 */
/*
 * act - a role with an intent on a file: what counters count
 *
 * Example: role "pid-812 (dd)" writes file 8:1 inode 131 by intent 12.  When the first IO of
 * this kind completes and a counter wants it, act 17 is made.  Without counters there are
 * no acts: a page names the cause (core/cause), and its folio names the file.
 *
 * Where no more acts can be made, an IO is counted for what is less exact: the act of the
 * role and the intent without a file, then that of the role alone, then "nomem".
 */
#ifndef IOB_CORE_ACT_H
#define IOB_CORE_ACT_H

#include <linux/percpu.h>

#include "cause.h"
#include "file.h"
#include "index.h"

/* numbers of the special acts */
#define IOB_ACT_NOMEM	1U
#define IOB_ACT_LOST	2U

struct iob_sum;

struct iob_act {
	struct iob_node node;
	u64 cause;		/* id of the cause by which it was last looked up */
	u64 role;		/* id */
	struct iob_file file;
	u32 intent;		/* number */
	bool dead;		/* buried: found no more */
	bool kept;		/* its sums are among those that went, for readers of sums */
	struct iob_use use;	/* iob_use_now at the last IO */
	u32 *counters;		/* of io/counters, with what was read; NULL until the first IO */
	struct iob_sum *sums;	/* of io/sum; likewise */
};

#define IOB_ACT_RECENT	16	/* a power of 2 */

/* A CPU's last answers of iob_act_of(). */
struct iob_act_recent {
	struct iob_act *act[IOB_ACT_RECENT];
};

DECLARE_PER_CPU(struct iob_act_recent, iob_act_recent);

int iob_acts_init(u32 max, u32 spare, void (*release)(struct iob_act *act));
void iob_acts_exit(void);
struct iob_act *iob_act_get(u64 ref, const struct iob_file *file);
struct iob_act *iob_act_coarser(const struct iob_act *act);
struct iob_act *iob_act_next(u32 *nr);
struct iob_act *iob_act_nr(u32 nr);
u32 iob_acts_count(void);
u32 iob_acts_taken(void);
bool iob_acts_crowd_out(void);
u32 iob_acts_max(void);
void iob_act_bury(struct iob_act *act);
void iob_acts_forget_recent(void);
void iob_act_unnumber(struct iob_act *act);
void iob_act_free(struct iob_act *act);
int iob_acts_cache_init(void);
void iob_acts_cache_exit(void);

/* False for one that is less exact, or that IO of no file is charged to. */
static inline bool iob_act_has_file(const struct iob_act *act)
{
	return act->file.ino || act->file.dev;
}

/* The CPU's recent answer of iob_act_of(), or NULL.  As iob_act_of(). */
static __always_inline struct iob_act *iob_act_recently(u64 cause, const struct iob_file *file)
{
	u32 at = ((u32)cause ^ (u32)file->ino) % IOB_ACT_RECENT;
	struct iob_act *act = this_cpu_read(iob_act_recent.act[at]);

	return likely(act && READ_ONCE(act->cause) == cause && iob_file_same(&act->file, file)) ?
	       act : NULL;
}

/*
 * The act of a cause (an id: no tag, not inherited) on a file.  Any context but NMI, inside
 * iob_read_lock(), until the end of which it stays.  Never NULL: without memory it is a less
 * exact one.
 */
static __always_inline struct iob_act *iob_act_of(u64 cause, const struct iob_file *file)
{
	struct iob_act *act = iob_act_recently(cause, file);

	return likely(act) ? act : iob_act_get(cause, file);
}

/*
 * Note that an act does IO, when that is counted.
 *
 * A reader of counters_pipe begins a new generation and waits until each CPU that may have read
 * the one before is done: what was noted under the old one is in this reading.  What comes later
 * notes the new one.  (The note comes last: a CPU that still has the old generation may overwrite
 * a new one, but then the reader sees what was counted.)
 */
static __always_inline void iob_act_touch(struct iob_act *act)
{
	u64 now = READ_ONCE(iob_use_now.both);

	/* the numbers first: a barrier of the compiler's only where atomics are barriers */
	smp_mb__after_atomic();
	if (READ_ONCE(act->use.both) != now)
		WRITE_ONCE(act->use.both, now);
}

#endif

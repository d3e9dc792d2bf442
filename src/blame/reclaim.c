// SPDX-License-Identifier: GPL-2.0
/*
 * The only place where an act dies while probes run, in five steps:
 *
 *  1. The dirtier table is read: acts that own a page to be written stay.
 *  2. Acts that were unused for the time to live are marked dead and leave the hash table.
 *  3. synchronize_rcu(): a probe that found one of them before has finished, and has put
 *     the act's number into the dirtier table if it was about to.
 *  4. The dirtier table is read again.  Entries of dead acts become LOST where a write is
 *     still to come; after that the number may go to another act.
 *  5. The acts are freed.  An IO in flight names its act by id, which has a generation,
 *     and finds nothing.
 *
 * So the number stays taken from step 2 to step 4.
 *
 * Example: act 17 was last used 700 s ago, the time to live is 600 s, no page has the entry
 * 17.  Step 2 buries it.  A probe on another CPU found it just before, and writes 17 as the
 * entry of a page; step 3 waits for this probe, step 4 turns the entry into LOST, and step 5
 * frees act 17.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "core/act.h"
#include "core/role.h"
#include "dirtier.h"
#include "reclaim.h"

/* Step 2: @dead gets the numbers of the acts that are buried.  Return: how many. */
static u32 bury_unused_acts(u32 ttl, const unsigned long *owners, unsigned long *dead)
{
	/* whole ticks, rounded up */
	u32 ticks = DIV_ROUND_UP_ULL((u64)ttl * HZ, IOB_ACT_TICK);
	u32 nr, nr_dead = 0, now = iob_act_now();
	struct iob_act *act;

	for (nr = IOB_ACT_LOST + 1; (act = iob_act_next(&nr)); nr++) {
		cond_resched();
		/* signed: ->used may be later than @now */
		if ((s32)(now - READ_ONCE(act->used)) < (s32)ticks ||
		    test_bit(nr, owners))
			continue;
		iob_act_bury(act);
		__set_bit(nr, dead);
		nr_dead++;
	}
	return nr_dead;
}

/* Step 5.  ->hash is free for use since step 3: it links the list. */
static void free_dead_acts(const unsigned long *dead)
{
	HLIST_HEAD(list);
	struct hlist_node *next;
	struct iob_act *act;
	u32 nr;

	for_each_set_bit(nr, dead, iob_acts.max) {
		act = iob_act_nr(nr);
		iob_index_unnumber(&iob_acts, &act->node);
		hlist_add_head(&act->node.hash, &list);
		cond_resched();
	}
	/* no id finds them any more: wait for readers that found one before */
	synchronize_rcu();
	hlist_for_each_entry_safe(act, next, &list, node.hash) {
		iob_act_free(act);
		cond_resched();
	}
}

/* Set the bits of the roles that an act names. */
static void mark_roles(unsigned long *used, u32 bits)
{
	struct iob_act *act;
	u32 nr;

	for (nr = 0; (act = iob_act_next(&nr)); nr++) {
		if (iob_id_nr(act->role) < bits)
			__set_bit(iob_id_nr(act->role), used);
		cond_resched();
	}
}

/**
 * iob_acts_reclaim - free the acts that are not used any more, then roles
 * @ttl:  seconds for which an act must have been unused, and a role's task gone
 * @done: the numbers of what was freed are added
 *
 * May sleep; takes two grace periods and two passes over the dirtier table.  The caller
 * allows one call at a time and holds the session.  Without memory nothing is reclaimed
 * this time.
 */
void iob_acts_reclaim(u32 ttl, struct iob_reclaimed *done)
{
	u32 bits = max(iob_acts.max, iob_roles_max());
	unsigned long *owners = kvcalloc(BITS_TO_LONGS(bits), sizeof(long),
					 GFP_KERNEL);
	unsigned long *dead = kvcalloc(BITS_TO_LONGS(bits), sizeof(long),
				       GFP_KERNEL);
	u32 nr_dead;

	if (!owners || !dead)
		goto out;
	iob_dirtier_owners(owners);
	nr_dead = bury_unused_acts(ttl, owners, dead);
	if (nr_dead) {
		synchronize_rcu();
		iob_dirtier_drop(dead);
		free_dead_acts(dead);
		done->acts += nr_dead;
	}
	done->roles += iob_roles_reclaim(mark_roles, owners, bits, ttl, 0);
out:
	kvfree(owners);
	kvfree(dead);
}

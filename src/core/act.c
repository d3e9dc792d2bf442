// SPDX-License-Identifier: GPL-2.0
/*
 * Acts are in an index, see index.h: found by role, intent and file through its hash table.
 * io/reclaim frees the acts that are not used any more.
 *
 * Some numbers are spare, one for each role: acts with files cannot take them, so that there is one
 * for what is less exact when the others are taken.  Acts without a file take these first: what
 * they took over from others is in nobody's way while it waits for a reader of counters_pipe.
 *
 * An act that iob_act_of() or iob_act_get() returned is used inside iob_read_lock() only.
 * That includes a CPU's recent answers: reclaim buries an act, waits until no probe is
 * about to store it there, clears all recent answers, and waits again before it frees it.
 */
#include <linux/err.h>
#include <linux/jhash.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "act.h"
#include "intent.h"
#include "stats.h"

DEFINE_PER_CPU(struct iob_act_recent, iob_act_recent);

static struct iob_index acts;
static struct kmem_cache *act_cache;
/* frees ->counters and ->sums */
static void (*release_act)(struct iob_act *act);

static u32 act_hash(u64 role, u32 intent, const struct iob_file *f)
{
	return jhash_3words(iob_id_nr(role) ^ f->dev, intent ^ f->gen,
			    (u32)f->ino, (u32)(f->ino >> 32));
}

static bool act_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_act *x = container_of(a, struct iob_act, node);
	const struct iob_act *y = container_of(b, struct iob_act, node);

	return x->role == y->role && x->intent == y->intent &&
	       iob_file_same(&x->file, &y->file);
}

static struct iob_act *act_lookup(u64 role, u32 intent, const struct iob_file *file,
				  u32 hash)
{
	struct iob_act *a;

	hlist_for_each_entry_rcu(a, iob_index_bucket(&acts, hash), node.hash,
				 iob_read_held()) {
		if (a->role == role && a->intent == intent &&
		    iob_file_same(&a->file, file))
			return a;
	}
	return NULL;
}

static struct iob_act *act_create(u64 role, u32 intent, const struct iob_file *file,
				  u32 hash, u32 used)
{
	/* as iob_act_has_file() */
	bool spare = !file->ino && !file->dev;
	struct iob_node *node;
	struct iob_act *new;

	if (!spare && iob_index_full(&acts))
		return NULL;
	new = kmem_cache_alloc(act_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return NULL;
	}
	memset(new, 0, sizeof(*new));
	new->role = role;
	new->intent = intent;
	new->file = *file;
	new->use.tick = used;
	node = spare ? iob_index_add_spare(&acts, &new->node, hash, act_same) :
		       iob_index_add(&acts, &new->node, hash, act_same);
	if (node != &new->node)
		kmem_cache_free(act_cache, new);
	return IS_ERR(node) ? NULL : container_of(node, struct iob_act, node);
}

/* The act, made with @used if it is new; NULL if that is not possible (counted). */
static struct iob_act *act_find(u64 role, u32 intent, const struct iob_file *file, u32 used)
{
	u32 hash = act_hash(role, intent, file);
	struct iob_act *act = act_lookup(role, intent, file, hash);

	return act ? act : act_create(role, intent, file, hash, used);
}

/* The act of a number that is always there. */
static struct iob_act *act_special(u32 nr)
{
	return container_of(iob_index_nr(&acts, nr), struct iob_act, node);
}

/**
 * iob_act_coarser - the act that takes over what @act has counted
 * @act: no special one
 *
 * It has no file; if @act has none, no intent either; if @act has none of both, it is that
 * of lost IO.  A new one is as old as @act: nobody has used it since.  Any context but NMI,
 * inside iob_read_lock().  Never NULL.
 */
struct iob_act *iob_act_coarser(const struct iob_act *act)
{
	static const struct iob_file none;
	struct iob_act *coarse = NULL;

	if (iob_act_has_file(act))
		coarse = act_find(act->role, act->intent, &none, act->use.tick);
	if (!coarse && act->intent > IOB_INTENT_LOST)
		coarse = act_find(act->role, IOB_INTENT_NOMEM, &none, act->use.tick);
	if (!coarse || coarse == act)
		coarse = act_special(IOB_ACT_LOST);
	return coarse;
}

/**
 * iob_act_get - the act of a cause on a file
 * @ref:  a reference to the cause
 * @file: the file
 *
 * The slow path of iob_act_of(), with the same context and result.
 */
noinline struct iob_act *iob_act_get(u64 ref, const struct iob_file *file)
{
	static const struct iob_file none;
	const struct iob_cause *cause;
	struct iob_act *act;
	u32 now;

	if (ref == IOB_CAUSE_NOMEM)
		return act_special(IOB_ACT_NOMEM);
	cause = iob_cause_of(ref);
	if (!cause || ref <= IOB_CAUSE_LOST)
		return act_special(IOB_ACT_LOST);
	now = iob_cause_now();
	act = act_find(cause->role, cause->intent, file, now);
	if (unlikely(!act))
		act = act_find(cause->role, cause->intent, &none, now);
	if (unlikely(!act))
		act = act_find(cause->role, IOB_INTENT_NOMEM, &none, now);
	if (unlikely(!act))
		return act_special(IOB_ACT_NOMEM);
	/* (not .pipe: io/fast looks for an act before its IO is counted) */
	if (READ_ONCE(act->use.tick) != now)
		WRITE_ONCE(act->use.tick, now);
	if (READ_ONCE(act->dead) || !iob_file_same(&act->file, file))
		return act;
	/* (CPUs that have many files share the act's line) */
	if (READ_ONCE(act->cause) != iob_cause_id(ref))
		WRITE_ONCE(act->cause, iob_cause_id(ref));
	this_cpu_write(iob_act_recent.act[((u32)iob_cause_id(ref) ^ (u32)file->ino) %
					  IOB_ACT_RECENT], act);
	return act;
}

/* The act with the smallest number >= *@nr, which gets it, or NULL.  As iob_index_next(). */
struct iob_act *iob_act_next(u32 *nr)
{
	struct iob_node *node = iob_index_next(&acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The act that has this number now, or NULL.  Inside iob_read_lock(). */
struct iob_act *iob_act_nr(u32 nr)
{
	struct iob_node *node = iob_index_nr(&acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The number of acts, the two special ones included. */
u32 iob_acts_count(void)
{
	return READ_ONCE(acts.count);
}

/*
 * How many numbers of acts with files are taken: by these, or by others where the spare ones are
 * taken.  Any context.
 */
u32 iob_acts_taken(void)
{
	return iob_index_taken(&acts);
}

/* True if acts without a file take numbers from those that have one.  Any context. */
bool iob_acts_crowd_out(void)
{
	return READ_ONCE(acts.spares) > acts.spare;
}

/* Numbers of acts are below this. */
u32 iob_acts_max(void)
{
	return acts.max;
}

/* Mark an act dead and take it out of the hash table; its number stays taken. */
void iob_act_bury(struct iob_act *act)
{
	WRITE_ONCE(act->dead, true);
	iob_index_unhash(&acts, &act->node);
}

/* No CPU remembers a buried act, if none was about to look one up. */
void iob_acts_forget_recent(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct iob_act_recent *r = per_cpu_ptr(&iob_act_recent, cpu);

		for (i = 0; i < IOB_ACT_RECENT; i++)
			WRITE_ONCE(r->act[i], NULL);
	}
}

/* Free a buried act's number. */
void iob_act_unnumber(struct iob_act *act)
{
	if (iob_act_has_file(act))
		iob_index_unnumber(&acts, &act->node);
	else
		iob_index_unnumber_spare(&acts, &act->node);
}

/* Free an act that no reader can find any more.  May sleep. */
void iob_act_free(struct iob_act *act)
{
	if (act->counters || act->sums)
		release_act(act);
	kmem_cache_free(act_cache, act);
}

static int act_add_special(u32 nr)
{
	struct iob_act *act = kmem_cache_alloc(act_cache, GFP_KERNEL);
	int err;

	if (!act)
		return -ENOMEM;
	memset(act, 0, sizeof(*act));
	act->role = nr;
	act->intent = nr == IOB_ACT_NOMEM ? IOB_INTENT_NOMEM : IOB_INTENT_LOST;
	err = iob_index_reserve(&acts, &act->node, nr);
	if (err)
		kmem_cache_free(act_cache, act);
	return err;
}

/**
 * iob_acts_init - begin a session with the two special acts
 * @max:     numbers stay below
 * @spare:   so many numbers more are for acts without a file
 * @release: frees ->counters and ->sums of an act; may sleep
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_acts_init(u32 max, u32 spare, void (*release)(struct iob_act *act))
{
	int err = iob_index_init(&acts, max + spare, 1);

	acts.spare = spare;
	release_act = release;
	iob_acts_forget_recent();
	if (!err)
		err = act_add_special(IOB_ACT_NOMEM);
	if (!err)
		err = act_add_special(IOB_ACT_LOST);
	if (err)
		iob_acts_exit();
	return err;
}

static void act_free_node(struct iob_node *node)
{
	iob_act_free(container_of(node, struct iob_act, node));
}

/* Free all acts.  No probe is attached and no reader holds the session. */
void iob_acts_exit(void)
{
	iob_index_exit(&acts, act_free_node);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_acts_cache_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_act) > 88);
	act_cache = iob_cache_create("iob_act", sizeof(struct iob_act), 0);
	return act_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_acts_exit(). */
void iob_acts_cache_exit(void)
{
	kmem_cache_destroy(act_cache);
}

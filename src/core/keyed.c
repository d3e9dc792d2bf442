// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "keyed.h"
#include "worker.h"

#define MAX_OBJECTS	4096
#define TIDY_EVERY	(60 * HZ)
/*
 * So many are taken out at once: each takes a grace period, and disabling waits until this is over.
 * A host that unmounts a thousand file systems has their objects for minutes longer.
 */
#define TIDY_AT_ONCE	16

/* The slow path of iob_keyed_get(): the object is not there. */
struct iob_keyed *iob_keyed_make(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k, *new = iob_pool_get(&t->pool);
	unsigned long flags;

	if (!new)
		return NULL;
	new->key = key;
	t->begin(new);
	raw_spin_lock_irqsave(&t->lock, flags);
	/* another CPU may have made it */
	k = iob_keyed_find(t, key);
	if (!k && t->nr < MAX_OBJECTS) {
		hlist_add_head_rcu(&new->node, &t->bucket[hash_ptr(key, IOB_KEYED_BITS)]);
		t->nr++;
		k = new;
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (k != new)
		iob_pool_put(&t->pool, new);
	return k;
}

/**
 * iob_keyed_forget - what has this key ends
 * @t:   the table
 * @key: not NULL; another one may have it from now on
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_keyed_forget(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k = iob_keyed_find(t, key);

	if (k)
		WRITE_ONCE(k->key, NULL);
}

/* Take an object out.  Only one caller at a time removes any. */
static void keyed_remove(struct iob_keyed_table *t, struct iob_keyed *k)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->lock, flags);
	hlist_del_rcu(&k->node);
	t->nr--;
	raw_spin_unlock_irqrestore(&t->lock, flags);
}

/* A probe has used the object while it was taken out: put it back, unless there is another. */
static bool keyed_put_back(struct iob_keyed_table *t, struct iob_keyed *k)
{
	unsigned long flags;
	bool other;

	raw_spin_lock_irqsave(&t->lock, flags);
	other = iob_keyed_find(t, k->key);
	if (!other) {
		hlist_add_head_rcu(&k->node, &t->bucket[hash_ptr(k->key, IOB_KEYED_BITS)]);
		t->nr++;
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (other)
		t->evicted();
	return !other;
}

static void keyed_free(struct iob_keyed_table *t, struct iob_keyed *k)
{
	t->end(k);
	iob_pool_free(&t->pool, k);
}

/* Objects are added at the head meanwhile; no other task removes any: ->walk. */
static void keyed_tidy(struct work_struct *work)
{
	struct iob_keyed_table *t = container_of(to_delayed_work(work), struct iob_keyed_table,
						 tidy_work);
	struct iob_keyed *k;
	unsigned int i, taken = 0;

	for (i = 0; i < ARRAY_SIZE(t->bucket) && taken < TIDY_AT_ONCE; i++) {
		struct hlist_node *node, *next;

		mutex_lock(&t->walk);
		node = READ_ONCE(t->bucket[i].first);
		for (; node && taken < TIDY_AT_ONCE; node = next) {
			k = hlist_entry(node, struct iob_keyed, node);
			next = READ_ONCE(node->next);
			if (!t->tidy(k))
				continue;
			taken++;
			keyed_remove(t, k);
			synchronize_rcu();
			/* a probe that had found it before may have added to it */
			if (t->tidy(k) || !keyed_put_back(t, k))
				keyed_free(t, k);
		}
		mutex_unlock(&t->walk);
		cond_resched();
	}
	iob_work_queue_delayed(&t->tidy_work, taken < TIDY_AT_ONCE ? TIDY_EVERY : HZ);
}

/**
 * iob_keyed_each - look at each object
 * @t:    the table
 * @look: is called with an object and @arg, may sleep; false: look no further
 * @arg:  anything
 *
 * An object that is added meanwhile may be missed; none is removed.  May sleep, and waits for the
 * worker that removes objects.  Return: false if @look said so.
 */
bool iob_keyed_each(struct iob_keyed_table *t, bool (*look)(struct iob_keyed *k, void *arg),
		    void *arg)
{
	struct hlist_node *node;
	bool more = true;
	unsigned int i;

	mutex_lock(&t->walk);
	for (i = 0; more && i < ARRAY_SIZE(t->bucket); i++) {
		node = READ_ONCE(t->bucket[i].first);
		for (; more && node; node = READ_ONCE(node->next))
			more = look(hlist_entry(node, struct iob_keyed, node), arg);
		cond_resched();
	}
	mutex_unlock(&t->walk);
	return more;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM; iob_keyed_stop() undoes it. */
int iob_keyed_start(struct iob_keyed_table *t)
{
	int err = iob_pool_start(&t->pool);

	if (!err)
		iob_work_queue_delayed(&t->tidy_work, TIDY_EVERY);
	return err;
}

/* The session ends: free all objects.  May sleep; no probe is attached. */
void iob_keyed_stop(struct iob_keyed_table *t)
{
	struct hlist_node *next;
	struct iob_keyed *k;
	unsigned int i;

	cancel_delayed_work_sync(&t->tidy_work);
	for (i = 0; i < ARRAY_SIZE(t->bucket); i++) {
		hlist_for_each_entry_safe(k, next, &t->bucket[i], node) {
			keyed_remove(t, k);
			keyed_free(t, k);
			cond_resched();
		}
	}
	iob_pool_stop(&t->pool);
}

/* Module load.  Return: 0 or -ENOMEM; iob_keyed_exit() undoes it. */
int iob_keyed_init(struct iob_keyed_table *t)
{
	mutex_init(&t->walk);
	raw_spin_lock_init(&t->lock);
	INIT_DEFERRABLE_WORK(&t->tidy_work, keyed_tidy);
	return iob_pool_init(&t->pool);
}

/* Module unload, after iob_keyed_stop(). */
void iob_keyed_exit(struct iob_keyed_table *t)
{
	iob_pool_exit(&t->pool);
}

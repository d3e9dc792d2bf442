/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keyed - an object for each file system, journal or disk that is in use
 *
 * An object is made when its key is first used, and freed by a worker when it was idle for
 * long.  A key is an address that is compared and never followed.  When what is there ends, the
 * object is found no more (iob_keyed_forget()): another one may have the address next.
 *
 * Example: 200 file systems are mounted, and each journal has an object with the participants
 * of its transactions.  Fifteen minutes after a journal was last used its object is freed.
 */
#ifndef IOB_CORE_KEYED_H
#define IOB_CORE_KEYED_H

#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/rcu.h>

#include "pool.h"

/* The head of each object. */
struct iob_keyed {
	struct hlist_node node;	/* RCU for reads */
	const void *key;	/* no lock; NULL: forgotten */
};

#define IOB_KEYED_BITS	10

struct iob_keyed_table {
	/* set by the owner; the pool's name, size and at_first too */
	struct iob_pool pool;
	/* A new object; nothing of it is set but the key.  Any context but NMI. */
	void (*begin)(struct iob_keyed *k);
	/*
	 * Drop what is old; all, if the object is forgotten.  In a worker, may sleep.  Return: true
	 * if the object may go.
	 */
	bool (*tidy)(struct iob_keyed *k);
	/* Count that what was just added to an object goes with it.  Any context. */
	void (*evicted)(void);
	/* No probe finds the object any more.  In a worker, or no probe is attached. */
	void (*end)(struct iob_keyed *k);
	/* the table's own */
	struct mutex walk;	/* of who removes objects, and of who walks over them */
	raw_spinlock_t lock;	/* for additions and removals */
	u32 nr;			/* under the lock */
	struct hlist_head bucket[1 << IOB_KEYED_BITS];
	struct delayed_work tidy_work;
};

int iob_keyed_init(struct iob_keyed_table *t);
void iob_keyed_exit(struct iob_keyed_table *t);
int iob_keyed_start(struct iob_keyed_table *t);
void iob_keyed_stop(struct iob_keyed_table *t);
struct iob_keyed *iob_keyed_make(struct iob_keyed_table *t, const void *key);
void iob_keyed_forget(struct iob_keyed_table *t, const void *key);
bool iob_keyed_each(struct iob_keyed_table *t, bool (*look)(struct iob_keyed *k, void *arg),
		    void *arg);

/* The object of a key, or NULL.  Any context, inside iob_read_lock(). */
static inline struct iob_keyed *iob_keyed_find(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k;

	hlist_for_each_entry_rcu(k, &t->bucket[hash_ptr(key, IOB_KEYED_BITS)], node,
				 iob_read_held()) {
		if (READ_ONCE(k->key) == key)
			return k;
	}
	return NULL;
}

/**
 * iob_keyed_get - the object of a key
 * @t:   the table
 * @key: the key
 *
 * Makes the object if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: NULL without room or memory, which the caller counts.
 */
static inline struct iob_keyed *iob_keyed_get(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k = iob_keyed_find(t, key);

	return likely(k) ? k : iob_keyed_make(t, key);
}

#endif

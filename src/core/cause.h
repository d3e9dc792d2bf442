/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cause - a role with an intent: what is noted of whoever dirties a page
 *
 * Example: role "pid-812 (dd)" writes by intent 12: cause 70017.  All pages that dd dirties
 * by this stack have this cause, whatever file they are of.  The number of causes follows
 * from the programs that run, not from the files that they touch.
 *
 * A reference to a cause is a u64.  It can be kept anywhere, and finds nothing once the
 * cause is freed:
 *
 *     63            32 31     21      20      19            0
 *    +----------------+---------+-----------+---------------+
 *    |   generation   |   tag   | inherited |    number     |
 *    +----------------+---------+-----------+---------------+
 *
 * The tag tells which file the reference is about, see iob_cause_tagged().  The low half is
 * the entry of a page in the dirtier table.
 *
 * Each role has a last resort, a cause with no intent, that is made and freed with the role
 * and has the role's id.  It is taken where no cause can be made.
 */
#ifndef IOB_CORE_CAUSE_H
#define IOB_CORE_CAUSE_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/ioblame.h>

#include "file.h"
#include "index.h"

#define IOB_CAUSE_BITS		20
#define IOB_CAUSE_NUMBER	(BIT_ULL(IOB_CAUSE_BITS) - 1)
/* another task does it, on the role's behalf */
#define IOB_CAUSE_INHERITED	BIT_ULL(IOB_CAUSE_BITS)
#define IOB_CAUSE_TAG_SHIFT	(IOB_CAUSE_BITS + 1)
#define IOB_CAUSE_TAG		(0xffffffffULL & ~(BIT_ULL(IOB_CAUSE_TAG_SHIFT) - 1))

/* references to the special causes: they have no tag, and are not inherited */
#define IOB_CAUSE_NONE		0ULL	/* none is known */
#define IOB_CAUSE_NOMEM		1ULL	/* the role could not be made */
#define IOB_CAUSE_LOST		2ULL	/* not known any more */

struct iob_cause {
	struct iob_node node;
	u64 role;		/* id */
	u32 intent;		/* number */
	u32 used;		/* iob_cause_now() when something was last noted for it */
	bool kthread;		/* the role is a kernel thread's */
	bool dead;		/* buried: not to be used for anything new */
	atomic64_t cancelled;	/* pages that became clean without a write */
};

int iob_causes_init(u32 max_roles, u32 max);
void iob_causes_exit(void);
u64 iob_cause_get(u64 role, u32 intent);
u64 iob_cause_modified(u64 ref, u32 modifier);
void iob_cause_add_last(struct iob_cause *cause, u64 role, bool kthread);
void iob_cause_remove_last(struct iob_cause *cause);
struct iob_cause *iob_cause_next(u32 *nr);
u32 iob_causes_count(void);
void iob_cause_bury(struct iob_cause *cause);
void iob_cause_free(struct iob_cause *cause);
int iob_causes_cache_init(void);
void iob_causes_cache_exit(void);

extern struct iob_index iob_causes;

/* The number of the cause that a reference or an entry names. */
static __always_inline u32 iob_cause_number(u64 ref)
{
	return ref & IOB_CAUSE_NUMBER;
}

/* The cause's id: the reference without a tag, not inherited. */
static __always_inline u64 iob_cause_id(u64 ref)
{
	return ref & ~(IOB_CAUSE_TAG | IOB_CAUSE_INHERITED);
}

/* The cause that @ref names, or NULL if it was reclaimed.  Inside iob_read_lock(). */
static __always_inline struct iob_cause *iob_cause_of(u64 ref)
{
	struct iob_node *node = iob_index_nr(&iob_causes, iob_cause_number(ref));

	return node && node->id == iob_cause_id(ref) ?
	       container_of(node, struct iob_cause, node) : NULL;
}

/*
 * The cause that @ref names is still needed: set its number's bit in @causes.  Inside
 * iob_read_lock().
 */
static inline void iob_cause_mark(u64 ref, unsigned long *causes)
{
	const struct iob_cause *cause = iob_cause_of(ref);

	if (cause)
		__set_bit(iob_id_nr(cause->node.id), causes);
}

/* The cause that has this number now, or NULL.  Inside iob_read_lock(). */
static __always_inline struct iob_cause *iob_cause_nr(u32 nr)
{
	struct iob_node *node = iob_index_nr(&iob_causes, nr);

	return node ? container_of(node, struct iob_cause, node) : NULL;
}

/*
 * 32 well mixed bits of a file and of the time since when its device is watched
 * (iob_disk_epoch()).
 */
static __always_inline u32 iob_file_hash(const struct iob_file *file, u32 epoch)
{
	u64 x = file->ino * GOLDEN_RATIO_64;

	x ^= (u64)file->dev << 32 | file->gen;
	x = (x + epoch) * GOLDEN_RATIO_64;
	return x >> 32;
}

/* The tag bits of references of this generation about the file of @hash. */
static __always_inline u32 iob_cause_tag(u64 ref, u32 hash)
{
	return (hash ^ (u32)(ref >> 32) * GOLDEN_RATIO_32) & (u32)IOB_CAUSE_TAG;
}

/*
 * @ref with the tag of a file.  It tells an entry that is left from another file, from an
 * earlier cause with this number, or from before the device was last watched: one such in
 * 2048 is taken for the file's own.
 */
static __always_inline u64 iob_cause_tagged(u64 ref, u32 hash)
{
	if (unlikely(ref <= IOB_CAUSE_LOST))
		return ref;
	return (ref & ~IOB_CAUSE_TAG) | iob_cause_tag(ref, hash);
}

/* True if @ref has the tag of the file of @hash, or names a special cause. */
static __always_inline bool iob_cause_is_about(u64 ref, u32 hash)
{
	return ref <= IOB_CAUSE_LOST ||
	       (ref & IOB_CAUSE_TAG) == iob_cause_tag(ref, hash);
}

/*
 * The reference that the entry of a page stands for, if the entry is about the file of
 * @hash; else IOB_CAUSE_NONE.  Inside iob_read_lock().
 */
static __always_inline u64 iob_cause_of_entry(u32 entry, u32 hash)
{
	const struct iob_cause *cause;
	u64 ref;

	if (unlikely(entry <= IOB_CAUSE_LOST))
		return entry;
	cause = iob_cause_nr(iob_cause_number(entry));
	if (unlikely(!cause))
		return IOB_CAUSE_NONE;
	ref = (cause->node.id & ~0xffffffffULL) | entry;
	return iob_cause_is_about(ref, hash) ? ref : IOB_CAUSE_NONE;
}

/* How sure it is that the role pays for what was noted with @ref, of @cause or NULL. */
static __always_inline enum iob_how iob_cause_how(u64 ref, const struct iob_cause *cause)
{
	if (unlikely(!cause || ref <= IOB_CAUSE_LOST))
		return IOB_HOW_LOST;
	/* a kernel thread works for another task, which is unknown here */
	if (cause->kthread)
		return IOB_HOW_SUBMITTER;
	return ref & IOB_CAUSE_INHERITED ? IOB_HOW_INHERITED : IOB_HOW_EXACT;
}

/*
 * What objects that are in use note, to be reclaimed in this order.  One more for each look of
 * io/reclaim, about a second: while the looks are late nothing grows old.
 */
struct iob_use {
	union {
		struct {
			u32 tick;
			u32 pipe;	/* the generation of counters_pipe, acts only */
		};
		u64 both;	/* for one comparison; a torn pair is mended by the next IO */
	};
};

extern struct iob_use iob_use_now;

static __always_inline u32 iob_cause_now(void)
{
	return READ_ONCE(iob_use_now.tick);
}

/* Note that a cause is in use.  Writes once a tick only, so that CPUs share the line. */
static __always_inline void iob_cause_touch(struct iob_cause *cause)
{
	u32 now = iob_cause_now();

	if (READ_ONCE(cause->used) != now)
		WRITE_ONCE(cause->used, now);
}

/*
 * As iob_cause_touch(), of a cause that was noted before: it is noted for something that the
 * reclaim of causes may have passed.  Inside iob_read_lock().
 */
static __always_inline void iob_cause_touch_nr(u32 nr)
{
	struct iob_cause *cause = iob_cause_nr(nr);

	if (cause)
		iob_cause_touch(cause);
}

#endif

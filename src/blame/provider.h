/* SPDX-License-Identifier: GPL-2.0 */
/*
 * provider - the seam to a file system or a driver
 *
 * All that is known of one file system is in src/fs, of one stacking driver in
 * src/stacked, and of their private structs in include/compat.  Each has one struct
 * iob_provider, which src/registry.c lists.  blame/ and io/ ask through it, on slow paths
 * only: a direct IO, or a page that is dirtied like the last one, asks no provider.
 *
 * Example: a worker submits a bio whose pages belong to no file.  blame/origin asks each
 * provider that has @extent; the one whose worker compresses data says that the pages were
 * made of 128 KiB of a file that dd dirtied.
 */
#ifndef IOB_BLAME_PROVIDER_H
#define IOB_BLAME_PROVIDER_H

#include <linux/fs.h>

#include "core/cause.h"
#include "share.h"

struct bio;
struct buffer_head;
struct iob_assoc_kind;
struct iob_hook_list;
struct iob_layout;
struct iob_stack;
struct iob_task;
struct iob_task_part;
struct iob_transaction_write;

/* An extent of a file that is written from pages which belong to no file. */
struct iob_extent {
	u64 bytes;		/* of the file; 0: none */
	struct iob_origin origin;	/* the dirtiers of the file's pages */
	struct iob_file file;
};

/* Consecutive pages of a file that were compressed together into other pages. */
struct iob_cluster {
	struct inode *host;	/* NULL: none */
	unsigned long first;	/* index of the first page in the file */
	unsigned int nr;	/* how many pages, a power of 2 */
	unsigned int nth;	/* which of the compressed pages this one is */
};

#define IOB_PROVIDER_PARTS	2
#define IOB_PROVIDER_ASSOCS	6
#define IOB_PROVIDER_LAYOUTS	4

/* Members are NULL or 0 where there is nothing to say. */
struct iob_provider {
	const struct iob_hook_list *hooks;	/* see hooks/hook.h */
	/* what it keeps of each task */
	struct iob_task_part *part[IOB_PROVIDER_PARTS];
	/* kinds of objects that it notes */
	struct iob_assoc_kind *assoc[IOB_PROVIDER_ASSOCS];
	/* private structs that it reads */
	struct iob_layout *layout[IOB_PROVIDER_LAYOUTS];
	/* super block's magic number, and the last inode number that is its metadata */
	unsigned long magic;
	unsigned long last_metadata_ino;

	/* Module load: what io/ or hooks/ must be told.  Return: 0 or a negative errno. */
	int (*init)(void);
	/* May sleep.  A session begins; before any of its probes.  Return: 0 or -ENOMEM. */
	int (*start)(void);
	/* May sleep.  The session ends, or did not begin; no probe is attached. */
	void (*stop)(void);

	/*
	 * All below: any context but NMI, inside iob_read_lock(); stacks are those of the
	 * current task.
	 */

	/* Whether bios with @sb's pages carry pages of several files, or bounce pages. */
	bool (*mixes_files)(const struct super_block *sb);
	/* If @page is a bounce page, the page that it stands for; else @page. */
	struct page *(*bounced)(struct page *page);
	/* Whether @page was compressed from pages of a file; @c says which. */
	bool (*cluster)(struct page *page, struct iob_cluster *c);

	/* Whether @extent may know any of the current task's bios: asked first. */
	bool (*extent_any)(const struct iob_task *t);
	/*
	 * The extent that @bio writes, or NULL.  It is @room, whose origin the caller frees,
	 * or the provider's own.
	 */
	const struct iob_extent *(*extent)(struct iob_task *t, const struct bio *bio,
					   const struct iob_stack *stack,
					   struct iob_extent *room);
	/* Whether @bh is a journal's, which notes who changes it. */
	bool (*logs)(const struct buffer_head *bh);
	/* Whether the task discards what transactions freed; @what says which. */
	bool (*discards)(const struct iob_task *t, const struct iob_stack *stack,
			 struct iob_transaction_write *what);
};

/*
 * Defines a provider: IOB_PROVIDER(name) = { .hooks = ... };  src/registry.c lists the name.
 */
#define IOB_PROVIDER(name)					\
	extern const struct iob_provider iob_provider_##name;	\
	const struct iob_provider iob_provider_##name

#define IOB_MAX_PROVIDERS	24

/* The providers that have an operation, NULL behind the last. */
struct iob_provider_list {
	const struct iob_provider *p[IOB_MAX_PROVIDERS + 1];
};

extern struct iob_provider_list iob_providers;		/* all */
extern struct iob_provider_list iob_providers_bounce;	/* with bounced or cluster */
extern struct iob_provider_list iob_providers_extent;	/* with extent */
extern struct iob_provider_list iob_providers_discard;	/* with discards */

#define iob_for_each_provider(pos, list)	\
	for ((pos) = (list)->p; *(pos); (pos)++)

int iob_provider_add(const struct iob_provider *p);
int iob_providers_start(void);
void iob_providers_stop(void);

bool iob_provider_mixes_files(const struct super_block *sb);
bool iob_provider_logs(const struct buffer_head *bh);
struct page *iob_provider_bounced(struct page *page);
bool iob_provider_cluster(struct page *page, struct iob_cluster *c);

#endif

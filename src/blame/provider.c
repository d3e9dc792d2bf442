// SPDX-License-Identifier: GPL-2.0
#include "association.h"
#include "core/layout.h"
#include "core/metadata.h"
#include "core/task.h"
#include "provider.h"

/* All are constant once the module is loaded. */
struct iob_provider_list iob_providers;
struct iob_provider_list iob_providers_bounce;
static struct iob_provider_list providers_mix;	/* with mixes_files */
static struct iob_provider_list providers_log;	/* with logs */
struct iob_provider_list iob_providers_extent;
struct iob_provider_list iob_providers_discard;

static void provider_list_add(struct iob_provider_list *list, const struct iob_provider *p)
{
	unsigned int i = 0;

	while (list->p[i])
		i++;
	list->p[i] = p;
}

static int provider_add_objects(const struct iob_provider *p)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < IOB_PROVIDER_PARTS && p->part[i]; i++)
		err = iob_task_part_add(p->part[i]);
	for (i = 0; !err && i < IOB_PROVIDER_ASSOCS && p->assoc[i]; i++)
		err = iob_assoc_kind_add(p->assoc[i]);
	for (i = 0; !err && i < IOB_PROVIDER_LAYOUTS && p->layout[i]; i++)
		err = iob_layout_add(p->layout[i]);
	if (!err && p->last_metadata_ino)
		err = iob_metadata_add(p->magic, p->last_metadata_ino);
	return err;
}

/**
 * iob_provider_add - a file system or driver takes part
 * @p: what it knows
 *
 * At module load, before iob_tasks_init().  Return: 0, -E2BIG or -EEXIST.
 */
int iob_provider_add(const struct iob_provider *p)
{
	int err;

	if (WARN_ON(iob_providers.p[IOB_MAX_PROVIDERS - 1]))
		return -E2BIG;
	provider_list_add(&iob_providers, p);
	if (p->bounced || p->cluster)
		provider_list_add(&iob_providers_bounce, p);
	if (p->mixes_files)
		provider_list_add(&providers_mix, p);
	if (p->logs)
		provider_list_add(&providers_log, p);
	if (p->extent)
		provider_list_add(&iob_providers_extent, p);
	if (p->discards)
		provider_list_add(&iob_providers_discard, p);
	err = provider_add_objects(p);
	return err || !p->init ? err : p->init();
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM; iob_providers_stop() undoes it. */
int iob_providers_start(void)
{
	const struct iob_provider **p;
	int err = 0;

	iob_for_each_provider(p, &iob_providers) {
		if (!err && (*p)->start)
			err = (*p)->start();
	}
	return err;
}

/* The session ends.  May sleep; no probe is attached. */
void iob_providers_stop(void)
{
	const struct iob_provider **p;

	iob_for_each_provider(p, &iob_providers) {
		if ((*p)->stop)
			(*p)->stop();
	}
}

/* Whether bios with @sb's pages carry pages of several files.  Inside iob_read_lock(). */
bool iob_provider_mixes_files(const struct super_block *sb)
{
	const struct iob_provider **p;

	iob_for_each_provider(p, &providers_mix) {
		if ((*p)->mixes_files(sb))
			return true;
	}
	return false;
}

/* Whether a journal notes who changes @bh.  Inside iob_read_lock(). */
bool iob_provider_logs(const struct buffer_head *bh)
{
	const struct iob_provider **p;

	iob_for_each_provider(p, &providers_log) {
		if ((*p)->logs(bh))
			return true;
	}
	return false;
}

/* The page that @page is the bounce page of, or @page.  Inside iob_read_lock(). */
struct page *iob_provider_bounced(struct page *page)
{
	const struct iob_provider **p;

	iob_for_each_provider(p, &iob_providers_bounce) {
		struct page *own = (*p)->bounced ? (*p)->bounced(page) : page;

		if (own != page)
			return own;
	}
	return page;
}

/* Whether @page was compressed from pages of a file, @c.  Inside iob_read_lock(). */
bool iob_provider_cluster(struct page *page, struct iob_cluster *c)
{
	const struct iob_provider **p;

	c->host = NULL;
	iob_for_each_provider(p, &iob_providers_bounce) {
		if ((*p)->cluster && (*p)->cluster(page, c))
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/memcg - the memory cgroup that a folio is charged to
 *
 * Hides: page_memcg() replaced page->mem_cgroup in 5.11 (bcfe06bf2622), and folio_memcg()
 * replaced page_memcg() in 5.16 (1b7e4464d43a).
 */
#ifndef IOB_COMPAT_MEMCG_H
#define IOB_COMPAT_MEMCG_H

#include <linux/cgroup.h>
#include <linux/memcontrol.h>

#include <compat/folio.h>

/*
 * The id of the folio's cgroup, 0 if it has none or if that is not of the unified hierarchy.
 * Any context; the folio is locked or under writeback.
 */
static inline u64 iob_folio_cgroup(struct iob_folio *f)
{
	u64 id = 0;
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;

	rcu_read_lock();
#if defined(IOB_HAVE_FOLIO)
	memcg = folio_memcg(f);
#elif defined(IOB_HAVE_PAGE_MEMCG)
	memcg = page_memcg(f);
#else
	memcg = READ_ONCE(f->mem_cgroup);
#endif
	if (memcg && memcg->css.cgroup->root == &cgrp_dfl_root)
		id = cgroup_id(memcg->css.cgroup);
	rcu_read_unlock();
#endif
	return id;
}

#endif

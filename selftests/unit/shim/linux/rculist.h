/* SPDX-License-Identifier: GPL-2.0 */
/* As the kernel's, for one thread. */
#ifndef SHIM_LINUX_RCULIST_H
#define SHIM_LINUX_RCULIST_H

#include <linux/list.h>

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
}

/* (who is at it still finds the next one) */
static inline void hlist_del_rcu(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->pprev = NULL;
}

#define hlist_entry(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))

#define hlist_of(p, type, member)					\
	((p) ? hlist_entry(p, type, member) : (type *)NULL)

#define hlist_for_each_entry_rcu(pos, head, member, held)		\
	for (pos = hlist_of((head)->first, __typeof__(*pos), member); pos;	\
	     pos = hlist_of(pos->member.next, __typeof__(*pos), member))

#define hlist_for_each_entry_safe(pos, n, head, member)			\
	for (pos = hlist_of((head)->first, __typeof__(*pos), member);	\
	     pos && ((n) = pos->member.next, true);			\
	     pos = hlist_of(n, __typeof__(*pos), member))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* As the kernel's, for a few objects. */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }

static inline void list_add(struct list_head *new, struct list_head *head)
{
	new->next = head->next;
	new->prev = head;
	head->next->prev = new;
	head->next = new;
}

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
	list_add(new, head->prev);
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = NULL;
	entry->prev = NULL;
}

static inline void list_move(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add(entry, head);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

#define list_of(p, type, member)	((type)((char *)(p) - offsetof(__typeof__(*(type)0), member)))

#define list_first_entry_or_null(head, type, member)				\
	((head)->next == (head) ? NULL : list_of((head)->next, type *, member))

#define list_for_each_entry_safe(pos, n, head, member)				\
	for (pos = list_of((head)->next, __typeof__(pos), member),		\
	     n = list_of(pos->member.next, __typeof__(pos), member);		\
	     &pos->member != (head);						\
	     pos = n, n = list_of(n->member.next, __typeof__(n), member))

#endif

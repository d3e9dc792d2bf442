/* SPDX-License-Identifier: GPL-2.0 */
/* As the kernel's, without any balance. */
#ifndef SHIM_LINUX_RBTREE_H
#define SHIM_LINUX_RBTREE_H

#include <stddef.h>

struct rb_node {
	struct rb_node *parent, *rb_left, *rb_right;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT	(struct rb_root){ NULL }

#define rb_entry(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define rb_entry_safe(p, type, member)	__extension__ ({		\
	struct rb_node *rb_safe = (p);					\
	rb_safe ? rb_entry(rb_safe, type, member) : NULL;		\
})
#define rb_insert_color(node, root)	((void)(node))

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	*node = (struct rb_node){ .parent = parent };
	*link = node;
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right;

	if (next) {
		while (next->rb_left)
			next = next->rb_left;
		return next;
	}
	for (next = node->parent; next && node == next->rb_right; next = next->parent)
		node = next;
	return next;
}

/* @by takes the place of @node, whose children it does not take. */
static inline void shim_rb_replace(struct rb_node *node, struct rb_node *by, struct rb_root *root)
{
	struct rb_node **link = &root->rb_node;

	if (node->parent)
		link = node == node->parent->rb_left ? &node->parent->rb_left :
						       &node->parent->rb_right;
	*link = by;
	if (by)
		by->parent = node->parent;
}

static inline void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left || !node->rb_right) {
		shim_rb_replace(node, node->rb_left ? node->rb_left : node->rb_right, root);
		return;
	}
	next = rb_next(node);
	shim_rb_replace(next, next->rb_right, root);
	shim_rb_replace(node, next, root);
	next->rb_left = node->rb_left;
	next->rb_right = node->rb_right;
	next->rb_left->parent = next;
	if (next->rb_right)
		next->rb_right->parent = next;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flame - a tree of stacks, printed as folded text or as a flame graph
 *
 * Pure.
 */
#ifndef IOBLAME_FLAME_H
#define IOBLAME_FLAME_H

#include <stdint.h>

struct flame;

struct flame *flame_new(void);
void flame_add(struct flame *f, const char *const *frame, unsigned int nr, uint64_t weight);
void flame_free(struct flame *f);
void flame_folded(const struct flame *f, void (*line)(const char *text));
void flame_svg(const struct flame *f, const char *title, const char *unit, const char *script,
	       void (*line)(const char *text));
void flame_walk(const struct flame *f, uint64_t least,
		void (*one)(const char *name, unsigned int level, uint64_t weight, void *arg),
		void *arg);
uint64_t flame_least(const struct flame *f, unsigned int most);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wants - which words of -D, -p, -c, -u, -g and --file matched nothing, and what there was
 *
 * Example: of `-g nosuch`, at the end: "-g nosuch matches nothing; there is IO of: /a, /b".
 */
#ifndef IOBLAME_WANTS_H
#define IOBLAME_WANTS_H

#include <stdbool.h>
#include <stdint.h>

enum want {
	WANT_DEVICE,
	WANT_PID,
	WANT_COMM,
	WANT_USER,
	WANT_CGROUP,
	WANT_FILE,
	NR_WANTS,
};

enum {
	WANTS_SEEN = 12,
};

struct wants {
	uint32_t open[NR_WANTS];	/* a bit for each word that matched nothing yet */
	char *seen[NR_WANTS][WANTS_SEEN];
	unsigned int nr_seen[NR_WANTS];
	bool more[NR_WANTS];
	uint64_t all, passed;		/* records */
};

void wants_begin(struct wants *w, enum want want, unsigned int nr);
bool wants_are_open(const struct wants *w);
void wants_matched(struct wants *w, enum want want, unsigned int i);
void wants_see(struct wants *w, enum want want, const char *what);
void wants_print(const struct wants *w, enum want want, const char *option, unsigned int i,
		 const char *word);
void wants_free(struct wants *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the units of prog/fuzzwrite.c share.
 *
 *	text	makes texts of a grammar: valid, nearly valid, random
 *	model	knows what each file answers to a text, and what it then reads
 *	way	writes a text in one of many ways, and compares with the model
 *	reads	reads in many ways, also what cannot be written
 *	cover	notes what the kernel ran meanwhile (KCOV)
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_MAX	4096		/* bytes of a write, as the reference says */
#define TEXT_MAX	((1 << 20) + 64)
#define MAX_COUNTERS	256
#define SHOWN_MAX	(3 * INPUT_MAX)	/* a filter is explained in two lines of its size */

/* Numbers of one write: those of another write do not depend on them. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 to @n - 1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

static inline bool rng_one_in(struct rng *r, uint64_t n)
{
	return !rng_below(r, n);
}

struct text {
	char *data;		/* TEXT_MAX bytes */
	size_t len;
};

enum kind {
	NUMBER, WORD, ENABLE, DEVS, SPEC, FILTER, TRUST, BOOL, READ_ONLY, NR_KINDS
};

extern const char *const kind_names[NR_KINDS];

struct target {
	const char *path;
	enum kind kind;
	uint64_t min, max;		/* of a NUMBER */
	const char *const *words;	/* of a WORD */
	bool while_disabled;		/* EBUSY while enabled */
	unsigned int weight;
	int nr;				/* of a counter */
	char *shown;			/* what it reads, without the last newline */
	int fd;				/* open for reading, or -1 */
};

/* A file that is open for writing. */
struct opened {
	struct target *t;
	int fd;
	bool clear;		/* of devs: the next valid write replaces the list */
	bool wrote;
};

/* What a write must answer. */
struct verdict {
	int err;		/* 0: all of it is taken */
	int err2;		/* or this one */
	bool unsure;		/* or the other way; what it reads is asked */
	size_t taken;		/* how much of it, if it is taken */
	char shown[SHOWN_MAX];	/* what is read afterwards */
};

/* Options */
extern bool loose;		/* others write, too: state is not known */
extern bool partial;		/* others write to other files */
extern const char *iob;		/* the module's folder; model_begin() */

/* text.c */
void text_begin(const char *corpus);
void text_keep(enum kind kind, const char *data, size_t len);
void text_make(struct rng *r, const struct target *t, struct text *x);
const char *text_escape(const char *data, size_t len);

/* model.c */
void model_begin(char *devices);
struct target *model_pick(struct rng *r, const char *only);
struct target *model_nth(unsigned int nr);
struct target *model_counter(unsigned int nr, bool filter);
unsigned int model_nr_counters(void);
struct target *model_nr_counters_target(void);
void model_refresh(void);
bool model_enabled(void);
bool model_is_current(enum kind kind, const char *text);
void model_expect(const struct opened *o, const char *data, size_t len, struct verdict *v);
void model_took(struct opened *o, const struct verdict *v);
void model_learn(struct target *t);
ssize_t model_read(struct target *t, char *to, size_t size);
bool model_well_formed(struct target *t, const char *shown);

/* devs.c */
void devs_begin(char *devices);
const char *devs_word(struct rng *r);
void devs_expect(const char *shown, bool clear, char *text, struct verdict *v);

/* spec.c */
bool spec_expect(const char *text, char *shown);

/* filter.c */
bool filter_valid(const char *text);
bool filter_explained(const char *text, const char *shown);

/* way.c */
struct tally {
	unsigned long writes, taken, reads, wrong;
	unsigned long refused[256];	/* by errno */
	unsigned long kinds[NR_KINDS];
};

extern struct tally tally;
extern uint64_t case_nr, case_seed;

void way_write(struct rng *r, struct target *t, const struct text *x);
void complain(const struct target *t, const char *how, const char *data, size_t len,
	      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* reads.c */
void reads_begin(void);
void reads_some(struct rng *r);

/* cover.c */
void cover_begin(void);
void cover_start(void);
bool cover_stop(void);
void cover_save(const char *file);

#endif

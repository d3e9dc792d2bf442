// SPDX-License-Identifier: GPL-2.0
/*
 * An unwinder goes from frame to frame by rules that depend on nothing but the
 * return address: where the caller's frame lies, counted from the stack pointer
 * (mostly) or from the frame pointer (in functions that realign their stack or
 * have room of variable size), and where the caller's frame pointer was saved.
 * Looking up the rules is what costs.  So a stack is known again without them:
 *
 * - Frame by frame, from the innermost outwards: when the frame begins at the
 *   place it did, and the address found where the return address was is the
 *   same, then it is the return address, its rules are the same, and if they
 *   count from the stack pointer, the next frame begins at the place it did.
 * - If they may count from the frame pointer - if that points into the frame -
 *   then the frame pointer has to have the same value, too.  Which word of the
 *   stack it was loaded from we are not told.  But it was loaded from one that
 *   the frames further in hold, and that has its value: all such words have to
 *   point to where they did.  So has what may say where the frame ends.
 *
 * "The same place" is a distance from the stack pointer.  The kernel's entry
 * moves the stack by a random distance on each system call, in the one frame
 * that lies between those and what is fixed at the stack's end.  What lies
 * above it is counted from the end, and so is where its frame pointer points.
 * A stack without such a frame has to be as deep as it was.
 */
#include "slot.h"

#define MAX_EVIDENCE	8
#define LIVE		IOB_STACK_SLOT_LIVE
#define NEAR_END	512		/* bytes: user's registers and a little */
#define MAX_STACK	(LIVE * sizeof(long))

/* from where the frame pointer at hand may have been loaded */
struct evidence {
	unsigned long at[MAX_EVIDENCE];	/* addresses; 0: the register */
	unsigned int nr;		/* above MAX_EVIDENCE: too many */
};

static unsigned long word(unsigned long at)
{
	return *(const unsigned long *)at;
}

static bool counts_from_bp(const struct iob_frame *f)
{
	return f[0].bp >= f[0].sp && f[0].bp < f[1].sp;
}

static void add_evidence(struct evidence *e, unsigned long at)
{
	if (e->nr < MAX_EVIDENCE)
		e->at[e->nr] = at;
	if (e->nr <= MAX_EVIDENCE)
		e->nr++;
}

/* What @f's caller has in the frame pointer comes from one of these. */
static void next_evidence(struct evidence *e, const struct iob_frame *f)
{
	unsigned long at;

	if (f[1].bp != f[0].bp)
		e->nr = 0;
	for (at = f[0].sp; at < f[1].sp - sizeof(long); at += sizeof(long)) {
		if (word(at) == f[1].bp)
			add_evidence(e, at);
	}
}

/* a walk being learned */
struct walk {
	struct iob_stack_slot *m;
	const struct iob_frame *f;
	unsigned int nr;	/* frames beyond the first */
	unsigned int hinge;	/* the frame with room at random, or nr */
	unsigned long end;
};

static bool add_proof(struct walk *w, unsigned long at, unsigned long value,
		      bool to_end)
{
	struct iob_guard *p = &w->m->guard[w->m->nr_guards];

	if (w->m->nr_guards == IOB_STACK_SLOT_GUARDS)
		return false;
	w->m->nr_guards++;
	p->to_end = to_end;
	p->place = at ? (at - w->f[0].sp) / sizeof(long) : LIVE;
	p->offset = value - (to_end ? w->end : w->f[0].sp);
	return true;
}

/* Frame @k may count from the frame pointer. */
static bool prove(struct walk *w, unsigned int k, const struct evidence *e)
{
	const struct iob_frame *f = &w->f[k];
	bool hinge = k == w->hinge;
	unsigned long at;
	unsigned int i;

	if (!e->nr || e->nr > MAX_EVIDENCE)
		return false;
	for (i = 0; i < e->nr; i++) {
		if (!add_proof(w, e->at[i], f[0].bp, hinge))
			return false;
	}
	/* this one is known to need no more */
	if (hinge)
		return true;
	for (at = f[0].sp; at < f[1].sp - sizeof(long); at += sizeof(long)) {
		if (word(at) == f[1].sp && !add_proof(w, at, f[1].sp, false))
			return false;
	}
	return true;
}

/*
 * The frame with room at random: the last that may count from the frame pointer
 * if it does so for certain, and is near the end.  No variable can be where it
 * points to then: right below a return address registers are saved.  (The end
 * of an array could, right below a single one; but a function with an array has
 * a canary there, and the last one before the end is the kernel's entry.)
 */
static unsigned int find_hinge(const struct walk *w)
{
	unsigned int k;

	for (k = w->nr; k--;) {
		const struct iob_frame *f = &w->f[k];

		if (!counts_from_bp(f))
			continue;
		if (f[1].sp - f[0].bp == 2 * sizeof(long) &&
		    w->end - f[1].sp < NEAR_END)
			return k;
		break;
	}
	return w->nr;
}

/* Whether frames follow each other up the stack, each entered by a call. */
static bool is_sound(const struct walk *w)
{
	const struct iob_frame *f = w->f;
	unsigned int k;

	if (!w->nr || w->nr > IOB_STACK_SLOT_FRAMES || f[0].sp % sizeof(long) ||
	    f[0].sp >= w->end || w->end - f[0].sp >= MAX_STACK)
		return false;
	for (k = 0; k < w->nr; k++) {
		if (f[k + 1].sp <= f[k].sp || f[k + 1].sp > w->end ||
		    f[k + 1].sp % sizeof(long) ||
		    word(f[k + 1].sp - sizeof(long)) != f[k + 1].ip)
			return false;
	}
	return true;
}

/* What is compared with the least work comes first, and the register last. */
static unsigned int rank(const struct iob_guard *p)
{
	if (p->place == LIVE)
		return 2;
	return p->to_end;
}

static void sort_proofs(struct iob_stack_slot *m)
{
	unsigned int i, nr = 0, r;

	for (r = 0; r <= 2; r++) {
		for (i = nr; i < m->nr_guards; i++) {
			struct iob_guard p = m->guard[i];

			if (rank(&p) != r)
				continue;
			m->guard[i] = m->guard[nr];
			m->guard[nr++] = p;
		}
		if (!r)
			m->nr_above = nr;
	}
}

static void note_places(struct walk *w)
{
	struct iob_stack_slot *m = w->m;
	unsigned int k;

	m->start = w->f[0].ip;
	m->nr = w->nr;
	m->nr_low = w->hinge;
	/* none of what is above the stack pointer may lie beyond the end */
	m->span = w->end - w->f[0].sp;
	m->slack = 0;
	if (w->hinge != w->nr) {
		m->slack = MAX_STACK;
		m->span += w->f[w->hinge].sp - w->f[w->hinge].bp;
	}
	for (k = 0; k < w->nr; k++) {
		unsigned long at = w->f[k + 1].sp - sizeof(long);

		m->ip[k] = w->f[k + 1].ip;
		m->place[k] = (k < m->nr_low ? at - w->f[0].sp : w->end - at) /
			      sizeof(long);
	}
}

/* Whether the end is like that of most system calls: see iob_stack_slot_is(). */
static void note_end(struct iob_stack_slot *m)
{
	const struct iob_guard *p = &m->guard[m->nr_above];
	unsigned int nr = m->nr_guards - m->nr_above;

	m->live = nr == 2 && p[1].place == LIVE && !p[1].to_end;
	m->live_offset = m->live ? p[1].offset : 0;
	m->short_end = m->nr - m->nr_low == 1 && nr == 1U + m->live &&
		       p[0].place != LIVE;
}

/**
 * iob_stack_slot_learn - remember a walk
 * @m:   gets it
 * @f:   where the unwinder was; the first is where it began, in code whose own
 *	 rules are settled (past its prologue, or at its first instruction)
 * @nr:  how many came after that; it ended there by itself, at the end of the
 *	 stack or where the user's registers are
 * @end: of the stack
 *
 * Any context; the stack is the current one.  Return: false if it is one that
 * could not be known again with certainty; @m is nothing then.
 */
bool iob_stack_slot_learn(struct iob_stack_slot *m, const struct iob_frame *f,
		    unsigned int nr, unsigned long end)
{
	struct walk w = { .m = m, .f = f, .nr = nr, .end = end };
	struct evidence e = { .nr = 1 };
	unsigned int k;

	m->start = 0;
	m->nr_guards = 0;
	if (!is_sound(&w))
		return false;
	w.hinge = find_hinge(&w);
	for (k = 0; k < nr; k++) {
		if (counts_from_bp(&f[k]) && !prove(&w, k, &e))
			return false;
		next_evidence(&e, &f[k]);
	}
	note_places(&w);
	sort_proofs(m);
	note_end(m);
	return true;
}

/**
 * iob_stack_slot_ends - of iob_stack_slot_is(): what is not above sp alone
 * @m:   what is remembered
 * @sp:  where a walk would begin
 * @bp:  likewise
 * @end: of the stack
 */
bool iob_stack_slot_ends(const struct iob_stack_slot *m, unsigned long sp, unsigned long bp,
		   unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;
	const unsigned long *top = (const unsigned long *)end;
	unsigned int i;

	for (i = m->nr_low; i < m->nr; i++) {
		if (top[-(long)m->place[i]] != m->ip[i])
			return false;
	}
	for (i = m->nr_above; i < m->nr_guards; i++) {
		const struct iob_guard *p = &m->guard[i];
		unsigned long value = p->place == LIVE ? bp : low[p->place];

		if ((long)(value - (p->to_end ? end : sp)) != p->offset)
			return false;
	}
	return true;
}

/**
 * iob_stack_slot_fits - whether this is the stack that is remembered
 * @m:   it
 * @at:  where a walk would begin
 * @end: of the stack
 *
 * Any context; the stack is the current one.
 */
bool iob_stack_slot_fits(const struct iob_stack_slot *m, const struct iob_frame *at,
		   unsigned long end)
{
	return iob_stack_slot_is(m, at->ip, at->sp, at->bp, end);
}

/**
 * iob_stack_slot_differs - a word of the stack that tells it from the one remembered
 * @m:     another stack
 * @at:    where a walk of this one would begin
 * @end:   of the stack
 * @place: gets the word's place above sp; there @m has
 * @ip:    this address
 *
 * Any context; the stack is the current one.  Return: false if there is none, or
 * not for certain.
 */
bool iob_stack_slot_differs(const struct iob_stack_slot *m, const struct iob_frame *at,
		      unsigned long end, u16 *place, unsigned long *ip)
{
	unsigned int k;

	if (m->start != at->ip || end - at->sp < m->span)
		return false;
	for (k = 0; k < m->nr_low; k++) {
		if (word(at->sp + m->place[k] * sizeof(long)) == m->ip[k])
			continue;
		*place = m->place[k];
		*ip = m->ip[k];
		return true;
	}
	return false;
}

/* Fill the last step up with what is there, to be compared twice.  Return: bytes. */
static u32 fill_up(struct iob_word *w, unsigned int nr, unsigned int step)
{
	for (; nr % step; nr++)
		w[nr] = w[nr - 1];
	return nr * sizeof(*w);
}

/**
 * iob_signature_make - the same in brief
 * @m: a stack that is remembered
 * @b: gets it
 *
 * Any context.  Return: false if it is not a stack for that; @b is nothing then.
 */
bool iob_signature_make(const struct iob_stack_slot *m, struct iob_signature *b)
{
	const struct iob_guard *p = m->guard;
	struct iob_word *w = b->word;
	unsigned int i;

	b->start = 0;
	if (!m->start || !m->short_end || !m->nr_low || !m->nr_above ||
	    m->nr_low + m->nr_above > IOB_SIGNATURE_WORDS - IOB_SIGNATURE_STEP)
		return false;
	for (i = 0; i < m->nr_low; i++)
		w[i] = (struct iob_word){ m->ip[i], m->place[i] };
	b->addrs = fill_up(w, m->nr_low, IOB_SIGNATURE_STEP);
	w += b->addrs / sizeof(*w);
	for (i = 0; i < m->nr_above; i++, p++)
		w[i] = (struct iob_word){ p->offset, p->place };
	b->links = fill_up(w, m->nr_above, 2);
	b->frame = (struct iob_word){ p->offset, p->place };
	b->last = m->ip[m->nr_low];
	b->last_place = -(long)(m->place[m->nr_low] * sizeof(long));
	b->live = m->live;
	b->live_offset = m->live_offset;
	b->span = m->span;
	b->start = m->start;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How a slot knows a stack again.
 *
 * An unwinder goes from a frame to its caller's frame by rules.  It looks them up by the
 * frame's instruction pointer, which is the return address found in the frame before, and
 * by nothing else.  The rules say
 *
 *  - where the caller's frame begins: counted from the stack pointer in most functions, from
 *    the frame pointer in functions that align their stack or have room of variable size;
 *  - where the caller's frame pointer was saved, if it was.
 *
 * The lookup is what costs.  A slot holds a stack that was walked once, and compares words
 * of memory instead.  Proof that the result is the same, by induction from the innermost
 * frame outwards: let frame k begin at the same place as in the slot, with the same
 * instruction pointer.  Then its rules are the same.
 *
 *  - If the frame pointer pointed outside of frame k, then the rules count from the stack
 *    pointer.  Frame k + 1 begins at the same place, and if the return address there is the
 *    same, it also has the same instruction pointer.
 *  - If it pointed into frame k, then the rules may count from it, and it must have the same
 *    value as in the slot.  The unwinder does not tell where it was loaded from: from one of
 *    the words that frames further in hold, or from the register.  The words that held its
 *    value are candidates, and the slot guards all of them: each must point to the same
 *    place as before.  Frame k is guarded in the same way for words that point to its end,
 *    as a function that aligns its stack may note in one of them where it was entered.
 *
 * "The same place" is a distance from the stack pointer of the innermost frame.  One frame
 * breaks this, here called the hinge: on entry, the kernel moves the stack by a random
 * distance for each system call.  This frame counts from the frame pointer.  What lies
 * further out is fixed at the end of the stack, so its places are distances from the end,
 * and so is what the hinge's frame pointer points to.  A stack without a hinge must be
 * exactly as deep as before.
 *
 * Example: a walk from P with sp = 0x1000 on a stack that ends at 0x1400.
 *
 *	frame			sp	frame pointer	return address
 *	0 the probe		0x1000	not in frame	A, at 0x1038
 *	1 vfs_write()		0x1040	not in frame	B, at 0x10f8
 *	2 do_syscall_64()	0x1100	0x1348, hinge	C, at 0x1350
 *	3 the entry code	0x1358	-		none: 168 bytes of user registers follow
 *
 * vfs_write() saved 0x1348 at 0x10e0, and no other word has this value.  The slot gets
 *
 *	start P;  A 7 words and B 31 words above sp;  C 22 words below the end;
 *	guard: the word 28 above sp points to 184 bytes below the end
 *
 * The next system call moves the stack by 0x40: the walk would begin at sp = 0xfc0.  The
 * words at 0xff8, 0x10b8 and 0x1350 are A, B and C, and the word at 0x10a0 is 0x1348: it is
 * the same stack, by four comparisons.
 */
#include "slot.h"

#define MAX_EVIDENCE	8
#define LIVE		IOB_STACK_SLOT_LIVE
#define NEAR_END	512		/* bytes: user registers and a few words */
#define MAX_STACK	(LIVE * sizeof(long))

/* the words from which the frame pointer of a frame may have been loaded */
struct evidence {
	unsigned long at[MAX_EVIDENCE];	/* their addresses; 0: the register */
	unsigned int nr;		/* above MAX_EVIDENCE: too many */
};

static unsigned long stack_word(unsigned long at)
{
	return IOB_RAW(*(const unsigned long *)at);
}

/* True if the rules of @f[0] may count from the frame pointer, which points into the frame. */
static bool may_count_from_bp(const struct iob_frame *f)
{
	return f[0].bp >= f[0].sp && f[0].bp < f[1].sp;
}

static void evidence_add(struct evidence *e, unsigned long at)
{
	if (e->nr < MAX_EVIDENCE)
		e->at[e->nr] = at;
	if (e->nr <= MAX_EVIDENCE)
		e->nr++;
}

/*
 * From the evidence for the frame pointer of @f[0] to that of its caller, @f[1].  If the value
 * is another one, it was loaded from a word of @f[0].  If it is the same, it may still have
 * been saved in @f[0] and loaded from there.
 */
static void evidence_next(struct evidence *e, const struct iob_frame *f)
{
	unsigned long at;

	if (f[1].bp != f[0].bp)
		e->nr = 0;
	for (at = f[0].sp; at < f[1].sp - sizeof(long); at += sizeof(long)) {
		if (stack_word(at) == f[1].bp)
			evidence_add(e, at);
	}
}

/* a walk that is learned */
struct lesson {
	struct iob_stack_slot *m;
	const struct iob_frame *f;
	unsigned int nr;	/* frames besides the first */
	unsigned int hinge;	/* the hinge's index, or nr: there is none */
	unsigned long end;
};

/* Guard the word at @at, 0: the register, which points to @value.  Return: false if full. */
static bool guard_add(struct lesson *w, unsigned long at, unsigned long value,
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

/* Guard frame @k, which may count from the frame pointer.  Return: false if impossible. */
static bool guard_frame(struct lesson *w, unsigned int k, const struct evidence *e)
{
	const struct iob_frame *f = &w->f[k];
	bool hinge = k == w->hinge;
	unsigned long at;
	unsigned int i;

	if (!e->nr || e->nr > MAX_EVIDENCE)
		return false;
	for (i = 0; i < e->nr; i++) {
		if (!guard_add(w, e->at[i], f[0].bp, hinge))
			return false;
	}
	/* it counts from the frame pointer for certain, not from a word that points to its end */
	if (hinge)
		return true;
	for (at = f[0].sp; at < f[1].sp - sizeof(long); at += sizeof(long)) {
		if (stack_word(at) == f[1].sp && !guard_add(w, at, f[1].sp, false))
			return false;
	}
	return true;
}

/*
 * The hinge's index, or the number of frames if there is none.  Of the frames that may count
 * from the frame pointer, the outermost is the hinge if it does so for certain and is near
 * the end.
 *
 * It is certain if the frame pointer points to the word right below the return address.
 * Registers are saved there, so it does not point to a variable.  (It could point behind the
 * last element of an array, if a single register is saved.  But a function with an array on
 * the stack has a canary in between, and the outermost frame, the kernel's entry code, has no
 * array.)
 */
static unsigned int hinge_find(const struct lesson *w)
{
	unsigned int k;

	for (k = w->nr; k--;) {
		const struct iob_frame *f = &w->f[k];

		if (!may_count_from_bp(f))
			continue;
		if (f[1].sp - f[0].bp == 2 * sizeof(long) &&
		    w->end - f[1].sp < NEAR_END)
			return k;
		break;
	}
	return w->nr;
}

/* True if the frames follow each other up the stack, each entered by a call. */
static bool frames_are_sound(const struct lesson *w)
{
	const struct iob_frame *f = w->f;
	unsigned int k;

	if (!w->nr || w->nr > IOB_STACK_SLOT_FRAMES || f[0].sp % sizeof(long) ||
	    f[0].sp >= w->end || w->end - f[0].sp >= MAX_STACK)
		return false;
	for (k = 0; k < w->nr; k++) {
		if (f[k + 1].sp <= f[k].sp || f[k + 1].sp > w->end ||
		    f[k + 1].sp % sizeof(long) ||
		    stack_word(f[k + 1].sp - sizeof(long)) != f[k + 1].ip)
			return false;
	}
	return true;
}

/* The order of guards: words that point above sp, then below the end, then the register. */
static unsigned int guard_rank(const struct iob_guard *p)
{
	if (p->place == LIVE)
		return 2;
	return p->to_end;
}

static void guards_sort(struct iob_stack_slot *m)
{
	unsigned int i, nr = 0, r;

	for (r = 0; r <= 2; r++) {
		for (i = nr; i < m->nr_guards; i++) {
			struct iob_guard p = m->guard[i];

			if (guard_rank(&p) != r)
				continue;
			m->guard[i] = m->guard[nr];
			m->guard[nr++] = p;
		}
		if (!r)
			m->nr_above = nr;
	}
}

static void slot_set_places(struct lesson *w)
{
	struct iob_stack_slot *m = w->m;
	unsigned int k;

	m->start = w->f[0].ip;
	m->nr = w->nr;
	m->nr_low = w->hinge;
	/* as deep as before; or deep enough that all places above sp are below the end */
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

/* Find out if the end is like that of most system calls: see short_end. */
static void slot_set_end(struct iob_stack_slot *m)
{
	const struct iob_guard *p = &m->guard[m->nr_above];
	unsigned int nr = m->nr_guards - m->nr_above;

	m->live = nr == 2 && p[1].place == LIVE && !p[1].to_end;
	m->live_offset = m->live ? p[1].offset : 0;
	m->short_end = m->nr - m->nr_low == 1 && nr == 1U + m->live &&
		       p[0].place != LIVE;
}

/**
 * iob_stack_slot_learn - keep a walk
 * @m:   gets it
 * @f:   the frames of the walk.  The first is where it began: in code whose rules are
 *	 settled, behind the function's prologue or at its first instruction.
 * @nr:  how many frames follow.  The unwinder ended there by itself, at the end of the stack
 *	 or at the user's registers.
 * @end: of the stack
 *
 * Any context; the stack is the current one.  Return: false if the stack cannot be known
 * again for certain; @m is empty then.
 */
bool iob_stack_slot_learn(struct iob_stack_slot *m, const struct iob_frame *f,
			  unsigned int nr, unsigned long end)
{
	struct lesson w = { .m = m, .f = f, .nr = nr, .end = end };
	struct evidence e = { .nr = 1 };
	unsigned int k;

	m->start = 0;
	m->nr_guards = 0;
	if (!frames_are_sound(&w))
		return false;
	w.hinge = hinge_find(&w);
	for (k = 0; k < nr; k++) {
		if (may_count_from_bp(&f[k]) && !guard_frame(&w, k, &e))
			return false;
		evidence_next(&e, &f[k]);
	}
	slot_set_places(&w);
	guards_sort(m);
	slot_set_end(m);
	return true;
}

/**
 * iob_stack_slot_keep - keep a walk that is known again in another way, see records.h
 * @m:  gets it; iob_stack_slot_fits() must not be asked
 * @f:  as iob_stack_slot_learn() has it
 * @nr: likewise, at least 1
 *
 * Any context.
 */
void iob_stack_slot_keep(struct iob_stack_slot *m, const struct iob_frame *f, unsigned int nr)
{
	unsigned int k;

	m->start = f->ip;
	m->span = 0;
	m->slack = 0;
	m->nr = nr;
	m->nr_low = nr;
	m->nr_guards = 0;
	m->nr_above = 0;
	m->short_end = false;
	m->live = false;
	for (k = 0; k < nr; k++)
		m->ip[k] = f[k + 1].ip;
}

/**
 * iob_stack_slot_ends - the rest of iob_stack_slot_is(): the end of the stack, the register
 * @m:   the slot
 * @sp:  where a walk would begin
 * @bp:  likewise
 * @end: of the stack
 *
 * Any context; the stack is the current one.  Return: true if it is the slot's.
 */
bool iob_stack_slot_ends(const struct iob_stack_slot *m, unsigned long sp, unsigned long bp,
			 unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;
	const unsigned long *top = (const unsigned long *)end;
	unsigned int i;

	for (i = m->nr_low; i < m->nr; i++) {
		if (IOB_RAW(top[-(long)m->place[i]]) != m->ip[i])
			return false;
	}
	for (i = m->nr_above; i < m->nr_guards; i++) {
		const struct iob_guard *p = &m->guard[i];
		unsigned long value = p->place == LIVE ? bp : IOB_RAW(low[p->place]);

		if ((long)(value - (p->to_end ? end : sp)) != p->offset)
			return false;
	}
	return true;
}

/**
 * iob_stack_slot_fits - compare the stack with a slot
 * @m:   the slot
 * @at:  where a walk would begin
 * @end: of the stack
 *
 * Any context; the stack is the current one.  Return: true if it is the slot's.
 */
bool iob_stack_slot_fits(const struct iob_stack_slot *m, const struct iob_frame *at,
			 unsigned long end)
{
	return iob_stack_slot_is(m, at->ip, at->sp, at->bp, end);
}

/**
 * iob_stack_slot_differs - find a word that tells this stack from that of a slot
 * @m:     a slot of another stack
 * @at:    where a walk of this stack would begin
 * @end:   of this stack
 * @place: gets the word's place, in words above sp
 * @ip:    gets the return address that @m has there
 *
 * Any context; the stack is the current one.  Return: false if no return address above sp
 * differs, or if the stacks cannot be compared.
 */
bool iob_stack_slot_differs(const struct iob_stack_slot *m, const struct iob_frame *at,
			    unsigned long end, u16 *place, unsigned long *ip)
{
	unsigned int k;

	if (m->start != at->ip || end - at->sp < m->span)
		return false;
	for (k = 0; k < m->nr_low; k++) {
		if (stack_word(at->sp + m->place[k] * sizeof(long)) == m->ip[k])
			continue;
		*place = m->place[k];
		*ip = m->ip[k];
		return true;
	}
	return false;
}

/* Fill the last step with copies of the last word.  Return: bytes of all steps. */
static u32 signature_fill(struct iob_word *w, unsigned int nr, unsigned int step)
{
	for (; nr % step; nr++)
		w[nr] = w[nr - 1];
	return nr * sizeof(*w);
}

/**
 * iob_signature_make - make the signature of a slot
 * @m:    the slot
 * @size: of the stack: its end is so many bytes above its base
 * @b:    gets the signature
 *
 * Any context.  Return: false if a signature cannot hold this stack; @b is empty then.
 */
bool iob_signature_make(const struct iob_stack_slot *m, u32 size, struct iob_signature *b)
{
	const struct iob_guard *p = m->guard;
	struct iob_word *w = b->word;
	unsigned int i;

	b->addrs = 0;
	if (!m->start || !m->short_end || m->span > size || !m->nr_low || !m->nr_above ||
	    m->nr_low + m->nr_above > IOB_SIGNATURE_WORDS - IOB_SIGNATURE_STEP)
		return false;
	for (i = 0; i < m->nr_low; i++)
		w[i] = (struct iob_word){ m->ip[i], m->place[i] };
	b->addrs = signature_fill(w, m->nr_low, IOB_SIGNATURE_STEP);
	w += b->addrs / sizeof(*w);
	for (i = 0; i < m->nr_above; i++, p++)
		w[i] = (struct iob_word){ p->offset, p->place };
	b->links = signature_fill(w, m->nr_above, 2);
	b->frame = (struct iob_word){ p->offset + size, p->place };
	b->last = m->ip[m->nr_low];
	b->last_place = size - (long)(m->place[m->nr_low] * sizeof(long));
	b->most = size - m->span;
	return true;
}

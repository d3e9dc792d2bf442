// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's that follows which cache lines go from CPU to CPU.
 *
 * One thread emulates all CPUs by turns, so each access is seen in its order. For each
 * line of the kernel's memory the plugin keeps which CPUs have it, as caches do (MESI,
 * caches without end):
 *
 *	a CPU reads a line that another one has written since	a transfer
 *	a CPU writes a line that others have			a transfer, and they lose it
 *	all else						nothing
 *
 * Example: a counter that eight CPUs increment by turns is a transfer at each increment.
 * A flag that all read and none writes is none. A line that one CPU writes and the others
 * read, as they use another variable in it (false sharing), is one at each of both.
 *
 * Followed are accesses between the marks of a program (qemu.h), to addresses of the
 * kernel: each task of the bench has user memory of its own. The calling functions are
 * known from the addresses at which calls store where they return to. The code is
 * translated with all this from the first MARK_ARM on, so that booting stays fast.
 *
 * At the end mark out=FILE gets
 *
 *	section N
 *	LINE OFFSET SIZE READS WRITES CPUS ADDRESS [CALLER]...
 *
 * for each line of memory and place in the code: how many reads and writes were transfers,
 * by how many CPUs, the address of the instruction, and those of the calls above it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qemu.h"

EXPORT int qemu_plugin_version = 1;

#define KERNEL		(1ULL << 63)
#define LINE_SHIFT	6
#define PAGE_SHIFT	12
#define PAGE_WORDS	512
#define STACK_WORDS	2048	/* no kernel stack is larger */
#define MAX_CPUS	64
#define MAX_CALLERS	16

/* What an instruction is goes into an address's bits 61 and 62, which are set in any other */
enum insn_kind { INSN_OTHER = 3, INSN_CALL = 1, INSN_RET = 2 };
#define KIND_SHIFT	61
#define KIND_MASK	(3ULL << KIND_SHIFT)

/* Tables by address: open, doubled when half full. An entry begins with its key, not 0. */
struct table {
	size_t nr, size, entry;
	char *entries;
};

/* A line of memory, in this section */
struct line {
	uint64_t key;
	uint64_t have;		/* CPUs, as bits */
	uint64_t written_by;	/* the last one, + 1 */
};

/* A page of a stack: for each word the address of the call that stored there */
struct stack_page {
	uint64_t key;
	uint64_t *call;
};

/* A line and a place in the code */
struct transfer {
	uint64_t key;
	uint64_t line, reads, writes, cpus;
	uint64_t pc, caller[MAX_CALLERS];
	unsigned int offset, size, callers;
};

static struct table lines = { .entry = sizeof(struct line) };
static struct table stacks = { .entry = sizeof(struct stack_page) };
static struct table transfers = { .entry = sizeof(struct transfer) };

static FILE *out;
static bool open_section, armed;
static unsigned int sections;
static uint64_t sp[MAX_CPUS];	/* where the last call of a CPU stored, or the last return read */

static uint64_t hash(uint64_t key)
{
	key ^= key >> 29;
	key *= 0x9e3779b97f4a7c15ULL;
	return key ^ key >> 32;
}

static void *table_slot(struct table *t, uint64_t key)
{
	size_t i = hash(key) & (t->size - 1);
	char *e;

	for (;; i = (i + 1) & (t->size - 1)) {
		e = t->entries + i * t->entry;
		if (!*(uint64_t *)e || *(uint64_t *)e == key)
			return e;
	}
}

static void table_double(struct table *t)
{
	struct table new = *t;
	size_t i;
	char *e;

	new.size = t->size ? 2 * t->size : 1 << 12;
	new.entries = calloc(new.size, t->entry);
	if (!new.entries)
		abort();
	for (i = 0; i < t->size; i++) {
		e = t->entries + i * t->entry;
		if (*(uint64_t *)e)
			memcpy(table_slot(&new, *(uint64_t *)e), e, t->entry);
	}
	free(t->entries);
	*t = new;
}

/* The entry of @key; a new one is zeros but for its key */
static void *table_get(struct table *t, uint64_t key)
{
	uint64_t *e;

	if (2 * t->nr >= t->size)
		table_double(t);
	e = table_slot(t, key);
	if (!*e) {
		*e = key;
		t->nr++;
	}
	return e;
}

static void table_empty(struct table *t)
{
	free(t->entries);
	t->entries = NULL;
	t->nr = 0;
	t->size = 0;
}

static uint64_t *call_word(uint64_t vaddr)
{
	struct stack_page *page = table_get(&stacks, vaddr >> PAGE_SHIFT);

	if (!page->call)
		page->call = calloc(PAGE_WORDS, sizeof(*page->call));
	if (!page->call)
		abort();
	return &page->call[vaddr >> 3 & (PAGE_WORDS - 1)];
}

/* What lies between this call and the last one are variables, whatever was there before */
static void called(unsigned int cpu, uint64_t vaddr, uint64_t pc)
{
	uint64_t at;

	*call_word(vaddr) = pc;
	if (sp[cpu] > vaddr && sp[cpu] - vaddr < 8 * PAGE_WORDS) {
		for (at = vaddr + 8; at < sp[cpu]; at += 8)
			*call_word(at) = 0;
	}
	sp[cpu] = vaddr;
}

static void returned(unsigned int cpu, uint64_t vaddr)
{
	*call_word(vaddr) = 0;
	sp[cpu] = vaddr + 8;
}

static unsigned int callers_find(unsigned int cpu, uint64_t *caller)
{
	uint64_t at = sp[cpu] & ~7ULL;
	struct stack_page *page;
	unsigned int n = 0, i;

	for (i = 0; at && i < STACK_WORDS && n < MAX_CALLERS; i++, at += 8) {
		page = stacks.size ? table_slot(&stacks, at >> PAGE_SHIFT) : NULL;
		if (!page || !page->key)
			break;
		if (page->call[at >> 3 & (PAGE_WORDS - 1)])
			caller[n++] = page->call[at >> 3 & (PAGE_WORDS - 1)];
	}
	return n;
}

static void transferred(unsigned int cpu, uint64_t vaddr, unsigned int size, bool store,
			uint64_t pc)
{
	uint64_t caller[MAX_CALLERS], key = hash(pc) + (vaddr >> LINE_SHIFT);
	unsigned int n = callers_find(cpu, caller), i;
	struct transfer *t;

	for (i = 0; i < n; i++)
		key = hash(key) + caller[i];
	t = table_get(&transfers, key | 1);
	if (!t->pc) {
		t->line = vaddr >> LINE_SHIFT;
		t->offset = vaddr & ((1 << LINE_SHIFT) - 1);
		t->size = size;
		t->pc = pc;
		t->callers = n;
		memcpy(t->caller, caller, n * sizeof(*caller));
	}
	t->cpus |= 1ULL << cpu;
	if (store)
		t->writes++;
	else
		t->reads++;
}

static void touched(unsigned int cpu, uint64_t vaddr, unsigned int size, bool store, uint64_t pc)
{
	struct line *line = table_get(&lines, vaddr >> LINE_SHIFT);
	uint64_t me = 1ULL << cpu;

	if (store) {
		if (line->have & ~me || (line->written_by && line->written_by != cpu + 1))
			transferred(cpu, vaddr, size, true, pc);
		line->have = me;
		line->written_by = cpu + 1;
	} else {
		if (!(line->have & me) && line->written_by && line->written_by != cpu + 1)
			transferred(cpu, vaddr, size, false, pc);
		line->have |= me;
	}
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	uint64_t pc = (uintptr_t)data | KIND_MASK;
	unsigned int size = 1 << qemu_plugin_mem_size_shift(info);
	enum insn_kind kind = (uintptr_t)data >> KIND_SHIFT & 3;
	bool store = qemu_plugin_mem_is_store(info);

	if (cpu >= MAX_CPUS || !(vaddr & KERNEL))
		return;
	/* before the begin mark, too: tasks wait in the kernel meanwhile */
	if (kind == INSN_CALL && store)
		called(cpu, vaddr, pc);
	else if (kind == INSN_RET)
		returned(cpu, vaddr);
	if (!open_section)
		return;
	touched(cpu, vaddr, size, store, pc);
	if ((vaddr + size - 1) >> LINE_SHIFT != vaddr >> LINE_SHIFT)
		touched(cpu, vaddr + size - 1, 1, store, pc);
}

static void begin(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	table_empty(&lines);
	table_empty(&transfers);
	open_section = armed;
}

static void end(unsigned int cpu, void *data)
{
	struct transfer *t;
	unsigned int n;
	size_t i;

	(void)cpu;
	(void)data;
	if (!open_section)
		return;
	open_section = false;
	fprintf(out, "section %u\n", sections++);
	for (i = 0; i < transfers.size; i++) {
		t = (struct transfer *)transfers.entries + i;
		if (!t->key)
			continue;
		fprintf(out, "%" PRIx64 " %u %u %" PRIu64 " %" PRIu64 " %d %" PRIx64,
			t->line << LINE_SHIFT, t->offset, t->size, t->reads, t->writes,
			__builtin_popcountll(t->cpus), t->pc);
		for (n = 0; n < t->callers; n++)
			fprintf(out, " %" PRIx64, t->caller[n]);
		fputc('\n', out);
	}
	fflush(out);
}

static enum insn_kind kind_of(const struct qemu_plugin_insn *insn)
{
	const uint8_t *code = qemu_plugin_insn_data(insn);
	size_t i = 0, size = qemu_plugin_insn_size(insn);

	/* prefixes: segments, operand size, rep, REX */
	while (i + 1 < size && (code[i] == 0x2e || code[i] == 0x3e || code[i] == 0x65 ||
				code[i] == 0x66 || code[i] == 0xf3 || (code[i] & 0xf0) == 0x40))
		i++;
	if (code[i] == 0xe8 || (code[i] == 0xff && i + 1 < size && (code[i + 1] >> 3 & 7) == 2))
		return INSN_CALL;
	return code[i] == 0xc3 || code[i] == 0xc2 ? INSN_RET : INSN_OTHER;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

/* All code was forgotten, and is translated again when it runs */
static void rearmed(qemu_plugin_id_t id)
{
	armed = true;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

static qemu_plugin_id_t plugin;

static void arm(unsigned int cpu, void *data)
{
	static bool once;

	(void)cpu;
	(void)data;
	if (!once)
		qemu_plugin_reset(plugin, rearmed);
	once = true;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static const vcpu_fn marks[] = {
		[MARK_BEGIN] = begin, [MARK_END] = end, [MARK_ARM] = arm,
	};
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;
	enum mark mark;
	uint64_t pc;

	(void)id;
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		pc = qemu_plugin_insn_vaddr(insn);
		mark = mark_of(insn);
		if (mark != NO_MARK)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marks[mark],
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (!armed || !(pc & KERNEL))
			continue;
		pc = (pc & ~KIND_MASK) | (uint64_t)kind_of(insn) << KIND_SHIFT;
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)pc);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			       int argc, char **argv)
{
	int i;

	(void)info;
	plugin = id;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
	}
	if (!out) {
		fprintf(stderr, "sharing: out=FILE is missing or cannot be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}

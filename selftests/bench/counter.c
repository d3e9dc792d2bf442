// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's that counts how often each instruction of a guest runs.
 *
 * Counted is what runs between two marks of a program in the guest (qemu.h). Each
 * translation block has one counter that the translated code itself adds to. At the
 * end mark, all that moved since the begin mark is written to out=FILE:
 *
 *	section N			the Nth pair of marks of this guest
 *	ADDRESS LENGTH INSNS COUNT	a block, and how often it was entered
 *
 * Addresses are hex. All CPUs are counted together, and exactly if one thread emulates
 * them by turns; with a thread each, each would need counters of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qemu.h"

EXPORT int qemu_plugin_version = 1;

/* One for each (address, length, instructions) that was ever translated */
struct block {
	struct block *next;
	uint64_t vaddr, insns, bytes;
	uint64_t count;		/* the translated code adds here */
	uint64_t before;	/* count at the begin mark */
};

#define BUCKETS	(1 << 16)

static struct block *blocks[BUCKETS];
static FILE *out;
static bool open_section;
static unsigned int sections;

static struct block *block_of(uint64_t vaddr, uint64_t insns, uint64_t bytes)
{
	struct block **head, *b;

	head = &blocks[(vaddr * 0x9e3779b97f4a7c15ULL) >> 48];
	for (b = *head; b; b = b->next) {
		if (b->vaddr == vaddr && b->insns == insns && b->bytes == bytes)
			return b;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->vaddr = vaddr;
	b->insns = insns;
	b->bytes = bytes;
	b->next = *head;
	*head = b;
	return b;
}

static void begin(unsigned int cpu, void *data)
{
	struct block *b;
	int i;

	(void)cpu;
	(void)data;
	for (i = 0; i < BUCKETS; i++) {
		for (b = blocks[i]; b; b = b->next)
			b->before = b->count;
	}
	open_section = true;
}

static void end(unsigned int cpu, void *data)
{
	struct block *b;
	int i;

	(void)cpu;
	(void)data;
	if (!open_section)
		return;
	open_section = false;
	fprintf(out, "section %u\n", sections++);
	for (i = 0; i < BUCKETS; i++) {
		for (b = blocks[i]; b; b = b->next) {
			if (b->count != b->before)
				fprintf(out, "%" PRIx64 " %" PRIu64 " %" PRIu64
					" %" PRIu64 "\n", b->vaddr, b->bytes,
					b->insns, b->count - b->before);
		}
	}
	fflush(out);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;
	uint64_t bytes = 0;
	struct block *b;
	enum mark mark;

	(void)id;
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		bytes += qemu_plugin_insn_size(insn);
		mark = mark_of(insn);
		if (mark == MARK_BEGIN)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		else if (mark == MARK_END)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
	b = block_of(qemu_plugin_tb_vaddr(tb), n, bytes);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &b->count, 1);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			       int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
	}
	if (!out) {
		fprintf(stderr, "counter: out=FILE is missing or cannot be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}

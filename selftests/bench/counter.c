// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's that counts how often each instruction of a guest runs.
 *
 * Counted is what runs between two marks, which a program in the guest sets by
 * executing a no-op that no other code has: nopl with the displacement
 * MARK_BEGIN or MARK_END. Each translation block has one counter that the
 * translated code itself adds to. At the end mark, all that moved since the
 * begin mark is written to out=FILE:
 *
 *	section N			the Nth pair of marks of this guest
 *	ADDRESS LENGTH INSNS COUNT	a block, and how often it was entered
 *
 * Addresses are hex. For one CPU only: with more, each CPU would need counters
 * of its own. Debian's QEMU comes without qemu-plugin.h; below is what we need
 * of it, of version 1 of the interface, which QEMU 7.2 has.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void (*tb_trans_fn)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*vcpu_fn)(unsigned int, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_trans_fn fn);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb,
					      int op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    vcpu_fn fn, int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

static const uint8_t mark_begin[] = { 0x0f, 0x1f, 0x80, 0x01, 0xb1, 0x0b, 0x10 };
static const uint8_t mark_end[]   = { 0x0f, 0x1f, 0x80, 0x02, 0xb1, 0x0b, 0x10 };

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

static bool is_mark(const struct qemu_plugin_insn *insn, const uint8_t *mark)
{
	return qemu_plugin_insn_size(insn) == sizeof(mark_begin) &&
	       !memcmp(qemu_plugin_insn_data(insn), mark, sizeof(mark_begin));
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;
	uint64_t bytes = 0;
	struct block *b;

	(void)id;
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		bytes += qemu_plugin_insn_size(insn);
		if (is_mark(insn, mark_begin))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		else if (is_mark(insn, mark_end))
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

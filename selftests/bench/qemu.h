/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bench's plugins need of QEMU: version 1 of its interface, which QEMU 7.2
 * has. Debian's QEMU comes without qemu-plugin.h.
 */
#ifndef BENCH_QEMU_H
#define BENCH_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*simple_fn)(qemu_plugin_id_t);
typedef void (*tb_trans_fn)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*vcpu_fn)(unsigned int cpu, void *data);
typedef void (*mem_fn)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data);

void qemu_plugin_reset(qemu_plugin_id_t id, simple_fn fn);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_trans_fn fn);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb,
					      int op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    vcpu_fn fn, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, mem_fn fn,
				      int flags, int rw, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#define EXPORT __attribute__((visibility("default")))

/*
 * Programs in the guest set marks by a no-op that no other code has: nopl with one of
 * these displacements; on arm64 a move of 0xb101 and so on to the register that is always 0
 * (see prog/count.h).
 */
enum mark { MARK_BEGIN = 1, MARK_END, MARK_ARM, NO_MARK = 0 };

static inline enum mark mark_of(const struct qemu_plugin_insn *insn)
{
	static const uint8_t nopl[] = { 0x0f, 0x1f, 0x80 }, rest[] = { 0xb1, 0x0b, 0x10 };
	const uint8_t *code = qemu_plugin_insn_data(insn);
	uint32_t word;

	if (qemu_plugin_insn_size(insn) == 4) {
		memcpy(&word, code, 4);
		word = (word ^ (0xd2800000U | 0xb100 << 5 | 31)) >> 5;
		return word <= MARK_ARM && (code[0] & 31) == 31 ? word : NO_MARK;
	}
	if (qemu_plugin_insn_size(insn) != 7 || memcmp(code, nopl, 3) ||
	    memcmp(code + 4, rest, 3) || code[3] > MARK_ARM)
		return NO_MARK;
	return code[3];
}

#endif

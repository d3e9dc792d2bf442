// SPDX-License-Identifier: GPL-2.0
/*
 * A record is filled once for both logs, on the stack of the probe.
 */
#include <linux/cpuhotplug.h>

#include <compat/compiler.h>
#include <compat/rcu.h>

#include "core/intent.h"
#include "core/role.h"
#include "log.h"
#include "log_bin.h"
#include "log_readers.h"
#include "log_text.h"
#include "op.h"

static int log_cpu_state;	/* of cpuhp; 0: not asked for */

static void fill_role(struct iob_iolog_bin_record *rec, u64 id)
{
	const struct iob_role *role = iob_role_id(id);

	if (!role)
		role = iob_role_id(IOB_ROLE_LOST);
	memset(rec->__pad, 0, sizeof(rec->__pad));
	if (unlikely(!role)) {
		memset(rec->comm, 0, sizeof(rec->comm));
		rec->id = 0;
		rec->pid = 0;
		rec->tgid = 0;
		rec->cgroup = 0;
		rec->role_kind = 0;
		rec->uid1 = 0;
		return;
	}
	rec->id = iob_role_number(role);
	rec->pid = role->kind == IOB_ROLE_THREAD ? role->key : 0;
	rec->tgid = role->tgid;
	rec->cgroup = iob_role_in_cgroup(role);
	memcpy(rec->comm, role->comm, sizeof(rec->comm));
	rec->role_kind = role->kind;
	rec->uid1 = role->kind == IOB_ROLE_THREAD || role->kind == IOB_ROLE_PROCESS ?
		    role->uid + 1 : 0;
}

/* Sets each byte: clearing the record first would cost as much as a counter. */
static void fill_record(struct iob_iolog_bin_record *rec, struct iob_io *io)
{
	const struct iob_cause *cause = iob_cause_of(io->run.cause);
	u32 nr = cause ? cause->intent : IOB_INTENT_LOST;
	const struct iob_intent *intent = iob_intent_nr(nr);

	rec->len = sizeof(*rec);
	rec->ver = IOB_IOLOG_BIN_VER;
	rec->op = iob_op_letter(io->op);
	rec->how = io->run.how;
	rec->part = io->nr_runs;
	rec->nr_bios = io->nr_bios;
	rec->disk = io->disk->devt;
	rec->opf = io->first->opf;
	rec->bytes = io->run.bytes;
	rec->sector = io->run_sector;
	rec->error = io->error;
	rec->dirty_ns = iob_share_never_dirty(&io->run) || io->run.dirty_ns == IOB_DIRTY_UNKNOWN ?
			0 : io->run.dirty_ns;
	iob_io_stamp(io);
	rec->queue_ns = io->queue_ns;
	rec->issue_ns = io->issue_ns;
	rec->complete_ns = io->done_ns;
	rec->intent_nr = nr;
	rec->modifier = intent ? intent->modifier : 0;
	rec->dev = io->run.file.dev;
	rec->gen = io->run.file.gen;
	rec->ino = io->run.file.ino;
	rec->sub_pid = io->first->sub_pid;
	memcpy(rec->sub_comm, io->first->sub_comm, sizeof(rec->sub_comm));
	rec->hwq = io->rq ? iob_rq_hwq(io->rq) : 0xffff;
	rec->segments = io->rq ? io->rq->nr_phys_segments : 0;
	fill_role(rec, cause ? cause->role : IOB_ROLE_LOST);
}

/**
 * iob_iolog_add - log the run of an IO that has just ended, if there are readers
 * @io: the IO
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_iolog_add(struct iob_io *io)
{
	u32 text = READ_ONCE(iob_iolog_readers.text);
	struct iob_iolog_bin_record rec IOB_UNINIT;

	fill_record(&rec, io);
	if (text == IOB_LOG_TEXT_ON)
		iob_log_text_add(&rec);
	else if (text == IOB_LOG_TEXT_FULL)
		iob_stat_inc(iolog_unread);
	if (atomic_read(&iob_iolog_readers.bin))
		iob_log_bin_add(&rec);
	iob_log_written();
}

/**
 * iob_iolog_start - a session begins
 * @keep: keep its text log for a later reader: the setting log_at_enable
 *
 * The per-CPU binary files appear.  May sleep.  Return: 0 or -ENOMEM.
 */
int iob_iolog_start(bool keep)
{
	int err = iob_log_text_start(keep);

	if (!err)
		err = iob_log_bin_start();
	if (!err)
		iob_log_begin();
	return err;
}

/* Free what the session had.  No probe is attached.  May sleep. */
void iob_iolog_stop(void)
{
	iob_log_readers_stop();
	iob_log_bin_stop();
	iob_log_text_stop();
}

/* The memory of both logs.  Any context. */
unsigned long iob_iolog_bytes(void)
{
	return iob_log_text_bytes() + iob_log_bin_bytes();
}

/* A CPU is about to come online. */
static int log_cpu_comes(unsigned int cpu)
{
	iob_log_text_cpu(cpu);
	iob_log_bin_cpu(cpu);
	return 0;
}

/**
 * iob_iolog_init - module load
 * @files: make the binary files
 *
 * May sleep.  Return: 0 or a negative errno.
 */
int iob_iolog_init(const struct iob_log_bin_files *files)
{
	int state;

	iob_log_readers_init();
	iob_log_bin_init(files);
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ioblame:log",
					  log_cpu_comes, NULL);
	if (state < 0)
		return state;
	log_cpu_state = state;
	return 0;
}

/* Remove the binary files before their directory goes.  No session runs.  May sleep. */
void iob_iolog_exit(void)
{
	if (log_cpu_state)
		cpuhp_remove_state_nocalls(log_cpu_state);
	log_cpu_state = 0;
	iob_log_bin_stop();
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counters - histograms of what was done, for each act
 */
#ifndef IOB_RECORD_COUNTERS_H
#define IOB_RECORD_COUNTERS_H

#include "../blame/act.h"
#include "../blame/disk.h"
#include "field.h"

#define IOB_MAX_COUNTERS	256

int iob_counters_set_nr(u32 nr);
u32 iob_counters_nr(void);
int iob_counter_set_spec(u32 nr, const char *text);
int iob_counter_set_filter(u32 nr, const char *text);
ssize_t iob_counter_show_spec(u32 nr, char *buf, size_t size);
ssize_t iob_counter_show_filter(u32 nr, char *buf, size_t size);

int iob_counters_start(void);
void iob_counters_stop(void);
u32 iob_counters_session_nr(void);
void iob_counters_release(struct iob_act *act);

/* for each operation a bit for each field that its counters look at; or 0 */
extern u32 iob_counters_fields[IOB_NR_OPS];

/* What the counters want to know of such an IO.  Any context. */
static inline u32 iob_counters_wanted(enum iob_op op)
{
	return READ_ONCE(iob_counters_fields[op]);
}

void iob_counters_charge(struct iob_act *act, enum iob_op op,
			 const struct iob_fields *fields, u32 known);
u32 iob_counters_value(const struct iob_act *act, u32 nr, u32 slot);

/* the turn of counters_pipe: acts that do IO note it */
extern u32 iob_pipe_turn_now;

/* The turn in which an IO is done now; counters_pipe begins a new one. */
static inline u32 iob_pipe_turn(void)
{
	return READ_ONCE(iob_pipe_turn_now);
}

u32 iob_pipe_next_turn(void);

#endif

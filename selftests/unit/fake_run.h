/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_run - in place of what view.c calls to begin and end a run, but for its records: nothing is
 * opened, each record is taken, nobody asks to stop
 */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "intent.h"
#include "iowait.h"
#include "msg.h"
#include "name.h"
#include "out.h"
#include "run.h"
#include "stop.h"
#include "view.h"

const char *const session_ages[] = { NULL };

bool device_require(const char *word, struct device *d)
{
	(void)word;
	(void)d;
	return false;
}

bool filter_takes(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	(void)f;
	(void)rec;
	return true;
}

void filter_begin(struct filter *f, const struct opts *opts)
{
	(void)f;
	(void)opts;
}

void filter_end(struct filter *f)
{
	(void)f;
}

int source_open(struct source *s, bool text)
{
	(void)s;
	(void)text;
	return 0;
}

int source_open_file(struct source *s, const char *path)
{
	(void)s;
	(void)path;
	return 0;
}

int source_open_served(struct source *s)
{
	(void)s;
	return 0;
}

bool source_skip(struct source *s, bool (*stop)(void))
{
	(void)s;
	(void)stop;
	return false;
}

void source_close(struct source *s)
{
	(void)s;
}

int session_begin(struct session *s, const struct device *want, unsigned int nr,
		  const char *const *counters)
{
	(void)s;
	(void)want;
	(void)nr;
	(void)counters;
	return 0;
}

bool session_served(struct session *s, struct store_head *head, const struct device *want,
		    unsigned int nr)
{
	(void)s;
	(void)head;
	(void)want;
	(void)nr;
	return false;
}

void session_status(struct session *s)
{
	(void)s;
}

void session_ready(void) {}

void session_off(struct session *s)
{
	(void)s;
}

void session_end(struct session *s)
{
	(void)s;
}

void run_print_head(const struct run *run)
{
	(void)run;
}

void run_print_end(const struct run *run)
{
	(void)run;
}

bool pace_measure(struct pace *p, struct run *run)
{
	(void)p;
	(void)run;
	return false;
}

void pace_records(struct pace *p, struct run *run, const struct view *view)
{
	(void)p;
	(void)run;
	(void)view;
}

int source_join(struct source *s, struct joined *k)
{
	(void)s;
	(void)k;
	return EXIT_OK;
}

bool child_start(char **argv)
{
	(void)argv;
	return false;
}

bool child_ended(bool sync)
{
	(void)sync;
	return false;
}

int child_status(void)
{
	return 0;
}

void child_kill(bool asked, bool sync)
{
	(void)asked;
	(void)sync;
}

void iowait_begin(bool accumulate)
{
	(void)accumulate;
}

void iowait_turn(void) {}

void iowait_end(void) {}

bool stop_asked(void)
{
	return false;
}

void out_flush(void) {}

bool out_closed(void)
{
	return false;
}

bool out_failed(void)
{
	return false;
}

uint64_t name_no_room(void)
{
	return 0;
}

uint64_t intent_no_room(void)
{
	return 0;
}

void name_done(void) {}

#endif

// SPDX-License-Identifier: GPL-2.0
#include "agg.h"
#include "choice.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "sum.h"

struct agg summed;

static void hold_names(const void *arg)
{
	agg_hold_names(arg);
}

int sum_begin(struct run *run)
{
	agg_init(&summed, run->opts->command == CMD_HIST ? run->opts->field : FIELD_TOTAL,
		 run->opts->by);
	name_held_by(hold_names, &summed);
	return EXIT_OK;
}

void sum_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	agg_add(&summed, rec);
}

/* Keep the memory bounded, however long the run is. */
void sum_filled(struct run *run)
{
	(void)run;
	agg_squeeze(&summed);
}

/* Print below a table how many IOs lost their file and stack. */
void sum_print_folded(const struct run *run)
{
	if (summed.folded && run->opts->format == FORMAT_TABLE)
		out_printf("%llu IOs had no room and are shown without file and stack.\n",
			   (unsigned long long)summed.folded);
}

int sum_end(struct run *run)
{
	(void)run;
	if (summed.no_seek)
		msg("%llu IOs have no seek: there are too many disks",
		    (unsigned long long)summed.no_seek);
	agg_free(&summed);
	return EXIT_OK;
}

// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "choice.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "table.h"
#include "tally_print.h"

/* Its disk; of several that were put together, "(others)". */
const char *tally_disk(const struct tally *t)
{
	return t->key.who.rest && !t->key.disk ? "(others)" : name_disk(t->label.key.disk);
}

/**
 * tally_print - print the sums of an interval, and begin anew
 * @run:     the run
 * @tallies: the sums; they are empty afterwards
 * @look:    how they are shown
 * @from_ns: where the interval begins
 * @to_ns:   and ends
 * @last:    it is the rest at the end: print nothing of nothing
 */
void tally_print(struct run *run, struct tallies *tallies, const struct tally_look *look,
		 uint64_t from_ns, uint64_t to_ns, bool last)
{
	const struct opts *o = run->opts;
	bool text = o->format == FORMAT_TABLE;
	size_t i, nr, most = o->rows ? o->rows : text ? look->rows : SIZE_MAX;
	struct tally **list;
	struct table *table;
	char time[32];

	if (last && o->interval_ns && !tallies->map.nr)
		return;
	if (text && o->timestamp) {
		run_time(run, to_ns, time, sizeof(time));
		out_printf("%s\n", time);
	}
	nr = tally_sorted(tallies, &list);
	if (text && !nr && look->none)
		out_printf("%s in %.1f s.\n", look->none, (double)(to_ns - from_ns) / 1e9);
	table = table_new(o->format, look->type, look->columns, look->nr_columns);
	for (i = 0; i < nr && i < most; i++)
		look->print(run, table, list[i], from_ns, to_ns);
	table_end(table);
	if (text && i < nr)
		out_printf("... and %zu more (--rows)\n", nr - i);
	if (text && tallies->others)
		out_printf("%llu IOs had no room and are shown as (others).\n",
			   (unsigned long long)tallies->others);
	free(list);
	tally_clear(tallies);
}

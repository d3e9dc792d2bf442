// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as names of units, disks and reasons: what is written is well formed, and within its
 * bounds.  The first byte is the limits and the format; then names, each ended by a NUL.
 */
#include "../../tools/ioblamed/metrics_sum.h"
#include "fuzz.h"
#include "metrics_oracle.h"

#define MOST	64

static void check_written(struct metrics *m, bool open)
{
	char *text, *line, *rest;
	unsigned int nr = 0;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	metrics_write(m, f, open, METRICS_HTTP);
	fclose(f);
	REQUIRE(strlen(text) == len);
	for (rest = text; (line = strsep(&rest, "\n")) && rest;) {
		REQUIRE(oracle_line(line));
		nr += *line != '#';
	}
	REQUIRE(nr <= m->conf.max_series);
	free(text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct usage list[MOST];
	struct usage_list usage = { .list = list, .until_ns = 1 };
	const char *name[3] = { "", "", "" };
	struct metrics_conf conf;
	char *text, *end, *at;
	struct metrics *m;
	unsigned int i, n = 0;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	end = text + size - 1;
	for (at = text; at < end && usage.nr < MOST; at += strlen(at) + 1) {
		name[n++ % 3] = at;
		list[usage.nr++] = (struct usage){
			.key = { .unit = name[0], .disk = name[1], .why = name[2],
				 .op = (u8)*at % 6, .how = (u8)*at % 5 },
			.ios = n, .bytes = (u64)n << 20, .lat = { [1] = n },
		};
	}
	metrics_defaults(&conf);
	conf.max_series = 400 + 4 * (data[0] & 0x7f);
	conf.max_units = data[0] & 0x1f;
	m = metrics_new(&conf);
	for (i = 0; i < 3; i++) {
		metrics_add(m, &usage);
		usage.until_ns += 10000000000LL;
	}
	metrics_status(m, text, 4096);
	check_written(m, data[0] & 0x80);
	check_written(m, data[0] & 0x80);
	metrics_free(m);
	free(text);
	return 0;
}

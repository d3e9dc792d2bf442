// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a counter's specification: a value, the rest the text.  What is
 * taken obeys the rules and reads back as it was taken.
 */
#include "io/counter_spec.h"
#include "fuzz.h"

static void check_spec(const struct iob_counter_spec *s)
{
	const u64 *b = s->bound;
	int i;

	REQUIRE(s->dirs < 32 && s->field < IOB_NR_FIELDS);
	for (i = 1; i < IOB_NR_SLOTS; i++)
		REQUIRE(b[i - 1] <= b[i]);
	REQUIRE(!b[8] || b[7] <= b[8]);
}

static void check_slot(const struct iob_counter_spec *s, u64 v)
{
	const u64 *b = s->bound;
	int slot = iob_counter_slot(s, v);
	struct iob_simple_counter p;

	REQUIRE((slot < 0) == (v < b[0] || (b[8] && v >= b[8])));
	REQUIRE(slot >= -1 && slot < IOB_NR_SLOTS);
	if (slot >= 0)
		REQUIRE(v >= b[slot]);
	if (slot >= 0 && slot < 7)
		REQUIRE(v < b[slot + 1]);
	if (v >= IOB_SIMPLE_VALUES)
		return;
	if (iob_simple_counter_make(s, 0, &p) && iob_simple_counter_counts(&p, v))
		REQUIRE(iob_simple_counter_slot(&p, v) / sizeof(u32) == (unsigned long)slot);
	else
		REQUIRE(slot < 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct iob_counter_spec s, again, before;
	char buf[IOB_COUNTER_SPEC_SIZE];
	char *text;
	u64 value;
	int i;

	if (size < sizeof(value))
		return 0;
	memcpy(&value, data, sizeof(value));
	text = fuzz_text(data + sizeof(value), size - sizeof(value));
	memset(&before, 0x5a, sizeof(before));
	s = before;
	again = before;
	if (iob_counter_spec_parse(text, &s)) {
		REQUIRE(!memcmp(&s, &before, sizeof(s)));
		goto out;
	}
	check_spec(&s);
	i = iob_counter_spec_format(&s, buf, sizeof(buf));
	REQUIRE(i == (int)strlen(buf) && i < IOB_COUNTER_SPEC_SIZE - 1);
	REQUIRE(!iob_counter_spec_parse(buf, &again));
	REQUIRE(again.dirs == s.dirs && again.field == s.field &&
		!memcmp(again.bound, s.bound, sizeof(s.bound)));
	check_slot(&s, value);
	for (i = 0; i <= IOB_NR_SLOTS && s.dirs; i++) {
		check_slot(&s, s.bound[i] - 1);
		check_slot(&s, s.bound[i]);
		check_slot(&s, s.bound[i] + 1);
	}
out:
	free(text);
	return 0;
}

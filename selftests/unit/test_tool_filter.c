// SPDX-License-Identifier: GPL-2.0
/* What the end says of options that no IO passes, and that it says nothing where none was given. */
#include "fake_device_has.h"
#include "fake_msg.h"
#include "fake_one_name.h"
#include "filter.h"
#include "test.h"

/* What is said of three IOs of dd.  Return: how many are taken. */
static unsigned int filter_three(const struct opts *o, int error)
{
	struct iob_iolog_bin_record rec = { .op = 'W', .comm = "dd", .tgid = 7, .error = error };
	unsigned int i, taken = 0;
	struct filter f = { 0 };

	said[0] = '\0';
	filter_begin(&f, o);
	for (i = 0; i < 3; i++)
		taken += filter_takes(&f, &rec);
	filter_end(&f);
	return taken;
}

static void nothing_failed(void)
{
	struct opts o = { .command = CMD_ERRORS, .errors = true };

	if (filter_three(&o, 0) || *said)
		fail("errors of a machine where nothing fails: %s", said);
	if (filter_three(&o, -5) != 3 || *said)
		fail("errors where all fails: %s", said);
	/* the options are passed, and nothing failed: that is what the view says */
	o.comm[o.nr_comms++] = "dd";
	if (filter_three(&o, 0) || *said)
		fail("errors of a program that has none: %s", said);
	strcpy(o.rw, "R");
	if (filter_three(&o, 0) || strcmp(said, "none of 3 IOs passes all of these options"))
		fail("errors of reads, of which there are none: %s", said);
	o.comm[0] = "nobody";
	if (filter_three(&o, -5) || !strstr(said, "-c nobody matches nothing; there is IO of: dd"))
		fail("errors of nobody: %s", said);
}

/* Of snoop it is an option as others are. */
static void option_of_errors(void)
{
	const struct opts o = { .command = CMD_SNOOP, .errors = true };

	if (filter_three(&o, 0) || strcmp(said, "none of 3 IOs passes all of these options"))
		fail("snoop --errors: %s", said);
	if (filter_three(&o, -5) != 3 || *said)
		fail("snoop --errors where all fails: %s", said);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(nothing_failed), TEST(option_of_errors),
	};

	return run_tests("tool_filter", tests, ARRAY_SIZE(tests));
}

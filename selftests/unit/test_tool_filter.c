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

/* A user is known by his name, and as that is shown; who does not is told of, as others are. */
static void users(void)
{
	static const struct {
		const char *named, *word, *said;
	} cases[] = {
		{ "root", "root", NULL },
		{ "root", "ann", "-u ann matches nothing; there is IO of: root" },
		{ "root", "roo*", "-u roo* matches nothing; there is IO of: root" },
		{ "-", "ann", "-u ann matches nothing; there is IO of: -" },
		{ "CORP\\134ann", "CORP\\ann", NULL },
		{ "CORP\\134ann", "CORP\\134ann", NULL },
		{ "CORP\\1342001", "CORP\\2001", NULL },
		{ "CORP\\134ann", "CORP\\bob",
		  "-u CORP\\134bob matches nothing; there is IO of: CORP\\134ann" },
		{ "CORP\\134ann", "ann", "-u ann matches nothing; there is IO of: CORP\\134ann" },
		{ "ev\\342\\200\\213il", "ev\342\200\213il", NULL },
	};
	struct opts o = { .command = CMD_SNOOP, .nr_users = 1 };
	unsigned int i, taken;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		user_named = cases[i].named;
		o.user[0] = cases[i].word;
		taken = filter_three(&o, 0);
		if (taken != (cases[i].said ? 0 : 3))
			fail("-u %s takes %u of %s", cases[i].word, taken, cases[i].named);
		if (strcmp(said, cases[i].said ? cases[i].said : ""))
			fail("-u %s: %s", cases[i].word, said);
	}
	/* one of two is wrong; and one is right, of whom nothing passes */
	user_named = "root";
	o = (struct opts){ .user = { "root", "ann" }, .nr_users = 2 };
	if (filter_three(&o, 0) != 3 || !strstr(said, "-u ann matches nothing"))
		fail("-u root -u ann: %s", said);
	o = (struct opts){ .user = { "root" }, .nr_users = 1, .rw = "R" };
	if (filter_three(&o, 0) || strcmp(said, "none of 3 IOs passes all of these options"))
		fail("-u root --rw R: %s", said);
	o = (struct opts){ .user = { "root" }, .nr_users = 1, .comm = { "cat" }, .nr_comms = 1 };
	if (filter_three(&o, 0) || !strstr(said, "-c cat matches nothing"))
		fail("-u root -c cat: %s", said);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(nothing_failed), TEST(option_of_errors), TEST(users),
	};

	return run_tests("tool_filter", tests, ARRAY_SIZE(tests));
}

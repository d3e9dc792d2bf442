// SPDX-License-Identifier: GPL-2.0
/* Whose IO a rule is about, of records: by names that are escaped text, looked up once for many. */
#include "moment_match.h"
#include "name.h"
#include "owner.h"
#include "rec.h"
#include "test.h"

static const char *unit, *user;	/* what numbers are called */
static unsigned int asked;

const char *name_unit(uint64_t id)
{
	(void)id;
	asked++;
	return unit;
}

uint32_t owner_of_record(const struct iob_iolog_bin_record *rec)
{
	return rec->uid1 - 1;
}

const char *owner_name(uint32_t uid)
{
	(void)uid;
	return user;
}

static bool is_about(const char *text, const struct iob_iolog_bin_record *rec)
{
	struct moment_match m = { 0 };
	struct rule rule;
	bool is;

	if (rule_parse(&rule, text)) {
		fail("'%s' is refused", text);
		return false;
	}
	is = moment_match_is(&m, &rule, 0, rec);
	moment_match_forget(&m);
	return is;
}

/* A backslash stands for itself: in a name that is escaped, and in the pattern. */
static void names(void)
{
	static const struct iob_iolog_bin_record
		thread = { .comm = "caf\351", .cgroup = 7, .uid1 = 1001, .role_kind = ROLE_THREAD },
		slice = { .cgroup = 7, .role_kind = ROLE_CGROUP }, other = { .role_kind = 255 };
	static const struct {
		const char *text;
		const struct iob_iolog_bin_record *of;
		bool is;
	} cases[] = {
		{ "errors > 0 of program caf*", &thread, true },
		{ "errors > 0 of program caf\\351", &thread, true },
		{ "errors > 0 of program caf\\35[01]", &thread, true },
		{ "errors > 0 of program caf351", &thread, false },
		{ "errors > 0 of program c\\af*", &thread, false },
		{ "errors > 0 of program a\\134*", &slice, true },
		{ "errors > 0 of program nobody", &other, true },
		{ "errors > 0 of unit a\\134x2db.service", &thread, true },
		{ "errors > 0 of unit a\\x2db.service", &thread, false },
		{ "errors > 0 of unit a*", &other, false },
		{ "errors > 0 of user ev\\302\\240l", &thread, true },
		{ "errors > 0 of user evl", &thread, false },
	};
	unsigned int i;

	unit = "a\\134x2db.service";
	user = "ev\\302\\240l";
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (is_about(cases[i].text, cases[i].of) != cases[i].is)
			fail("'%s' is %sabout it", cases[i].text, cases[i].is ? "not " : "");
	}
	/* a user's name is compared as it is, too */
	user = "CORP\\134ann";
	if (!is_about("errors > 0 of user CORP\\ann", &thread) ||
	    !is_about("errors > 0 of user CORP\\134a*", &thread) ||
	    is_about("errors > 0 of user CORP\\bob", &thread))
		fail("a user of a domain is another one");
}

/* What a number is called is asked again after 60 windows. */
static void remembered(void)
{
	static const struct iob_iolog_bin_record rec = { .cgroup = 7, .role_kind = ROLE_THREAD };
	struct moment_match m = { 0 };
	struct rule rule;
	unsigned int i;

	if (rule_parse(&rule, "errors > 0 of unit a"))
		fail("a rule is refused");
	asked = 0;
	unit = "a";
	for (i = 0; i < 59; i++) {
		if (!moment_match_is(&m, &rule, 3, &rec))
			fail("window %u: it is another one's", i);
		unit = "b";
		moment_match_turn(&m);
	}
	if (asked != 1)
		fail("a number's name is looked up %u times", asked);
	moment_match_turn(&m);
	if (moment_match_is(&m, &rule, 3, &rec) || asked != 2)
		fail("its name is the old one for ever");
	moment_match_forget(&m);
}

int main(void)
{
	static const struct test tests[] = { TEST(names), TEST(remembered) };

	return run_tests("daemon_match", tests, ARRAY_SIZE(tests));
}

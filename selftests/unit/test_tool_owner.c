// SPDX-License-Identifier: GPL-2.0
/*
 * Whose IO it is that a process has done since the last look, where processes become other users.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fake_msg.h"
#include "file.h"
#include "name.h"
#include "owner.h"
#include "test.h"
#include "user.h"

#define SECOND	1000000000ULL

enum { ROOT = 0, ANN = 1000, BOB = 1001 };

/* The process that has each id: its real user, who has its folder, and when it began */
static struct {
	bool there, kernel;
	uint32_t uid, folder_uid;
	uint64_t start_ns;
} process[64];

static uint64_t now_ns;
static unsigned int asked;

uint64_t clock_ns(void)
{
	return now_ns;
}

/* The machine has slept for a minute. */
uint64_t clock_boot_ns(void)
{
	return now_ns + 60 * SECOND;
}

uint32_t user_of_process(uint32_t tgid)
{
	asked++;
	return process[tgid].there ? process[tgid].uid : USER_NONE;
}

uint32_t user_of_folder(uint32_t tgid)
{
	return process[tgid].there ? process[tgid].folder_uid : USER_NONE;
}

const char *name_uid(uint32_t uid)
{
	static char text[16];

	snprintf(text, sizeof(text), "%u", uid);
	return text;
}

/* /proc/PID/stat: a hostile name, and the 22nd field */
char *file_read(const char *path)
{
	unsigned int tgid = 0, i;
	char text[400], *to = text;

	if (sscanf(path, "/proc/%u/stat", &tgid) != 1 || !process[tgid].there)
		return NULL;
	to += sprintf(to, "%u (a) 1 (b) S", tgid);
	for (i = 4; i < 22; i++)
		to += sprintf(to, " %u", i != 9 ? i : 0x40 + (process[tgid].kernel ? 0x200000 : 0));
	sprintf(to, " %llu 0", (unsigned long long)process[tgid].start_ns / (SECOND / 100));
	return must(strdup(text));
}

static void begins(uint32_t tgid, uint32_t uid)
{
	process[tgid].there = true;
	process[tgid].uid = uid;
	process[tgid].folder_uid = uid;
	process[tgid].start_ns = clock_boot_ns();
}

/* As sshd does: it cannot be dumped, so its folder is root's until it runs another program. */
static void becomes(uint32_t tgid, uint32_t uid, bool runs_another)
{
	process[tgid].uid = uid;
	process[tgid].folder_uid = runs_another ? uid : ROOT;
}

static void expect(uint32_t tgid, uint32_t first, uint64_t since_ns, uint32_t want,
		   const char *what)
{
	uint32_t got = owner_uid_since(tgid, process[tgid].start_ns, first, since_ns);

	if (got != want)
		fail("%s: user %d, not %d", what, (int)got, (int)want);
}

/* Each second a look, as the last of which each is passed. */
static void the_same(void)
{
	now_ns += 1000 * SECOND;
	begins(1, ANN);
	now_ns += SECOND;
	expect(1, ANN, now_ns - SECOND, ANN, "the first look");
	expect(1, OWNER_NONE, now_ns, ANN, "where the module knows no user, the second");
	now_ns += 3600 * SECOND;
	expect(1, ANN, now_ns - SECOND, ANN, "much later");
}

/* What root did before is nobody's; what comes after a whole interval is ann's. */
static void becomes_a_user(void)
{
	begins(2, ROOT);
	now_ns += SECOND;
	becomes(2, ANN, true);
	expect(2, ROOT, now_ns - SECOND, OWNER_NONE, "it was root in this interval");
	now_ns += SECOND;
	expect(2, ROOT, now_ns - SECOND, ANN, "the next interval");
	now_ns += 3600 * SECOND;
	expect(2, ROOT, now_ns - SECOND, ANN, "much later");
}

/* It was seen as another user at the look before. */
static void changes_between_looks(void)
{
	begins(3, ANN);
	expect(3, ANN, now_ns - SECOND, ANN, "ann");
	now_ns += SECOND;
	becomes(3, BOB, true);
	expect(3, ANN, now_ns - SECOND, OWNER_NONE, "of both");
	now_ns += SECOND;
	expect(3, ANN, now_ns - SECOND, BOB, "bob");
	/* back to who it was at first: in between it was another one */
	now_ns += SECOND;
	becomes(3, ANN, true);
	expect(3, ANN, now_ns - SECOND, OWNER_NONE, "of both again");
}

/* One that ended is whose it was at the look before, or else as the module says. */
static void ended(void)
{
	begins(4, ANN);
	expect(4, ROOT, now_ns, ANN, "known at this very look");
	now_ns += SECOND;
	process[4].there = false;
	expect(4, ROOT, now_ns - SECOND, ANN, "ended since");
	begins(5, ANN);
	process[5].there = false;
	now_ns += SECOND;
	expect(5, BOB, now_ns - SECOND, BOB, "never asked");
	expect(0, BOB, now_ns, BOB, "no process");
}

/* Its id has another process. */
static void used_again(void)
{
	uint64_t first;

	begins(6, ANN);
	first = process[6].start_ns;
	now_ns += SECOND;
	begins(6, BOB);
	if (owner_uid_since(6, first, ANN, now_ns) != ANN)
		fail("what ann did is another's");
}

/* /proc is read again at once if the folder tells, and else after half a minute. */
static void few_questions(void)
{
	unsigned int i;

	begins(7, ANN);
	asked = 0;
	for (i = 0; i < 20; i++) {
		expect(7, ANN, now_ns, ANN, "the same");
		now_ns += SECOND;
	}
	if (asked != 1)
		fail("asked %u times within 20 s", asked);
	becomes(7, BOB, true);
	owner_uid(7, process[7].start_ns);
	if (asked != 2)
		fail("its folder has changed hands, and it is not asked");
	now_ns += 31 * SECOND;
	owner_uid(7, process[7].start_ns);
	if (asked != 3)
		fail("not asked after 31 s");
}

static void expect_submitter(uint32_t pid, uint32_t want, const char *what)
{
	const struct iob_iolog_bin_record rec = { .sub_pid = pid, .queue_ns = now_ns };
	uint32_t got;

	now_ns += SECOND / 10;
	got = owner_of_submitter(&rec);
	if (got != want)
		fail("%s: submitter %d, not %d", what, (int)got, (int)want);
}

/* Records are of a moment ago. */
static void submitters(void)
{
	begins(8, BOB);
	begins(9, ROOT);
	process[9].kernel = true;
	now_ns += SECOND;
	expect_submitter(8, BOB, "bob");
	expect_submitter(9, OWNER_KERNEL, "a worker");
	expect_submitter(0, OWNER_KERNEL, "an interrupt");
	process[8].there = false;
	now_ns += SECOND;
	expect_submitter(8, OWNER_NONE, "one that has ended");
	/* its number goes to another one at once: that has begun behind the record */
	begins(10, ANN);
	now_ns -= SECOND / 2;
	expect_submitter(10, OWNER_NONE, "one that has begun since");
}

/* A record of a moment ago: what @pid did, and @sub_pid, which may be another one, submitted */
static void expect_record(uint32_t pid, uint32_t sub_pid, uint32_t first, uint32_t want,
			  const char *what)
{
	const struct iob_iolog_bin_record rec = {
		.pid = pid, .tgid = pid, .sub_pid = sub_pid, .queue_ns = now_ns,
		.uid1 = first == OWNER_NONE ? 0 : first + 1,
	};
	uint32_t got;

	now_ns += SECOND / 10;
	got = owner_of_record(&rec);
	if (got != want)
		fail("%s: record of %d, not %d", what, (int)got, (int)want);
}

enum { FLUSHER = 40 };

/* Whose process was seen before the IO, and submits it: it is certain whose it is. */
static void submitted_by_itself(void)
{
	begins(11, ANN);
	now_ns += SECOND;
	expect_record(11, 11, ANN, ANN, "ann");
	expect_record(0, 0, ANN, OWNER_NONE, "of no process");
	now_ns += SECOND;
	expect_record(11, 11, OWNER_NONE, ANN, "where the module knows no user");
	expect_record(11, 11, ROOT, ANN, "it was another one's at first");
	begins(12, ANN);
	now_ns += SECOND;
	expect_record(12, 12, OWNER_NONE, OWNER_NONE, "never seen before, and no user known");
}

/* As sshd does: it reads as root, and is ann when its record is read. */
static void changed_since_submitted(void)
{
	begins(18, ROOT);
	now_ns += SECOND;
	becomes(18, ANN, true);
	expect_record(18, 18, ROOT, OWNER_NONE, "it may have been root");
	expect_record(18, 18, ROOT, ANN, "it was ann before");
	becomes(18, BOB, true);
	expect_record(18, 18, ROOT, OWNER_NONE, "of ann or bob");
	expect_record(18, 18, ROOT, BOB, "it was bob before");
	/* back to who it was at first: in between it was another one */
	becomes(18, ROOT, true);
	expect_record(18, 18, ROOT, OWNER_NONE, "of bob or root");
	expect_record(18, 18, ROOT, ROOT, "it was root before");
	becomes(18, BOB, true);
	expect_record(18, 18, ROOT, OWNER_NONE, "of root or bob");
	becomes(18, ROOT, true);
	expect_record(18, FLUSHER, ROOT, OWNER_NONE, "of bob or root, by the flusher");
	/* it runs another program, of which the module knows who runs it */
	becomes(18, ANN, true);
	expect_record(18, 18, ANN, OWNER_NONE, "of root or ann");
	expect_record(18, FLUSHER, ANN, ANN, "ann's, by the flusher");
	/* its number goes to one that was root a moment ago */
	begins(19, ANN);
	now_ns += SECOND;
	expect_record(19, 19, ANN, ANN, "ann's");
	begins(19, ROOT);
	now_ns += SECOND;
	becomes(19, ANN, true);
	expect_record(19, 19, ROOT, OWNER_NONE, "ann had the number, not this process");
	expect_record(19, FLUSHER, ANN, ANN, "nobody has seen that it was another one's");
}

/* Of what others submit both must tell the same: the module, and who runs the process now. */
static void passed_on(void)
{
	begins(20, ANN);
	now_ns += SECOND;
	expect_record(20, FLUSHER, ANN, ANN, "ann's, by the flusher");
	expect_record(20, 0, ANN, ANN, "ann's, by an interrupt");
	expect_record(20, FLUSHER, OWNER_NONE, OWNER_NONE, "where the module knows no user");
	expect_record(20, FLUSHER, BOB, OWNER_NONE, "another one's at first");
}

/* Root dirties a file and becomes ann before the flusher writes it: she is not shown it. */
static void changed_before_record(void)
{
	begins(13, ROOT);
	now_ns += SECOND;
	becomes(13, ANN, true);
	now_ns += SECOND;
	expect_record(13, FLUSHER, ROOT, OWNER_NONE, "root's, of one that is ann by now");
	begins(14, ROOT);
	now_ns += SECOND;
	expect_record(14, FLUSHER, ROOT, ROOT, "root's, before");
	becomes(14, ANN, true);
	now_ns += SECOND;
	expect_record(14, FLUSHER, ROOT, OWNER_NONE, "root's, asked as root and as ann");
	expect_record(14, 14, ROOT, ANN, "what it submits as ann");
	expect_record(14, FLUSHER, ROOT, OWNER_NONE, "root's, still");
}

/* One that ended: what was seen of it counts as long as it had the id, else the module alone. */
static void ended_before_record(void)
{
	begins(15, ANN);
	now_ns += SECOND;
	expect_record(15, 15, ANN, ANN, "it lives");
	process[15].there = false;
	now_ns += SECOND;
	expect_record(15, FLUSHER, ANN, ANN, "ended, by the flusher");
	expect_record(15, FLUSHER, ROOT, OWNER_NONE, "ended, another one's at first");
	/* it may be one that has taken the id since */
	expect_record(15, 15, ROOT, OWNER_NONE, "ended, its last IO");
	begins(16, BOB);
	process[16].there = false;
	now_ns += SECOND;
	expect_record(16, 16, BOB, BOB, "never asked");
	expect_record(16, FLUSHER, OWNER_NONE, OWNER_NONE, "never asked, and no user known");
	/* its number goes to ann at once: that has begun behind the record */
	begins(17, ANN);
	now_ns -= SECOND / 2;
	expect_record(17, 17, ROOT, ROOT, "root's, whose id is ann's by now");
	expect_record(17, FLUSHER, ROOT, ROOT, "the same, by the flusher");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(the_same), TEST(becomes_a_user), TEST(changes_between_looks), TEST(ended),
		TEST(used_again), TEST(few_questions), TEST(submitters),
		TEST(submitted_by_itself), TEST(changed_since_submitted), TEST(passed_on),
		TEST(changed_before_record), TEST(ended_before_record),
	};

	return run_tests("tool_owner", tests, ARRAY_SIZE(tests));
}

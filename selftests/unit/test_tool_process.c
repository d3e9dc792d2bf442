// SPDX-License-Identifier: GPL-2.0
/*
 * The user and the command line of a process are those of the process that did the IO, where its id
 * is used again by one of the same name.
 */
#include "clock.h"
#include "container.h"
#include "file.h"
#include "msg.h"
#include "name.h"
#include "path.h"
#include "process.h"
#include "test.h"
#include "user.h"

#define SECOND	1000000000ULL

enum { ANN = 1000, BOB = 1001 };

/* A process, which another one may follow that has the id */
struct life {
	u32 uid;
	u64 start;		/* clock ticks; 0: it is not there */
	const char *command;
};

static struct life lives[64];
static const struct life ann = { ANN, 100, "tar ann" }, bob = { BOB, 200, "tar bob" }, gone;
static const struct life *next;		/* has the id when the question was asked */
static bool hidden;			/* nobody may look at /proc/PID/stat */
static bool ends;			/* it ends with the answer */
static u64 now = SECOND;
static struct name found;		/* the last one that was used */

uint64_t clock_ns(void)
{
	return now;
}

/* /proc/PID/stat, which has a hostile name in it */
char *file_read(const char *path)
{
	unsigned int tgid = 0, i;
	char text[400], *to = text;

	if (sscanf(path, "/proc/%u/stat", &tgid) != 1 || !lives[tgid].start || hidden)
		return NULL;
	to += sprintf(to, "%u (a) 1 (b) S", tgid);
	for (i = 4; i < 22; i++)
		to += sprintf(to, " %u", i);
	sprintf(to, " %llu 0", lives[tgid].start);
	return must(strdup(text));
}

uint32_t user_of_process(uint32_t tgid)
{
	return lives[tgid].start ? lives[tgid].uid : USER_NONE;
}

/* What /proc says of who has the id now */
static char *text_of(const struct name_key *key)
{
	const struct life *life = &lives[key->nr];

	if (!life->start)
		return NULL;
	return must(strdup(key->kind == NAME_COMMAND ? life->command :
			   life->uid == ANN ? "ann" : "bob"));
}

char *name_ask(const struct name_key *key)
{
	char *text;

	if (next)
		lives[key->nr] = *next;
	text = text_of(key);
	if (ends)
		lives[key->nr] = gone;
	return text;
}

char *name_ask_here(const struct name_key *key, bool *asked)
{
	*asked = true;
	return name_ask(key);
}

/* As ioblamed asks its namer */
static char *ask(const struct name_key *key, bool *asked)
{
	return name_ask_here(key, asked);
}

char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

void path_close(void) {}

static void note_name(struct name *name, void *arg)
{
	(void)arg;
	found = *name;
}

/* Who has the id is asked again; @user: "-" if none is known. */
static void expect(u32 tgid, const char *user, const char *command, const char *what)
{
	const char *text;

	now += 10 * SECOND;
	text = name_user(tgid, "tar");
	if (strcmp(text, user))
		fail("%s: the user is %s, not %s", what, text, user);
	text = name_command(tgid, "tar");
	if (!text != !command || (text && strcmp(text, command)))
		fail("%s: the command is %s, not %s", what, text, command);
}

static void used_again(void)
{
	lives[1] = ann;
	expect(1, "ann", "tar ann", "the first one");
	lives[1] = bob;
	expect(1, "ann", "tar ann", "another one has the id");
	lives[1] = gone;
	expect(1, "ann", "tar ann", "nobody has the id");
	now += 86400 * SECOND;
	lives[1] = bob;
	expect(1, "ann", "tar ann", "another one, a day later");
}

/* sshd becomes its user, a shell runs another script */
static void changes(void)
{
	lives[2] = ann;
	expect(2, "ann", "tar ann", "before");
	lives[2].uid = BOB;
	lives[2].command = "tar both";
	expect(2, "bob", "tar both", "the same process");
	lives[2] = bob;
	expect(2, "bob", "tar both", "another one");
}

static void gone_at_first(void)
{
	lives[3] = gone;
	expect(3, "-", NULL, "gone");
	lives[3] = bob;
	expect(3, "-", NULL, "another one has the id of one that was gone");
}

/* The id has another process when the question is answered. */
static void while_it_is_asked(void)
{
	next = &bob;
	lives[4] = ann;
	now += 10 * SECOND;
	if (strcmp(name_user(4, "tar"), "-"))
		fail("the user of another one: %s", name_user(4, "tar"));
	lives[5] = ann;
	if (name_command(5, "tar"))
		fail("the command of another one: %s", name_command(5, "tar"));
	next = NULL;
	expect(4, "-", "tar bob", "the user was asked for in vain");
	/* one that ends with the answer has given it */
	ends = true;
	lives[6] = ann;
	if (strcmp(name_user(6, "tar"), "ann"))
		fail("the user of one that ended is %s", name_user(6, "tar"));
	ends = false;
}

/* Where nobody may look it is as it always was. */
static void not_readable(void)
{
	hidden = true;
	lives[7] = ann;
	expect(7, "ann", "tar ann", "hidden");
	lives[7].command = "tar more";
	expect(7, "ann", "tar more", "hidden, again");
	hidden = false;
}

/* What is of a process is told to the user who ran it, and to no other one that has its id. */
static void told_to(void)
{
	name_ask_by(ask);
	name_watch(note_name, NULL);
	lives[8] = ann;
	expect(8, "ann", "tar ann", "by another process");
	if (!name_is_of_user(&found, ANN) || name_is_of_user(&found, BOB))
		fail("%s is not ann's", found.text);
	lives[8] = bob;
	expect(8, "ann", "tar ann", "by another process, used again");
	if (!name_is_of_user(&found, ANN) || name_is_of_user(&found, BOB))
		fail("%s is bob's", found.text);
	name_watch(NULL, NULL);
	name_ask_by(NULL);
}

/* Who runs without end forgets one that ended. */
static void forgotten(void)
{
	process_forget_after(600 * SECOND);
	lives[9] = ann;
	expect(9, "ann", "tar ann", "the first one");
	now += 3600 * SECOND;
	expect(9, "ann", "tar ann", "it lives");
	lives[9] = bob;
	now += 500 * SECOND;
	expect(9, "ann", "tar ann", "ended a moment ago");
	now += 100 * SECOND;
	expect(9, "ann", "tar ann", "who has its id is seen");
	expect(9, "bob", "tar bob", "ended long ago");
	process_forget_after(UINT64_MAX);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(used_again), TEST(changes), TEST(gone_at_first), TEST(while_it_is_asked),
		TEST(not_readable), TEST(told_to), TEST(forgotten),
	};

	return run_tests("tool_process", tests, ARRAY_SIZE(tests));
}

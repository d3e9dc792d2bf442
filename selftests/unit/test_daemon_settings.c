// SPDX-License-Identifier: GPL-2.0
/*
 * What the daemon sets in the module, and puts back: what is another's stays, who is stopped while
 * he switches on is not waited for, and what cannot be put back now is kept.  The module's files
 * are files of a folder.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "settings.h"
#include "test.h"

/* all is in the folder of the test */
#undef SETTINGS_FOLDER
#undef SETTINGS_FILE
#undef SETTINGS_MODULE
#define SETTINGS_FOLDER	"run"
#define SETTINGS_FILE	"run/settings"
#define SETTINGS_MODULE	"module"

#include "../../tools/ioblamed/settings.c"

static unsigned int session, nr_disks = 1, nr_devs, nr_writes;
static const char *gone[2];	/* these disks are not there any more */

static void put(const char *name, const char *text, const char *mode)
{
	FILE *f = fopen(name, mode);

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("%s: %s", name, strerror(errno));
}

static void put_status(bool on)
{
	char text[64];

	snprintf(text, sizeof(text), "enabled %d\nsession %u\n", on, session);
	put("status", text, "w");
}

int dir_open(const char *name, int flags)
{
	return open(name, flags | O_CLOEXEC);
}

char *dir_read(const char *name)
{
	return file_read(name);
}

char *dir_read_word(const char *name)
{
	char *text = file_read(name);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* `devs` is a list that is bounded, and takes all words or none, each once. */
static int write_devs(const char *text, int flags)
{
	char words[4096 + 1], lines[4096 + 2] = "", *word, *rest = NULL;
	unsigned int nr = flags & O_TRUNC ? 0 : nr_devs;

	nr_writes++;
	if (strlen(text) >= sizeof(words))
		return -E2BIG;
	strcpy(words, text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (gone[0] && (!strcmp(word, gone[0]) || !strcmp(word, gone[1])))
			return -ENODEV;
		if (nr++ == DEVICES_MAX)
			return -ENOSPC;
		strcat(strcat(lines, word), "\n");
	}
	nr_devs = nr;
	put("devs", lines, flags & O_TRUNC ? "w" : "a");
	return 0;
}

/* As the module does: who switches on begins a session. */
int dir_write(const char *name, const char *text, int flags)
{
	char line[64];

	if (!strcmp(name, "devs"))
		return write_devs(text, flags);
	snprintf(line, sizeof(line), "%s\n", text);
	put(name, line, "w");
	if (!strcmp(name, "enable")) {
		session += *text == '1';
		put_status(*text == '1');
	}
	return 0;
}

unsigned int device_every(struct device **all)
{
	unsigned int i;

	*all = realloc(*all, (nr_disks + 1) * sizeof(**all));
	for (i = 0; i < nr_disks; i++) {
		sprintf((*all)[i].number, "8:%u", i);
		sprintf((*all)[i].name, "sd%u", i);
	}
	return i;
}

static bool in_pass;

void node_pass_begin(void)
{
	in_pass = true;
}

void node_pass_end(void)
{
	in_pass = false;
}

/* sd0 is 8:0, as long as there are so many; disk/0 is another name of it. */
bool device_lookup(const char *word, struct device *d)
{
	unsigned int n;

	if (!in_pass)
		fail("%s is looked up alone, and all links are read for it", word);
	if ((sscanf(word, "sd%u", &n) != 1 && sscanf(word, "disk/%u", &n) != 1) || n >= nr_disks)
		return false;
	memset(d, 0, sizeof(*d));
	d->dev = 8 << 20 | n;
	sprintf(d->number, "8:%u", n);
	sprintf(d->name, "sd%u", n);
	return true;
}

static void begin(void)
{
	put("enable", "0\n", "w");
	put("sums", "0\n", "w");
	put("devs", "", "w");
	put("module", "", "w");
	session = 6;
	put_status(false);
	unlink(SETTINGS_FILE);
}

/* The module is unloaded and loaded; what has a new number is there before the old one goes. */
static void load_again(void)
{
	put("loaded", "", "w");
	rename("loaded", "module");
	put("enable", "0\n", "w");
	put("sums", "0\n", "w");
	put("devs", "", "w");
	session = 0;
	put_status(false);
}

static bool has(const char *name, const char *text)
{
	char *is = file_read(name);
	bool same = is && !strcmp(is, text);

	free(is);
	return same;
}

static void put_back_own(void)
{
	struct stat st;
	char text[96];

	begin();
	if (settings_kept())
		fail("settings are kept before any were taken");
	if (settings_take() || !has("enable", "1\n") || !has("sums", "1\n") ||
	    !has("devs", "8:0\n"))
		fail("it is not on");
	if (!settings_kept())
		fail("a daemon that is killed leaves no settings");
	if (settings_restore() || !has("enable", "0\n") || !has("sums", "0\n") || !has("devs", ""))
		fail("it is not as it was");
	if (!access(SETTINGS_FILE, F_OK))
		fail("the settings are kept");
	/* somebody switches it off, and the daemon on again: that session is its own, too */
	begin();
	settings_take();
	dir_write("enable", "0", 0);
	settings_take();
	stat("module", &st);
	snprintf(text, sizeof(text), "enable 0\nsums 0\nmodule %llu\nsession 8\n", (u64)st.st_ino);
	if (!has(SETTINGS_FILE, text))
		fail("the next session is not noted");
	if (settings_restore() || !has("enable", "0\n"))
		fail("its second session goes on");
}

/* Somebody has ended the daemon's session, and begun another one. */
static void taken_over(void)
{
	begin();
	settings_take();
	dir_write("enable", "0", 0);
	dir_write("devs", "8:16", O_TRUNC);
	dir_write("enable", "1", 0);
	settings_take();
	if (settings_restore() || !has("enable", "1\n") || !has("devs", "8:16\n"))
		fail("another's session is ended");
	if (!has("sums", "0\n"))
		fail("the sums go on");
	/* on before the daemon: no session is its own */
	begin();
	dir_write("enable", "1", 0);
	settings_take();
	if (settings_restore() || !has("enable", "1\n"))
		fail("it is not on any more");
}

/*
 * A command that began before the daemon ends: what was set is what it has put back, the disks that
 * come are watched, and it is off when the daemon ends.
 */
static void command_ends(void)
{
	struct stat st;
	char text[96];
	int sums;

	for (sums = 0; sums < 2; sums++) {
		begin();
		put("sums", sums ? "1\n" : "0\n", "w");
		dir_write("devs", "8:16", O_TRUNC);
		dir_write("enable", "1", 0);
		if (settings_take() || own_disks)
			fail("another's disks are taken for all");
		/* the command's session is the last one: it switches off and puts devices back */
		dir_write("enable", "0", 0);
		put("devs", "", "w");
		if (settings_take() || !own_disks || !has("enable", "1\n"))
			fail("not all disks are watched");
		stat("module", &st);
		snprintf(text, sizeof(text), "enable 0\nsums %d\nmodule %llu\nsession 8\n", sums,
			 (u64)st.st_ino);
		if (!has(SETTINGS_FILE, text))
			fail("what the command put back is not kept");
		nr_disks = 2;
		settings_add_disks();
		if (!has("devs", "8:0\n8:1\n"))
			fail("a disk that came is not watched");
		nr_disks = 1;
		if (settings_restore() || !has("enable", "0\n") || !has("devs", "") ||
		    !has("sums", sums ? "1\n" : "0\n"))
			fail("it stays on");
	}
	/* disks were chosen before the command began */
	begin();
	dir_write("devs", "8:16", O_TRUNC);
	dir_write("enable", "1", 0);
	settings_take();
	dir_write("enable", "0", 0);
	dir_write("devs", "8:32", O_TRUNC);
	if (settings_take() || own_disks || !has("devs", "8:32\n"))
		fail("the disks that were chosen are not watched");
	if (settings_restore() || !has("enable", "0\n") || !has("devs", "8:32\n"))
		fail("what was chosen is not put back");
}

/* The module is loaded again under the daemon, which had found it on, or off. */
static void loaded_again(void)
{
	int was_on;

	for (was_on = 0; was_on < 2; was_on++) {
		begin();
		if (was_on) {
			dir_write("devs", "8:16", O_TRUNC);
			dir_write("enable", "1", 0);
		}
		settings_take();
		load_again();
		if (settings_kept())
			fail("%d: the settings of the module before are taken for this one's",
			     was_on);
		if (settings_take() || !has("enable", "1\n") || !has("devs", "8:0\n"))
			fail("%d: the new module is not on", was_on);
		if (settings_restore() || !has("enable", "0\n") || !has("sums", "0\n") ||
		    !has("devs", ""))
			fail("%d: the new module stays on", was_on);
	}
	/* somebody has switched the new one on, before the daemon takes it */
	begin();
	settings_take();
	load_again();
	dir_write("devs", "8:16", O_TRUNC);
	dir_write("enable", "1", 0);
	settings_take();
	if (settings_restore() || !has("enable", "1\n") || !has("devs", "8:16\n"))
		fail("another's session of the new module is ended");
	/* or instead of it: both began their first session */
	begin();
	session = 0;
	settings_take();
	load_again();
	dir_write("devs", "8:16", O_TRUNC);
	dir_write("enable", "1", 0);
	if (settings_restore() || !has("enable", "1\n") || !has("devs", "8:16\n"))
		fail("a session of the same number is ended");
	if (!access(SETTINGS_FILE, F_OK))
		fail("the settings of a module that is gone are kept");
}

/* A command was stopped while it switches on. */
static void locked(void)
{
	struct timespec from, to;
	int lock, err;

	begin();
	lock = open("enable", O_RDWR);
	if (flock(lock, LOCK_EX))
		fail("flock: %s", strerror(errno));
	clock_gettime(CLOCK_MONOTONIC, &from);
	alarm(30);
	err = settings_take();
	alarm(0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (err != -ETIMEDOUT || to.tv_sec - from.tv_sec > 5)
		fail("%d after %lld s", err, (long long)(to.tv_sec - from.tv_sec));
	close(lock);
	if (settings_take() || settings_restore())
		fail("it is locked for good");
}

/* The module's files are not there: while the module is, the settings are kept. */
static void unmounted(void)
{
	begin();
	settings_take();
	rename("enable", "elsewhere");
	if (settings_restore() != -ENOENT || access(SETTINGS_FILE, F_OK))
		fail("what was set is forgotten");
	rename("elsewhere", "enable");
	if (settings_restore() || !has("enable", "0\n"))
		fail("it is not put back later");
	settings_take();
	unlink("enable");
	unlink("module");
	if (settings_kept())
		fail("settings of no module");
	if (settings_restore() || !access(SETTINGS_FILE, F_OK))
		fail("the settings outlive the module");
}

static bool said(const char *text)
{
	char *all = file_read("said");
	bool has_it = all && strstr(all, text);

	free(all);
	return has_it;
}

/* More disks than the module watches, at once or later: that is said, once. */
static void too_many(void)
{
	int saved = dup(STDERR_FILENO), k;

	for (k = 0; k < 2; k++) {
		put("said", "", "w");
		if (!freopen("said", "a", stderr))
			fail("said: %s", strerror(errno));
		begin();
		said_left = false;
		nr_disks = k ? DEVICES_MAX : 3000;
		if (settings_take() || nr_devs != DEVICES_MAX)
			fail("%d: %u disks are watched", k, nr_devs);
		fflush(stderr);
		if (said("cannot") == k)
			fail("%d: something is said, or not, when it is on", k);
		nr_disks = k ? DEVICES_MAX + 7 : 3000;
		settings_add_disks();
		fflush(stderr);
		if (!said(k ? "more than 1024 disks cannot be watched: 7 are not\n" :
			  "more than 1024 disks cannot be watched: 1976 are not\n"))
			fail("%d: it is not said how many are not watched", k);
		put("said", "", "w");
		settings_add_disks();
		fflush(stderr);
		if (said("cannot"))
			fail("%d: it is said again", k);
		settings_restore();
	}
	nr_disks = 1;
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void expect_watched(const char *lines)
{
	char *is = file_read("devs");

	if (!is || !strstr(is, lines))
		fail("devs has not %s", lines);
	free(is);
}

/* What had no room is not asked for at each interval, but when it may have some. */
static void no_room(void)
{
	unsigned int k;

	begin();
	msg_quiet(true);
	nr_disks = 3000;
	if (settings_take())
		fail("it is not on");
	settings_add_disks();
	for (k = 0; k < 4; k++) {
		/* a disk comes, and goes */
		nr_disks = k & 1 ? 3001 : 3000;
		if (k)
			settings_add_disks();
		nr_writes = 0;
		settings_add_disks();
		settings_add_disks();
		if (nr_writes)
			fail("%u: %u writes where nothing has changed", k, nr_writes);
	}
	/* somebody else makes room */
	dir_write("devs", "8:0", O_TRUNC);
	settings_add_disks();
	if (nr_devs != DEVICES_MAX)
		fail("%u disks are watched when there is room", nr_devs);
	/* and once more, with others in front */
	settings_add_disks();
	dir_write("devs", "8:0 8:2999", O_TRUNC);
	settings_add_disks();
	expect_watched("8:2999\n8:1\n");
	/* another module, in which as many have room */
	load_again();
	nr_devs = 0;
	settings_take();
	if (nr_devs != DEVICES_MAX)
		fail("%u disks are watched by another module", nr_devs);
	msg_quiet(false);
	settings_restore();
	nr_disks = 1;
}

/* The disks of the configuration, and no others, are watched once they are there. */
static void configured(void)
{
	msg_quiet(true);
	settings_disks("disk/1 sd1 sd3 nonsense ");
	begin();
	nr_disks = 1;
	if (settings_take() != -ENODEV || !has("devs", "") || !has("enable", "0\n"))
		fail("it watches what is not there");
	nr_disks = 3;
	if (settings_take() || !has("devs", "8:1\n"))
		fail("not the one disk is watched that is there");
	settings_add_disks();
	if (!has("devs", "8:1\n"))
		fail("a disk is added that is not wanted");
	nr_disks = 4;
	settings_add_disks();
	if (!has("devs", "8:1\n8:3\n"))
		fail("a disk that came is not watched");
	/* somebody takes one away, and adds another: that stays */
	dir_write("devs", "8:2 8:3", O_TRUNC);
	settings_add_disks();
	if (!has("devs", "8:2\n8:3\n8:1\n"))
		fail("one that was taken away is not watched again");
	if (settings_restore() || !has("devs", "") || !has("enable", "0\n"))
		fail("it is not as it was");
	/* who has chosen before goes first */
	begin();
	dir_write("devs", "8:2", O_TRUNC);
	if (settings_take() || !has("devs", "8:2\n"))
		fail("another's choice is not kept");
	settings_add_disks();
	if (!has("devs", "8:2\n"))
		fail("another's choice is added to");
	settings_restore();
	settings_disks("");
	nr_disks = 1;
	msg_quiet(false);
}

/* The lines of `devs` are these disks', in order. */
static void expect_disks(const char *what, unsigned int nr, const char *but, const char *but2)
{
	char *is = file_read("devs"), *want = malloc(nr * 16 + 1), number[16];
	unsigned int i;

	*want = '\0';
	for (i = 0; i < nr; i++) {
		sprintf(number, "8:%u", i);
		if (strcmp(number, but) && strcmp(number, but2))
			strcat(strcat(want, number), "\n");
	}
	if (!is || strcmp(is, want))
		fail("%s: other disks are watched", what);
	free(is);
	free(want);
}

/*
 * Each write makes the module open devices and wait: there are few, also if a disk goes meanwhile,
 * which takes no other along.
 */
static void many(void)
{
	const unsigned int all = DEVICES_MAX - 1;
	unsigned int k;

	for (k = 0; k < 2; k++) {
		gone[0] = k ? "8:700" : NULL;
		gone[1] = "8:3";
		begin();
		nr_disks = 1000;
		nr_writes = 0;
		if (settings_take())
			fail("%u: it is not on", k);
		expect_disks("at the start", 1000, k ? "8:3" : "", k ? "8:700" : "");
		if (nr_writes > (k ? 50 : 3))
			fail("%u: %u writes of 1000 disks", k, nr_writes);
		note("%u: %u writes", k, nr_writes);
		nr_disks = all;
		nr_writes = 0;
		msg_quiet(true);
		settings_add_disks();
		msg_quiet(false);
		expect_disks("later", all, k ? "8:3" : "", k ? "8:700" : "");
		if (nr_writes > (k ? 25 : 1))
			fail("%u: %u writes of 23 disks", k, nr_writes);
		settings_restore();
	}
	gone[0] = NULL;
	/* somebody's, put back: one has gone */
	begin();
	nr_disks = all;
	settings_take();
	dir_write("enable", "0", 0);
	unlink(SETTINGS_FILE);
	gone[0] = "8:700";
	keep_settings("0", "0");
	nr_writes = 0;
	if (settings_restore() || nr_writes > 50)
		fail("%u writes to put %u disks back", nr_writes, all);
	expect_disks("put back", all, "8:3", "8:700");
	/* both have */
	begin();
	dir_write("devs", "8:0", O_TRUNC);
	nr_disks = 1;
	keep_settings("0", "0");
	gone[0] = gone[1] = "8:0";
	if (settings_restore() || !has("devs", ""))
		fail("a disk that is gone is watched");
	gone[0] = NULL;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(put_back_own), TEST(taken_over), TEST(command_ends), TEST(loaded_again),
		TEST(locked), TEST(unmounted), TEST(too_many), TEST(no_room), TEST(many),
		TEST(configured),
	};
	char folder[] = "/tmp/iob-settings-XXXXXX", command[64];
	int ret;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	ret = run_tests("daemon_settings", tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : ret;
}

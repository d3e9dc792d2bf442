// SPDX-License-Identifier: GPL-2.0
/* The tables of options and commands, and all that is made of them: help, manual, completion. */
#include <sys/stat.h>
#include <unistd.h>

#include "blkevent.h"
#include "choice.h"
#include "help.h"
#include "options.h"
#include "test.h"

static char manual[1 << 17], text[1 << 16];

static void read_manual(void)
{
	FILE *f = fopen(MANUAL, "r");

	if (!f || !fread(manual, 1, sizeof(manual) - 1, f))
		fail("cannot read %s", MANUAL);
	if (f)
		fclose(f);
}

/* What a function prints on stdout, in @text. */
static void print_into_text(void (*print)(int command), int command)
{
	FILE *usual = stdout;

	memset(text, 0, sizeof(text));
	stdout = fmemopen(text, sizeof(text), "w");
	print(command);
	fclose(stdout);
	stdout = usual;
}

static void print_manual(int command)
{
	(void)command;
	help_manual();
}

static void print_words(int command)
{
	(void)command;
	help_words();
}

/* A name has one letter, and a command has one row of each name and of each letter. */
static void is_unambiguous(void)
{
	const struct option_row *a, *b, *end = option_rows + option_nr;

	for (a = option_rows; a < end; a++) {
		for (b = a + 1; a->set && b < end; b++) {
			bool same = b->set && !strcmp(a->name, b->name);

			if (same && (a->letter != b->letter || !a->value != !b->value))
				fail("--%s has two forms", a->name);
			if (same && a->commands & b->commands)
				fail("a command has two --%s", a->name);
			if (b->set && !same && a->letter && a->letter == b->letter &&
			    a->commands & b->commands)
				fail("-%c is --%s and --%s", a->letter, a->name, b->name);
		}
		if (!a->commands || !a->help)
			fail("%s is nobody's, or has no help", a->name);
	}
}

/* Each line of each help is shown whole by a terminal of 80 columns. */
static void helps_fit(void)
{
	char *line, *rest;
	int c;

	for (c = -1; c < NR_COMMANDS; c++) {
		print_into_text(help_print, c);
		if (strncmp(text, "Examples:\n", 10) ||
		    !strstr(text, c < 0 ? "Commands:" : "Usage:")) {
			fail("the help of command %d has no examples or no usage", c);
			continue;
		}
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			if (strlen(line) > 80)
				fail("a line is too long: %s", line);
		}
	}
}

/* `make -C tools/ioblame manual` has been run. */
static void manual_has_synopsis(void)
{
	print_into_text(print_manual, 0);
	if (!strstr(manual, text))
		fail("another synopsis: make -C tools/ioblame manual");
}

/* True if the manual's section has a line that begins with a dot and has the text. */
static bool is_headed(const char *section, const char *what)
{
	const char *at = strstr(manual, section), *end = at ? strstr(at + 1, "\n.SH") : NULL;
	const char *line;

	while ((at = at ? strstr(at + 1, what) : NULL) && at < end) {
		for (line = at; line[-1] != '\n'; line--)
			;
		if (*line == '.' && !strchr("abcdefghijklmnopqrstuvwxyz-_", at[strlen(what)]))
			return true;
	}
	return false;
}

static void manual_has_all(void)
{
	const struct option_row *row;
	char name[80];
	size_t n;
	int i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (!is_headed("\n.SH COMMANDS", choice_commands[i]))
			fail("the manual's COMMANDS have no %s", choice_commands[i]);
	}
	for (row = option_rows; row < option_rows + option_nr; row++) {
		if (!row->set)
			continue;
		n = sprintf(name, "\\-\\-");
		for (i = 0; row->name[i]; i++)
			n += sprintf(name + n, row->name[i] == '-' ? "\\-" : "%c", row->name[i]);
		if (!is_headed("\n.SH OPTIONS", name))
			fail("the manual's OPTIONS have no --%s", row->name);
	}
}

/* The manual's paragraph of --sort names the commands that have it, and no others. */
static void manual_says_who_sorts(void)
{
	char *begin = strstr(manual, "\n.BR \\-s \", \" \\-\\-sort"), *end;
	int c;

	begin = begin ? strchr(begin + 1, '\n') : NULL;
	end = begin ? strstr(begin, "\n.TP") : NULL;
	if (!end) {
		fail("there is no --sort");
		return;
	}
	*end = '\0';
	for (c = 0; c < NR_COMMANDS; c++) {
		if (!strstr(begin, choice_commands[c]) != !option_find(c, 's'))
			fail("--sort of %s", choice_commands[c]);
	}
	*end = '\n';
}

/* What bash offers for a line whose last word is being typed, with commas; disks are in dir/block. */
static const char *completed(const char *dir, const char *line)
{
	static char answer[1 << 14];
	char command[2048];
	FILE *f;

	snprintf(command, sizeof(command),
		 "bash -c 'exec 2>/dev/null; . <(sed s,/sys/class/block,%s/block, %s); cd %s; PATH=%s:$PATH; COMP_WORDS=(%s/ioblame %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
		 " _ioblame; IFS=,; echo \",${COMPREPLY[*]},\"'", dir, COMPLETION, dir, dir, dir, line);
	memset(answer, 0, sizeof(answer));
	f = popen(command, "r");
	if (!f || !fread(answer, 1, sizeof(answer) - 1, f))
		fail("bash does not run");
	if (f)
		pclose(f);
	return answer;
}

static void put_program(const char *dir, const char *name, const char *body)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f) {
		fail("%s: %s", path, strerror(errno));
		return;
	}
	fprintf(f, "#!/bin/sh\n%s", body);
	fclose(f);
	chmod(path, 0700);
}

/* Names of programs and files are anybody's: they are offered as they are, and run nothing. */
static void offers_hostile_names(const char *dir)
{
	static const char * const lines[][2] = {
		{ "snoop -c \"\"", ",\\$\\(touch\\ run\\)," }, { "snoop -c \"\"", ",a\\ b," },
		{ "replay \"\"", ",\\$\\(touch\\ run\\)," },
		/* within quotes bash completes by itself, which knows how to quote there */
		{ "replay \"\\\"\"", ",," },
	};
	char path[128];
	size_t i;

	put_program(dir, "ps", "echo '$(touch run)'; echo 'a b'; echo '`touch run`'\n");
	snprintf(path, sizeof(path), "%s/$(touch run)", dir);
	fclose(fopen(path, "w"));
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strstr(completed(dir, lines[i][0]), lines[i][1]))
			fail("ioblame %s has not '%s' but %s", lines[i][0], lines[i][1],
			     completed(dir, lines[i][0]));
	}
	unlink(path);
	snprintf(path, sizeof(path), "%s/run", dir);
	if (!access(path, F_OK))
		fail("a name was run");
	unlink(path);
	snprintf(path, sizeof(path), "%s/ps", dir);
	unlink(path);
}

/* A disk is offered by the name that it is known by, which is not always that of its folder. */
static void offers_disks(const char *dir)
{
	static const char * const lines[][2] = {
		{ "snoop -D \"\"", ",cciss/c0d0,sda," },
		{ "config devices add \"\"", ",cciss/c0d0,sda," },
	};
	static const char * const made[] = { "block", "block/cciss!c0d0", "block/sda" };
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, made[i]);
		if (mkdir(path, 0700))
			fail("%s: %s", path, strerror(errno));
	}
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strstr(completed(dir, lines[i][0]), lines[i][1]))
			fail("ioblame %s has not '%s' but %s", lines[i][0], lines[i][1],
			     completed(dir, lines[i][0]));
	}
	for (i = ARRAY_SIZE(made); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", dir, made[i]);
		rmdir(path);
	}
}

static void completes(void)
{
	/* the last word is that under the cursor; \"\" if it is empty */
	static const char * const lines[][2] = {
		{ "\"\"", ",top," }, { "\"\"", ",doctor," }, { "\"\"", ",help," },
		{ "sn", ",snoop," }, { "top --", ",--device," }, { "top --ac", ",--accumulate," },
		{ "snoop --min", ",--min-lat," }, { "report --by \"\"", ",device," },
		{ "report --by = \"\"", ",cgroup," }, { "report --by =", ",why," },
		{ "hist --by = pro", ",process," }, { "top -s p", ",p99," },
		{ "stat -s t", ",time," },
		{ "hist \"\"", ",total_time," }, { "stacks --weight \"\"", ",time," },
		{ "replay /dev/null \"\"", ",snoop," }, { "replay /dev/null sn", ",snoop," },
		{ "replay /dev/null snoop --st", ",--stacks," },
		{ "config set \"\"", ",role," }, { "config set role \"\"", ",process," },
		{ "config set charge \"\"", ",first," }, { "config devices \"\"", ",only," },
		{ "doctor --bun", ",--bundle=," }, { "help \"\"", ",record," },
	};
	static const char * const never[][2] = {
		{ "snoop --", ",--by," }, { "replay /dev/null \"\"", ",record," },
		{ "status --", ",--device," }, { "report --by \"\"", ",top," },
		{ "stat -s p", ",p99," },
	};
	char dir[] = "/tmp/ioblame.options.XXXXXX", path[80], *body;
	size_t i;

	print_into_text(print_words, 0);
	if (!mkdtemp(dir)) {
		fail("no folder");
		return;
	}
	if (asprintf(&body, "[ \"$*\" = 'help --words' ] || exit 1\ncat <<'EOF'\n%sEOF\n", text) < 0)
		return;
	put_program(dir, "ioblame", body);
	free(body);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strstr(completed(dir, lines[i][0]), lines[i][1]))
			fail("ioblame %s has not '%s' but %s", lines[i][0], lines[i][1],
			     completed(dir, lines[i][0]));
	}
	for (i = 0; i < ARRAY_SIZE(never); i++) {
		if (strstr(completed(dir, never[i][0]), never[i][1]))
			fail("ioblame %s has '%s'", never[i][0], never[i][1]);
	}
	offers_hostile_names(dir);
	offers_disks(dir);
	snprintf(path, sizeof(path), "%s/ioblame", dir);
	unlink(path);
	if (rmdir(dir))
		fail("%s: %s", dir, strerror(errno));
}

/* Each action of a kernel's event is offered, and nothing that is not taken. */
static void offers_acts(void)
{
	const struct option_row *row = option_rows;
	char offered[512], word[64], *at, *rest;
	uint32_t acts;
	size_t i;

	while (strcmp(row->name, "act"))
		row++;
	snprintf(offered, sizeof(offered), " %s ", row->complete);
	for (i = 0; i < NR_BLKEVENTS; i++) {
		snprintf(word, sizeof(word), " %s ", blkevent_words[i]);
		if (!strstr(offered, word))
			fail("%s is not offered", blkevent_words[i]);
	}
	for (at = strtok_r(offered, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		acts = 0;
		if (!blkevent_parse_acts(at, &acts))
			fail("%s is offered, and not taken", at);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(is_unambiguous), TEST(helps_fit), TEST(manual_has_synopsis),
		TEST(manual_has_all), TEST(manual_says_who_sorts), TEST(offers_acts),
		TEST(completes),
	};

	read_manual();
	return run_tests("tool_options", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What the tables of options.h say, in three forms: --help for a reader, the synopsis of the
 * manual (`help --manual`), and words for the completion (`help --words`).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "help.h"
#include "options.h"
#include "text.h"

enum {
	HELP_INDENT = 26,	/* where what an option does begins */
	HELP_WIDTH = 80,
};

static const char examples[] =
	"Examples:\n"
	"  ioblame                         the processes that cause IO now (live; q ends)\n"
	"  ioblame snoop -D sda            one line for each IO of a disk\n"
	"  ioblame report -d 10            a summary of ten seconds\n"
	"  ioblame report --sync -- COMMAND   the IO that a command causes\n"
	"  ioblame hist total_time --by process -d 10\n"
	"  ioblame stacks --svg -d 10 > io.svg\n"
	"  ioblame record -o FILE; ioblame replay FILE snoop\n"
	"  ioblame doctor                  why ioblame does not work here\n";

static const char tail[] =
	"  -V, --version           the version\n"
	"  -h, --help              this text; ioblame COMMAND --help has more\n"
	"\n"
	"Exit status: 0 success, 1 failure, 2 usage, 3 no module, 4 refused.\n"
	"ioblame(8) has more.\n";

/* Print words from column @at on, and below HELP_INDENT when the line is full. */
static void print_wrapped(const char *text, int at)
{
	bool first = true;
	size_t len;

	for (; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, " \n");
		if (!first && at + 1 + (int)len > HELP_WIDTH) {
			printf("\n%*s", HELP_INDENT, "");
			at = HELP_INDENT;
		} else if (!first) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)len, text);
		at += len;
		first = text[len] == '\n';
		if (first) {
			printf("\n%*s", HELP_INDENT, "");
			at = HELP_INDENT;
		}
	}
	putchar('\n');
}

/* The left column: "  -D, --device DEVICE" */
static void name_option(char *to, size_t size, const struct option_row *row)
{
	const char *value = row->value ? row->value : "";

	if (!row->set)
		snprintf(to, size, "  %s", row->name);
	else if (row->letter)
		snprintf(to, size, "  -%c, --%s%s%s", row->letter, row->name,
			 *value && *value != '[' ? " " : "", value);
	else
		snprintf(to, size, "      --%s%s%s", row->name,
			 *value && *value != '[' ? " " : "", value);
}

static void print_option(const struct option_row *row)
{
	char left[80], list[CHOICE_LIST] = "", text[CHOICE_LIST + 256];
	int n;

	name_option(left, sizeof(left), row);
	if (row->words)
		choice_list(list, row->words, row->nr_words);
	snprintf(text, sizeof(text), row->help, list);
	n = printf("%-*s", HELP_INDENT, left);
	if (n > HELP_INDENT)
		n += printf(" ");
	print_wrapped(text, n);
}

/* Print the options that all of these commands have. */
static void print_options(unsigned int commands)
{
	const struct option_row *row;

	for (row = option_rows; row < option_rows + option_nr; row++) {
		if ((row->commands & commands) == commands)
			print_option(row);
	}
}

/* Print the help of an enum command, or of all for -1, on stdout. */
void help_print(int command)
{
	unsigned int i;

	if (command >= 0) {
		printf("Examples:\n%s\nUsage: ioblame %s\n\n", command_rows[command].examples,
		       command_rows[command].usage);
		print_options(1U << command);
		fputs(tail, stdout);
		return;
	}
	printf("%s\nCommands:\n", examples);
	for (i = 0; i < NR_COMMANDS; i++)
		printf("  %-9s %s\n", choice_commands[i], command_rows[i].summary);
	printf("\nOptions of all views:\n");
	print_options(VIEWS);
	fputs(tail, stdout);
}

/* True if a word is the name of what stands there, not what is typed. */
static bool is_placeholder(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isupper((unsigned char)word[i]))
			return false;
	}
	return len;
}

/* A usage in roff: what is typed is bold, what stands for something is italic. */
static void print_roff(const char *usage)
{
	size_t len, i;

	printf("\\fBioblame ");
	for (; *usage; usage += len) {
		len = strspn(usage, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");
		if (!len) {
			len = strcspn(usage,
				      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");
			printf("\\fR%.*s", (int)len, usage);
			continue;
		}
		printf(is_placeholder(usage, len) ? "\\fI" : "\\fB");
		for (i = 0; i < len; i++) {
			if (usage[i] == '-')
				putchar('\\');
			putchar(is_placeholder(usage, len) ? text_lower(usage[i]) : usage[i]);
		}
	}
	printf("\\fR\n");
}

/* Print the synopsis of the manual. */
void help_manual(void)
{
	unsigned int i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (i)
			printf(".br\n");
		print_roff(command_rows[i].usage);
	}
}

/* What the values of an option or an argument are: words, or the name of what they are. */
static void print_values(const struct option_row *row)
{
	int i;

	if (row->words) {
		for (i = 0; i < row->nr_words; i++)
			printf(" %s", row->words[i]);
	} else if (row->complete) {
		printf(" %s", row->complete);
	}
}

/*
 * Print what ioblame.bash needs, a line for each command and for each of its options:
 *
 *	command NAME view|watch|other
 *	option NAME --LONG -L|- none|value|maybe VALUE...
 *	argument NAME VALUE...
 *	config WORD VALUE...		what may follow a word of `config`
 */
void help_words(void)
{
	const struct choice_config *c;
	const struct option_row *row;
	const char *const *w;
	unsigned int i;

	for (i = 0; i < NR_COMMANDS; i++) {
		printf("command %s %s\n", choice_commands[i], REPLAYS & 1U << i ? "view" :
		       WATCHES & 1U << i ? "watch" : "other");
		for (row = option_rows; row < option_rows + option_nr; row++) {
			if (!(row->commands & 1U << i) || (!row->set && !row->words))
				continue;
			if (row->set)
				printf("option %s --%s %c%c %s", choice_commands[i], row->name,
				       '-', row->letter ? row->letter : '-', !row->value ? "none" :
				       *row->value == '[' ? "maybe" : "value");
			else
				printf("argument %s", choice_commands[i]);
			print_values(row);
			putchar('\n');
		}
	}	for (c = choice_config; c->word; c++) {
		printf("config %s", c->word);
		for (w = c->words; *w; w++)
			printf(" %s", *w);
		putchar('\n');
	}
}

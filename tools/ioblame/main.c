// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame: find the cause of IO
 *
 * opts.c parses the command line by the tables of options.h, and each cmd_*.c is a command.
 * A view is a command that shows records: view.c reads them from source.c (the module's logs or
 * a recording) and calls the view.  session.c switches the module on and off.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "cmd.h"
#include "color.h"
#include "joined_choose.h"
#include "msg.h"
#include "options.h"
#include "opts.h"
#include "out.h"
#include "stop.h"
#include "table.h"

/*
 * If stdout or stderr is closed, a file that is opened would get its number, and what is printed
 * would go into that file.  /dev/null that is open for reading only takes the number: a write
 * then fails as before.
 */
static void occupy_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What was printed has arrived, or nobody wanted to read it. */
static int end_of_help(void)
{
	if (!fflush(stdout) || errno == EPIPE)
		return EXIT_OK;
	msg("cannot write: %s", strerror(errno));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	static int (*const commands[NR_COMMANDS])(const struct opts *o) = {
#define X(constant, word) \
		[CMD_##constant] = cmd_##word,
		CHOICE_RUN(X)
#undef X
	};
	struct opts opts;
	int ret;

	occupy_standard_files();
	setlocale(LC_ALL, "");
	/* programs read the numbers: 0.5 in every language */
	setlocale(LC_NUMERIC, "C");
	stop_init();
	ret = opts_parse(&opts, argc, argv);
	if (ret == OPTS_DONE)
		return end_of_help();
	if (ret)
		return ret;
	color_init(&opts);
	table_init(&opts);
	if (opts.since_ns && KEPT & 1U << opts.command)
		ret = joined_choose(&opts);
	if (!ret)
		ret = commands[opts.command](&opts);
	out_end();
	return ret ? ret : out_failed() ? EXIT_FAILED : EXIT_OK;
}

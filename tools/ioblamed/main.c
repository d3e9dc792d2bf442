// SPDX-License-Identifier: GPL-2.0
/*
 * ioblamed: always on
 *
 * The command looks while somebody looks; the daemon runs all the time, and is the one reader
 * of the module's files.  conf.c is its configuration, daemon.c its loop.
 */
#include <getopt.h>
#include <locale.h>
#include <stdio.h>

#include "daemon.h"
#include "msg.h"

static const char help[] =
"Usage: ioblamed [OPTION]...\n"
"\n"
"Keep what each program did to each disk, and serve it. systemd starts it:\n"
"systemctl enable --now ioblamed\n"
"\n"
"  -c, --config FILE  read this instead of " CONF_FILE "\n"
"  -t, --test         check the configuration, and end\n"
"  -f, --feed FILE    take usage from lines of JSON instead of the kernel; -: stdin\n"
"  -1, --once         end with the feed\n"
"  -h, --help\n"
"  -V, --version\n"
"\n"
"See ioblamed(8).\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "test", no_argument, NULL, 't' },
	{ "feed", required_argument, NULL, 'f' },
	{ "once", no_argument, NULL, '1' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void say_wrong(const char *file, unsigned int line, const char *what)
{
	if (line)
		msg("%s:%u: %s; the line does not count", file, line, what);
	else
		msg("%s: %s", file, what);
}

static int end_of_text(void)
{
	return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	const char *path = CONF_FILE;
	struct daemon d = { 0 };
	bool test = false, good;
	int c;

	msg_program("ioblamed");
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	while ((c = getopt_long(argc, argv, "c:tf:1hV", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			path = optarg;
			break;
		case 't':
			test = true;
			break;
		case 'f':
			d.feed = optarg;
			break;
		case '1':
			d.once = true;
			break;
		case 'h':
			fputs(help, stdout);
			return end_of_text();
		case 'V':
			printf("ioblamed %s\n", VERSION);
			return end_of_text();
		default:
			fputs("Try: ioblamed --help\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc || (d.once && !d.feed)) {
		msg(d.once ? "--once needs --feed; try: ioblamed --help" :
		    "there are no arguments but options; try: ioblamed --help");
		return EXIT_USAGE;
	}
	good = conf_load(&d.conf, path, say_wrong);
	if (test)
		return good ? EXIT_OK : EXIT_FAILED;
	return daemon_run(&d);
}

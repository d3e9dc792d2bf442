// SPDX-License-Identifier: GPL-2.0
/*
 * ioblamed: always on
 *
 * The command looks while somebody looks; the daemon runs all the time, and is the one reader
 * of the module's files.  conf.c is its configuration, daemon.c its loop.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "caps.h"
#include "daemon.h"
#include "dir.h"
#include "kernel.h"
#include "let_go.h"
#include "msg.h"
#include "namer.h"
#include "own_files.h"
#include "peer.h"
#include "settings.h"

static const char help[] =
"Usage: ioblamed [OPTION]...\n"
"\n"
"Keep what each program did to each disk, and serve it. systemd starts it:\n"
"systemctl enable --now ioblamed\n"
"\n"
"  -c, --config FILE  read this instead of " CONF_FILE "\n"
"  -t, --test         check the configuration, and end\n"
"  -f, --feed FILE    take usage from lines of JSON, not the kernel; -: stdin\n"
"  -1, --once         end with the feed\n"
"  -r, --restore      put back the settings of a daemon that was killed, and end\n"
"      --let-go PID   let the daemon close the module's files: for its service\n"
"      --mount        mount the module's files where debugfs is closed, and end\n"
"      --own-files    give the service's files to the group, and end\n"
"      --namer        look up names for the daemon: for its service\n"
"  -h, --help\n"
"  -V, --version\n"
"\n"
"See ioblamed(8).\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "test", no_argument, NULL, 't' },
	{ "feed", required_argument, NULL, 'f' },
	{ "once", no_argument, NULL, '1' },
	{ "restore", no_argument, NULL, 'r' },
	{ "let-go", required_argument, NULL, 'l' },
	{ "mount", no_argument, NULL, 'm' },
	{ "own-files", no_argument, NULL, 'o' },
	{ "namer", no_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ "answer", no_argument, NULL, 'a' },
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

/* The service has failed, and systemd starts it again, which goes on with the settings. */
static bool comes_back(void)
{
	static const char *const failures[] = {
		"exit-code", "signal", "core-dump", "watchdog", "oom-kill",
	};
	const char *result = getenv("SERVICE_RESULT");
	unsigned int i;

	for (i = 0; result && i < ARRAY_SIZE(failures); i++) {
		if (!strcmp(result, failures[i]))
			return true;
	}
	return false;
}

/*
 * The service does this whenever it stops; most times there is nothing to do.  Where it was to come
 * back, and is stopped before, ioblamed-restore.service does it.
 */
static int restore_settings(void)
{
	int err;

	if (comes_back())
		return EXIT_OK;
	if (access(SETTINGS_FILE, F_OK) || access(SETTINGS_MODULE, F_OK))
		return unlink(SETTINGS_FILE) && errno != ENOENT ? EXIT_FAILED : EXIT_OK;
	if (dir_find())
		return EXIT_FAILED;
	err = -settings_restore();
	if (err)
		msg("the settings cannot be put back: %s", strerror(err));
	return err ? EXIT_FAILED : EXIT_OK;
}

/* The service has none when it reads its configuration, and whom to serve. */
static bool give_up_caps(void)
{
	int err = -caps_keep(CAPS_NONE);

	if (err)
		msg("capabilities cannot be given up: %s", strerror(err));
	return !err;
}

static int end_of_text(void)
{
	return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	const char *path = CONF_FILE;
	struct daemon d = { 0 };
	bool test = false, restore = false, namer = false, mount = false, own = false;
	bool good;
	int c;

	msg_program("ioblamed");
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	while ((c = getopt_long(argc, argv, "c:tf:1rhV", options, NULL)) != -1) {
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
		case 'r':
			restore = true;
			break;
		case 'm':
			mount = true;
			break;
		case 'o':
			own = true;
			break;
		case 'n':
			namer = true;
			break;
		case 'l':
			return let_go_ask(optarg);
		case 'a':
			return answer_main(argv + optind, argc - optind);
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
	if (namer)
		return namer_serve();
	if (mount)
		return kernel_mount();
	if (restore)
		return restore_settings();
	/* defaults are for who names no file */
	if (strcmp(path, CONF_FILE) && access(path, F_OK)) {
		msg("%s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	if (test && !give_up_caps())
		return EXIT_FAILED;
	good = conf_load(&d.conf, path, say_wrong);
	if (test)
		return metrics_test(&d.conf.metrics) && good ? EXIT_OK : EXIT_FAILED;
	if (own)
		return own_files_of_service(conf_group(&d.conf, peer_find_group)) ? EXIT_FAILED :
		       EXIT_OK;
	return daemon_run(&d);
}

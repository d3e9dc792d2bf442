// SPDX-License-Identifier: GPL-2.0
/*
 * doctor: check that ioblame works here, and print what to type if not; with --bundle, write
 * what a developer needs into an archive, too
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "cmd.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "sign.h"
#include "todo.h"
#include "users.h"

enum verdict {
	GOOD,
	NOTE,			/* works, with a restriction */
	BAD,
};

static const struct opts *opts;
static int worst;		/* exit status of the first BAD check */
static FILE *copy;		/* of all checks, for the bundle */

static const char *const words[] = { "ok", "note", "BAD" };

/* Note a check for the bundle.  The only name in it is where debugfs is mounted. */
static void copy_check(enum verdict v, const char *what, const char *detail)
{
	static const char usual[] = "/sys/kernel/debug";
	const char *mount = dir_debugfs(), *found = *mount ? strstr(detail, mount) : NULL;
	char *name;

	if (!found || !strcmp(mount, usual)) {
		fprintf(copy, "%-4s  %-12s %s\n", words[v], what, detail);
		return;
	}
	name = anonym_dup(ANONYM_FILE, mount);
	fprintf(copy, "%-4s  %-12s %.*s%s%s\n", words[v], what, (int)(found - detail), detail, name,
		found + strlen(mount));
	free(name);
}

/* Print a check; @todo is what to type, or NULL. */
static void print_check(enum verdict v, int status, const char *what, const char *todo,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void print_check(enum verdict v, int status, const char *what, const char *todo,
			const char *fmt, ...)
{
	static const char * const json_words[] = { "ok", "note", "bad" };
	struct json_object *o;
	char detail[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	if (v == BAD && !worst)
		worst = status;
	if (copy)
		copy_check(v, what, detail);
	if (opts->format == FORMAT_JSON) {
		o = json_begin("check");
		json_text(o, "check", what);
		json_text(o, "verdict", json_words[v]);
		json_text(o, "detail", detail);
		json_text(o, "todo", todo);
		json_print(o);
		return;
	}
	out_printf("%-4s  %-12s %s\n", words[v], what, detail);
	if (todo)
		out_printf("      %-12s -> %s\n", "", todo);
}

static char *first_line(const char *path)
{
	char *text = file_read(path), *safe;

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	safe = must(escape_dup(text, strlen(text)));
	free(text);
	return safe;
}

/* True if DKMS has installed this version for the kernel: a link says "VERSION/KERNEL/ARCH". */
static bool dkms_has_installed(const struct utsname *name)
{
	static const char version[] = VERSION "/";
	char path[256], to[256];
	ssize_t len;

	snprintf(path, sizeof(path), "/var/lib/dkms/ioblame/kernel-%s-%s", name->release,
		 name->machine);
	len = readlink(path, to, sizeof(to));
	return len >= (ssize_t)strlen(version) && !strncmp(to, version, strlen(version));
}

/* What the advice depends on.  A service runs if systemd has a cgroup of it: any user sees that. */
static const struct todo_host *look_at_host(void)
{
	static struct utsname name;
	static struct users users;
	static struct todo_host h;
	char path[256];

	if (h.get || uname(&name))
		return &h;
	snprintf(path, sizeof(path), "/lib/modules/%s/build", name.release);
	users_find(&users);
	h = (struct todo_host) {
		.get = GET,
		.version = VERSION,
		.release = name.release,
		.apt = !access("/usr/bin/apt", X_OK),
		.headers = !access(path, F_OK),
		.source = !access("/usr/src/ioblame-" VERSION "/dkms.conf", F_OK),
		.installed = dkms_has_installed(&name),
		.daemon = users.service ||
			  !access("/sys/fs/cgroup/system.slice/ioblamed.service", F_OK) ||
			  !access("/sys/fs/cgroup/systemd/system.slice/ioblamed.service", F_OK),
		/* what comes after this check mounts it */
		.mounted = !access("/sys/fs/ioblame/enable", F_OK) || dir_lockdown() ||
			   !*dir_debugfs(),
		.users = users.others,
		.nr_users = users.nr_others,
	};
	return &h;
}

/* True if the kernel will not take the module, as it does not know its key. */
static bool key_is_missing(enum sign_state state)
{
	return state == SIGN_NO_KEY || state == SIGN_NOT_ENROLLED || state == SIGN_PENDING;
}

static void check_secure_boot(void)
{
	char todo[TODO_SIZE], *key;

	switch (sign_state()) {
	case SIGN_NO_SECURE_BOOT:
		print_check(GOOD, 0, "Secure Boot", NULL, "off");
		break;
	case SIGN_NO_KEY:
		print_check(NOTE, 0, "Secure Boot", todo_sign(todo, look_at_host()),
			    "on: only modules signed by an enrolled key load, and DKMS has no key");
		break;
	case SIGN_NOT_ENROLLED:
		key = must(escape_dup(sign_key(), strlen(sign_key())));
		snprintf(todo, sizeof(todo), "mokutil --import %s", key);
		print_check(NOTE, 0, "Secure Boot", todo, "on: the key %s is not enrolled", key);
		free(key);
		break;
	case SIGN_PENDING:
		print_check(NOTE, 0, "Secure Boot",
			    "reboot; choose Enroll MOK, Continue, Yes, and type the password",
			    "on: the key waits to be enrolled");
		break;
	case SIGN_ENROLLED:
		print_check(GOOD, 0, "Secure Boot", NULL, "on, and DKMS' key is enrolled");
		break;
	}
}

static void check_module(const char *release)
{
	char *version = first_line("/sys/module/ioblame/version");
	char *taint = first_line("/sys/module/ioblame/taint");
	bool loaded = !access("/sys/module/ioblame", F_OK), there = dir_installed();
	char todo[TODO_SIZE];

	if (loaded)
		print_check(GOOD, 0, "module", NULL, "loaded");
	else if (there)
		print_check(BAD, EXIT_MISSING, "module", key_is_missing(sign_state()) ?
			    "see Secure Boot below, then modprobe ioblame" : "modprobe ioblame",
			    "installed for %s, not loaded", release);
	else
		print_check(BAD, EXIT_MISSING, "module", todo_install(todo, look_at_host()),
			    "not installed for %s", release);
	if (loaded && !there)
		print_check(NOTE, 0, "module", todo_install(todo, look_at_host()),
			    "loaded by hand: not loaded after the next boot");
	if (loaded && version && strcmp(version, VERSION))
		print_check(NOTE, 0, "version", todo_reload(todo, look_at_host()),
			    "the module is %s, this command %s", version, VERSION);
	else
		print_check(GOOD, 0, "version", NULL, "%s", VERSION);
	if (loaded && taint && strchr(taint, 'E'))
		print_check(NOTE, 0, "signature", sign_state() == SIGN_NO_SECURE_BOOT ? NULL :
			    "see Secure Boot below",
			    "the module is not signed, or signed by a key that this kernel does not know");
	else if (loaded)
		print_check(GOOD, 0, "signature", NULL, "accepted by the kernel");
	free(version);
	free(taint);
}

static void check_lockdown(void)
{
	char *text = first_line("/sys/kernel/security/lockdown");
	char *enforce = first_line("/sys/module/module/parameters/sig_enforce");

	check_secure_boot();
	if (enforce && *enforce == 'Y')
		print_check(NOTE, 0, "sig_enforce", NULL, "only signed modules load");
	if (dir_lockdown() == LOCKDOWN_CONFIDENTIALITY)
		print_check(BAD, EXIT_REFUSED, "lockdown",
			    "take lockdown=confidentiality from the kernel's command line",
			    "%s: not even root may see what the kernel does", text ? text : "?");
	else if (dir_lockdown())
		print_check(NOTE, 0, "lockdown", NULL,
			    "%s: debugfs is closed, the files are in /sys/fs/ioblame",
			    text ? text : "?");
	else
		print_check(GOOD, 0, "lockdown", NULL, "%s", text ? text : "this kernel has none");
	free(text);
	free(enforce);
}

static void check_debugfs(void)
{
	char *cmdline = first_line("/proc/cmdline");
	bool off = cmdline && strstr(cmdline, "debugfs=off");
	bool loaded = !access("/sys/module/ioblame", F_OK);

	if (*dir_debugfs())
		print_check(GOOD, 0, "debugfs", NULL, "mounted on %s", dir_debugfs());
	else
		print_check(NOTE, 0, "debugfs", NULL, "%s: the module's files %s in /sys/fs/ioblame",
			    off ? "switched off" : "not mounted", loaded ? "are" : "will be");
	free(cmdline);
}

static void check_ftrace(void)
{
	if (access("/proc/sys/kernel/ftrace_enabled", F_OK))
		print_check(BAD, EXIT_FAILED, "ftrace", "a kernel with CONFIG_DYNAMIC_FTRACE",
			    "this kernel has none");
	else if (dir_ftrace_off())
		print_check(BAD, EXIT_FAILED, "ftrace", "sysctl kernel.ftrace_enabled=1",
			    "switched off: functions cannot be watched");
	else
		print_check(GOOD, 0, "ftrace", NULL, "on");
}

static void check_hooks(const char *text)
{
	const char *line = text, *missing;
	unsigned int nr = 0, bad = 0;
	char name[128], lost[256];
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (strncmp(line, "hook ", 5))
			continue;
		nr++;
		missing = memmem(line, len, " missing ", 9);
		if (!missing)
			continue;
		bad++;
		escape_text(name, sizeof(name), line + 5, missing - line - 5);
		escape_text(lost, sizeof(lost), missing + 9, line + len - missing - 9);
		print_check(NOTE, 0, "hook", NULL, "%s: %s", name, lost);
	}
	if (!bad)
		print_check(GOOD, 0, "hooks", NULL, "none of %u is missing", nr);
}

/* A line `layout` that is neither proved nor waits for its module; @len: its length. */
static bool check_layout(const char *line, size_t len)
{
	const char *state = memchr(line, ' ', len);
	char name[64], what[256];
	size_t n;

	if (!state)
		return false;
	n = state - line;
	state++;
	if (strncmp(state, "wrong ", 6) && strncmp(state, "unproved ", 9))
		return !strncmp(state, "proved ", 7);
	escape_text(name, sizeof(name), line, n);
	escape_text(what, sizeof(what), state, line + len - state);
	print_check(NOTE, 0, "layout", NULL, "%s: %s", name, what);
	return false;
}

static void check_layouts(const char *text)
{
	unsigned int nr = 0, proved = 0;
	const char *line = text;
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (strncmp(line, "layout ", 7))
			continue;
		nr++;
		proved += check_layout(line + 7, len - 7);
	}
	if (nr)
		print_check(GOOD, 0, "layouts", NULL,
			    "%u of %u are proved; others wait for their module, or are above",
			    proved, nr);
}

static void check_losses(const char *text)
{
	const char *line = text;
	unsigned int bad = 0;
	char loss[256];
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		/* it is normal that the text log is not read */
		if (strncmp(line, "loss ", 5) || !strncmp(line, "loss iolog_unread ", 18))
			continue;
		bad++;
		escape_text(loss, sizeof(loss), line + 5, len - 5);
		print_check(NOTE, 0, "losses", "man ioblame, LOSSES", "%s", loss);
	}
	if (!bad)
		print_check(GOOD, 0, "losses", NULL, "none in the last session");
}

static void check_files(void)
{
	char *text;
	int fd;

	if (access("/sys/module/ioblame", F_OK) || dir_find())
		return;
	fd = dir_open("enable", O_RDWR);
	if (fd < 0) {
		print_check(BAD, EXIT_REFUSED, "files", NULL, "%s/enable: %s", dir_path(),
			    strerror(errno));
		return;
	}
	close(fd);
	print_check(GOOD, 0, "files", NULL, "%s can be written", dir_path());
	text = dir_read_timed("status");
	if (!text) {
		print_check(BAD, EXIT_FAILED, "status", "dmesg; ioblame doctor --bundle; reboot", "%s",
			    errno == ETIMEDOUT ?
			    "does not answer: a task has died in it, or hangs" : strerror(errno));
		return;
	}
	print_check(GOOD, 0, "session", NULL, "%s", strstr(text, "enabled 1") ?
	    "switched on" : "switched off");
	check_hooks(text);
	check_layouts(text);
	check_losses(text);
	free(text);
}

static void run_checks(const char *release)
{
	print_check(GOOD, 0, "kernel", NULL, "%s", release);
	if (geteuid())
		print_check(BAD, EXIT_REFUSED, "root", "sudo ioblame doctor",
			    "only root can use ioblame, and run all checks");
	else
		print_check(GOOD, 0, "root", NULL, "yes");
	check_module(release);
	check_lockdown();
	check_debugfs();
	check_ftrace();
	if (!geteuid())
		check_files();
}

static void print_bundle(void)
{
	char safe[ESCAPE_SIZE(256)];
	struct json_object *o;

	escape_text(safe, sizeof(safe), bundle_path(), 256);
	if (opts->format == FORMAT_JSON) {
		o = json_begin("bundle");
		json_text(o, "file", safe);
		json_print(o);
	} else {
		out_printf("\n%s: %s\n", safe, opts->anonymous ?
			   "names and addresses are left out; look into it before you send it" :
			   "it has names of files, programs and disks; --anonymous leaves them out");
	}
}

/* Return: as bundle_write(). */
static int write_bundle(const char *release)
{
	char *text;
	size_t len;
	int ret;

	if (!bundle_open(opts->output))
		return EXIT_FAILED;
	copy = must(open_memstream(&text, &len));
	run_checks(release);
	if (fclose(copy))
		must(NULL);
	copy = NULL;
	/* what was found is shown also if the bundle cannot be written */
	out_flush();
	ret = bundle_write(text);
	if (!ret)
		print_bundle();
	free(text);
	out_flush();
	return ret;
}

int cmd_doctor(const struct opts *o)
{
	struct utsname name;

	opts = o;
	if (uname(&name))
		return EXIT_FAILED;
	if (o->anonymous)
		anonym_on();
	if (o->bundle)
		return write_bundle(name.release);
	run_checks(name.release);
	out_flush();
	return worst;
}

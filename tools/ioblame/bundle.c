// SPDX-License-Identifier: GPL-2.0
/*
 * The parts are written to a folder beside the archive, and tar(1) and gzip(1) pack them.
 * The archive is made first, as it must not exist, and removed if anything fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "stop.h"

#define FOLDER		"ioblame-bundle"
#define PART_MAX	(256 << 10)
#define LOG_MAX		(1 << 20)

static const char *checks_text;

static void bundle_checks(FILE *f)
{
	fputs(checks_text, f);
}

static const struct part {
	const char *name;
	void (*write)(FILE *f);
	size_t max;			/* bytes; what is longer is cut */
	const char *what;
} parts[] = {
	{ "doctor.txt", bundle_checks, PART_MAX, "what `ioblame doctor` finds" },
	{ "versions.txt", bundle_versions, PART_MAX, "the command, the module, the distribution" },
	{ "kernel.txt", bundle_kernel, PART_MAX,
	  "the running kernel: taints, lockdown, command line, sysctls, processors" },
	{ "config.txt", bundle_config, PART_MAX, "what matters of the kernel's configuration" },
	{ "modules.txt", bundle_modules, PART_MAX, "which modules are loaded, and live patches" },
	{ "log.txt", bundle_log, LOG_MAX,
	  "the kernel's log: reports with their stacks, and lines that name ioblame" },
	{ "status.txt", bundle_status, PART_MAX,
	  "the module's status: sums, losses, memory, hooks" },
	{ "settings.txt", bundle_settings, PART_MAX, "the module's settings and parameters" },
	{ "stats.txt", bundle_statistics, PART_MAX, "the module's statistics" },
	{ "probes.txt", bundle_probes, PART_MAX, "functions that ftrace and kprobes watch" },
	{ "memory.txt", bundle_memory, PART_MAX, "the machine's memory, and the module's slabs" },
	{ "disks.txt", bundle_disks, PART_MAX, "block devices, their queues, what lies on what" },
	{ "mounts.txt", bundle_mounts, PART_MAX, "types and options of mounted file systems" },
};

static char path[4096], staging[4096 + 32];
static int archive = -1;
static char *missing, *manifest;
static size_t missing_len, manifest_len;
static FILE *missing_file, *manifest_file;

const char *bundle_path(void)
{
	return path;
}

static void print_failure(const char *what, const char *why)
{
	char safe[ESCAPE_SIZE(256)];

	escape_text(safe, sizeof(safe), path, 256);
	msg("cannot %s %s: %s", what, safe, why);
}

/**
 * bundle_open - make the archive's file
 * @to: its name; NULL: named by the time, in the current folder
 *
 * Return: false after printing the error.
 */
bool bundle_open(const char *to)
{
	time_t now = time(NULL);
	char date[32];

	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", gmtime(&now));
	if (to)
		snprintf(path, sizeof(path), "%s", to);
	else
		snprintf(path, sizeof(path), FOLDER "-%s.tar.gz", date);
	archive = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (archive < 0)
		print_failure("make", strerror(errno));
	return archive >= 0;
}

/* Note what cannot be read, and why. */
void bundle_missing(const char *label, const char *why)
{
	fprintf(missing_file, "%s: %s\n", label, why);
}

/* Read a file for a part; @label is its name for people.  Return: NULL if that failed (noted). */
char *bundle_read(const char *label, const char *from)
{
	char *text = file_read_timed(from, 4 << 20, FILE_LEFT_MOST);

	if (!text)
		bundle_missing(label, errno == ECANCELED ? "not read, as too many do not answer" :
			       strerror(errno));
	return text;
}

/* Read a file of the module, whose folder doctor has looked for.  Return: as bundle_read(). */
char *bundle_read_module(const char *name)
{
	static bool said;
	char from[512], label[128];
	const char *why = NULL;

	snprintf(label, sizeof(label), "ioblame/%s", name);
	snprintf(from, sizeof(from), "%s/%s", dir_path(), name);
	if (access("/sys/module/ioblame", F_OK))
		why = "the module is not loaded";
	else if (geteuid())
		why = "only root may read them";
	else if (!*dir_path())
		why = "they were not found";
	if (!why)
		return bundle_read(label, from);
	/* it is the same for all */
	if (!said)
		bundle_missing("the module's files", why);
	said = true;
	return NULL;
}

/* Copy a file that has no names, below a line with its own name. */
void bundle_copy(FILE *f, const char *from)
{
	char *text = bundle_read(from, from);

	if (text)
		fprintf(f, "%s: %s%s", from,
			strchr(text, '\n') != strrchr(text, '\n') ? "\n" : "", text);
	if (text && (!*text || text[strlen(text) - 1] != '\n'))
		fputc('\n', f);
	free(text);
}

/* Call a function for each line of a text, which is taken apart. */
void bundle_lines(char *text, void (*line)(char *line, void *arg), void *arg)
{
	char *next;

	for (; text && *text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		line(text, arg);
	}
}

/* Write a line; control characters and the like are escaped if there are any. */
static void write_safe_line(char *line, void *arg)
{
	FILE *f = arg;
	const char *s;
	char *safe;

	for (s = line; *s; s++) {
		if ((*s < ' ' && *s != '\t') || *s == 0x7f)
			break;
	}
	safe = *s ? must(escape_dup(line, strlen(line))) : NULL;
	fprintf(f, "%s\n", safe ? safe : line);
	free(safe);
}

/* Write a file of the folder.  Return: 0 or an errno. */
static int write_file(const char *name, char *text)
{
	char to[sizeof(staging) + 64], *safe;
	size_t len, done = 0;
	FILE *f = must(open_memstream(&safe, &len));
	int fd, err = 0;
	ssize_t n;

	bundle_lines(text, write_safe_line, f);
	if (fclose(f))
		must(NULL);
	snprintf(to, sizeof(to), "%s/" FOLDER "/%s", staging, name);
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	while (fd >= 0 && done < len && !err) {
		n = write(fd, safe + done, len - done);
		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			err = errno;
	}
	if ((fd < 0 || close(fd)) && !err)
		err = errno;
	free(safe);
	return err;
}

static int write_part(const struct part *part)
{
	char *text, *end;
	size_t len;
	FILE *f = must(open_memstream(&text, &len));
	bool cut;
	int err;

	part->write(f);
	if (fclose(f))
		must(NULL);
	cut = len > part->max;
	if (cut) {
		text[part->max] = '\0';
		end = strrchr(text, '\n');
		if (end)
			end[1] = '\0';
	}
	fprintf(manifest_file, "%-14s %7zu bytes  %s%s\n", part->name, strlen(text), part->what,
		cut ? " (CUT: it is longer)" : "");
	err = write_file(part->name, text);
	free(text);
	return err;
}

static void begin_manifest(void)
{
	time_t now = time(NULL);
	char date[32];

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", gmtime(&now));
	fprintf(manifest_file,
		"A bundle for the developers of ioblame, made at %s UTC by ioblame %s\n\n", date,
		VERSION);
	fputs("FILES\n", manifest_file);
}

static void end_manifest(void)
{
	static const char never[] =
		"\nNEVER COLLECTED\n"
		"What is in files or in memory, environments, users, the machine's name, serial\n"
		"numbers, hardware and network addresses, values on the kernel's command line that\n"
		"may be secret.  Without --anonymous, reports in log.txt may name some of these.\n";
	static const char left_out[] =
		"\nLEFT OUT (--anonymous)\n"
		"Names of programs, files, mount points, cgroups, mapped devices and arrays, and\n"
		"addresses of the kernel.  word-3, file-4 or addr-5 stand for them: equal numbers are\n"
		"equal names.  In log.txt each word that reports of the kernel do not have is\n"
		"replaced.  Names of kernel functions and modules stay, and the kernel's own names of\n"
		"disks.\n";

	fputs(never, manifest_file);
	if (anonym_is_on())
		fputs(left_out, manifest_file);
	fflush(missing_file);
	fprintf(manifest_file, "\nNOT READ\n%s", missing_len ? missing : "(nothing)\n");
}

/* Run tar.  Its messages become ours.  Return: true if the archive is complete. */
static bool run_tar(void)
{
	char text[256], *safe;
	size_t len = 0;
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		stop_reset();
		dup2(archive, STDOUT_FILENO);
		dup2(fd[1], STDERR_FILENO);
		execlp("tar", "tar", "--create", "--gzip", "--file=-", "--owner=0", "--group=0",
		       "--numeric-owner", "-C", staging, FOLDER, NULL);
		dprintf(STDERR_FILENO, "tar: %s", strerror(errno));
		_exit(127);
	}
	close(fd[1]);
	while (pid > 0) {
		char rest[256];

		n = read(fd[0], len < sizeof(text) - 1 ? text + len : rest,
			 len < sizeof(text) - 1 ? sizeof(text) - 1 - len : sizeof(rest));
		if (n < 0 && errno == EINTR && !stop_asked())
			continue;
		if (n <= 0)
			break;
		len += len < sizeof(text) - 1 ? n : 0;
	}
	close(fd[0]);
	if (pid > 0 && stop_asked())
		kill(pid, SIGTERM);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !status)
		return true;
	text[len] = '\0';
	safe = must(escape_dup(text, strcspn(text, "\n")));
	print_failure("write", *safe ? safe : "tar failed");
	free(safe);
	return false;
}

/* Make the folder and what is in it.  Return: 0 or an errno. */
static int write_parts(void)
{
	char folder[sizeof(staging) + 32], *slash = strrchr(path, '/');
	size_t i;
	int err = 0;

	snprintf(staging, sizeof(staging), "%.*s.ioblame-bundle-XXXXXX",
		 slash ? (int)(slash + 1 - path) : 0, path);
	if (!mkdtemp(staging)) {
		err = errno;
		*staging = '\0';
		return err;
	}
	snprintf(folder, sizeof(folder), "%s/" FOLDER, staging);
	if (mkdir(folder, 0700))
		return errno;
	begin_manifest();
	bundle_keep_disks();
	for (i = 0; i < ARRAY_SIZE(parts) && !err; i++)
		err = stop_asked() ? EINTR : write_part(&parts[i]);
	end_manifest();
	fflush(manifest_file);
	return err ? err : write_file("MANIFEST", manifest);
}

static void remove_folder(void)
{
	char name[sizeof(staging) + 64];
	size_t i;

	if (!*staging)
		return;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(name, sizeof(name), "%s/" FOLDER "/%s", staging, parts[i].name);
		unlink(name);
	}
	snprintf(name, sizeof(name), "%s/" FOLDER "/MANIFEST", staging);
	unlink(name);
	snprintf(name, sizeof(name), "%s/" FOLDER, staging);
	rmdir(name);
	rmdir(staging);
}

/**
 * bundle_write - write the archive that bundle_open() made
 * @checks: what the checks of `doctor` have printed
 *
 * Return: the exit status, after printing the error.
 */
int bundle_write(const char *checks)
{
	bool good;
	int err;

	checks_text = checks;
	missing_file = must(open_memstream(&missing, &missing_len));
	manifest_file = must(open_memstream(&manifest, &manifest_len));
	err = write_parts();
	if (err)
		print_failure("write", err == EINTR ? "interrupted" : strerror(err));
	good = !err && run_tar();
	if (good && (fsync(archive) || close(archive))) {
		print_failure("write", strerror(errno));
		good = false;
	}
	remove_folder();
	if (!good)
		unlink(path);
	fclose(missing_file);
	fclose(manifest_file);
	free(missing);
	free(manifest);
	return good ? EXIT_OK : EXIT_FAILED;
}

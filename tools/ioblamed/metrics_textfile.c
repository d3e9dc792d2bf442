// SPDX-License-Identifier: GPL-2.0
/*
 * The file for node_exporter's textfile collector.  It is written beside and renamed: a reader
 * sees the old file or the new one, each whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics_sum.h"
#include "msg.h"

/* A new file.  What a daemon left that was killed is removed. */
static FILE *create_new(const char *path)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 ? NULL : must(fdopen(fd, "w"));
}

/* Write the file @path by way of @beside.  Return: 0 or an errno. */
static int write_file(struct metrics *m, const char *path, const char *beside)
{
	FILE *f = create_new(beside);
	int error;

	if (!f)
		return errno;
	metrics_write(m, f, false, METRICS_TEXTFILE);
	error = fflush(f) ? errno : 0;
	/* whatever the umask is: others read it */
	if (!error && fchmod(fileno(f), 0644))
		error = errno;
	if (fclose(f) && !error)
		error = errno;
	if (!error && rename(beside, path))
		error = errno;
	if (error)
		unlink(beside);
	return error;
}

/**
 * metrics_textfile - write the text file, if one is configured
 * @m: the metrics
 *
 * A failure is said once, until it is another or there was none between.
 * Return: false if that failed; the old file is there then.
 */
bool metrics_textfile(struct metrics *m)
{
	char beside[METRICS_PATH + 8];
	const char *path = m->conf.textfile;
	int error;

	if (!*path)
		return true;
	metrics_measure(m);
	/* the collector takes *.prom alone */
	snprintf(beside, sizeof(beside), "%s.new", path);
	error = write_file(m, path, beside);
	if (error && error != m->textfile_error)
		msg("metrics: cannot write %s: %s", path, strerror(error));
	m->textfile_error = error;
	return !error;
}

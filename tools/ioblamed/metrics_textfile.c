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

/* Write the file by way of one beside it.  @ends: with nothing counted.  Return: 0 or an errno. */
static int write_file(struct metrics *m, bool ends)
{
	char beside[METRICS_PATH + 8];
	const char *path = m->conf.textfile;
	FILE *f;
	int error;

	/* the collector takes *.prom alone */
	snprintf(beside, sizeof(beside), "%s.new", path);
	f = create_new(beside);
	if (!f)
		return errno;
	if (ends)
		metrics_write_end(f);
	else
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
	const char *path = m->conf.textfile;
	int error;

	if (!*path)
		return true;
	metrics_measure(m);
	error = write_file(m, false);
	m->textfile_there |= !error;
	if (error && error != m->textfile_error)
		msg("metrics: cannot write %s: %s", path, strerror(error));
	m->textfile_error = error;
	return !error;
}

/**
 * metrics_textfile_end - nothing is counted any more
 * @m: the metrics
 *
 * The text file goes on to be read, so it says that nothing is watched, and has no counter that
 * would stand still.  It stays, as a link to it that leads nowhere is an error of the collector.
 * One of another daemon is left as it is.
 */
void metrics_textfile_end(struct metrics *m)
{
	if (m->textfile_there)
		write_file(m, true);
}

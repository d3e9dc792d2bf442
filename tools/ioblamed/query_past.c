// SPDX-License-Identifier: GPL-2.0
/*
 * past FROM_NS UNTIL_NS LEVEL: what was recorded, as past_served.c of the command reads it
 *
 * A process of its own answers (answer.h): a few at a time, and one of a user but root.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>

#include "answer.h"
#include "msg.h"
#include "query.h"
#include "recorder_db.h"

enum {
	ANSWERS_MOST = 4,
};

static const struct peer_places answers_most = {
	.all = ANSWERS_MOST, .of_others = 3, .of_user = 1,
};

/* A process that answers */
static struct answering {
	sd_event_source *source;	/* NULL: free */
	struct viewer_right right;
} answering[ANSWERS_MOST];

static const char *past_file, *past_recent;

/* Where the databases are; the texts live as long as questions are answered. */
void query_past_of(const char *file, const char *recent)
{
	past_file = file;
	past_recent = recent;
}

static int on_answered(sd_event_source *s, const siginfo_t *info, void *arg)
{
	struct answering *a = arg;

	(void)s;
	(void)info;
	a->source = sd_event_source_disable_unref(a->source);
	return 0;
}

/* A place for one more answer to who has this right, or NULL. */
static struct answering *find_place(const struct viewer_right *right)
{
	struct peer_places taken = { 0 };
	struct answering *free_one = NULL;
	unsigned int i;

	for (i = 0; i < ANSWERS_MOST; i++) {
		if (answering[i].source)
			peer_places_add(&taken, &answering[i].right, right);
		else
			free_one = &answering[i];
	}
	return peer_places_left(&answers_most, &taken, right) ? free_one : NULL;
}

/*
 * Each answer reads for a while.  Where always one does, the database in memory grows: whoever may
 * not read it himself waits then until it is short again.
 */
static bool is_log_long(void)
{
	struct stat st;
	char *path;
	bool is;

	if (asprintf(&path, "%s-wal", past_recent) < 0)
		must(NULL);
	is = !stat(path, &st) && st.st_size > RECORDER_LOG_BYTES;
	free(path);
	return is;
}

static const char *begin_past(struct asker *a, char *rest)
{
	struct answering *place = find_place(&a->right);
	sd_event *loop = sd_event_source_get_event(a->source);
	struct answer_question q;
	pid_t pid;

	if (!answer_parse(rest, &q))
		return "past takes FROM_NS UNTIL_NS LEVEL";
	if (!past_file || !*past_file || !*past_recent)
		return "nothing is recorded: ioblamed.conf says so";
	if (!a->right.all && is_log_long())
		return "others read the past without a pause; try again in two minutes";
	if (!place)
		return "another question of yours is answered, or too many of others; try again";
	pid = answer_start(&q, &a->right, past_file, past_recent, a->fd);
	if (pid < 0)
		return "no process can be started; try again";
	place->right = a->right;
	if (sd_event_add_child(loop, &place->source, pid, WEXITED, on_answered, place) < 0) {
		place->source = NULL;
		kill(pid, SIGKILL);
		return "no process can be watched";
	}
	/* the process has the socket now */
	query_done(a);
	return NULL;
}

static void stop_past(struct asker *a)
{
	(void)a;
}

const struct query_verb query_past = {
	.word = "past", .begin = begin_past, .enough = stop_past, .end = stop_past,
};

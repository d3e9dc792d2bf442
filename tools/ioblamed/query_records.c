// SPDX-License-Identifier: GPL-2.0
/*
 * records: what happens from now on, as a recording (store.h)
 *
 * An asker that may not see all gets what its user did, and of the names and stacks those that
 * these records use.  One that reads too slowly loses whole batches, and is told how many records.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "device.h"
#include "dir.h"
#include "intent.h"
#include "kernel.h"
#include "msg.h"
#include "owner.h"
#include "query.h"
#include "records.h"
#include "source.h"
#include "status.h"
#include "tape.h"

/* How often the losses are told */
#define STATUS_NS	5000000000ULL

/* One that is sent records */
struct watcher {
	struct records_tap tap;
	struct asker *asker;
	FILE *file;
	struct tape *tape;
	uint64_t lost;			/* records, since it was told */
	bool behind;			/* it gets no more of this batch */
	const char *told;		/* of records_state() */
	uint64_t session;		/* intent_session() of the status that it was sent */
	uint64_t status_ns;		/* when it was sent the last one */
};

static ssize_t put_bytes(void *cookie, const char *data, size_t len)
{
	struct watcher *w = cookie;

	query_put(w->asker, data, len);
	return len;
}

/* What others did is not told by sums, either: the losses are left, and a mark. */
static char *cut_status(char *text)
{
	static const char *const kept[] = { "enabled ", "session ", "module ", "loss " };
	char *line = text, *to = text, *cut;
	unsigned int i;
	size_t len;

	for (; *line; line += len) {
		len = strcspn(line, "\n");
		len += line[len] == '\n';
		for (i = 0; i < ARRAY_SIZE(kept); i++) {
			if (!strncmp(line, kept[i], strlen(kept[i])))
				break;
		}
		if (i == ARRAY_SIZE(kept))
			continue;
		memmove(to, line, len);
		to += len;
	}
	*to = '\0';
	if (asprintf(&cut, "%s%s", text, STATUS_OWN) < 0)
		must(NULL);
	free(text);
	return cut;
}

/* Return: false if it cannot be read now. */
static bool send_status(struct watcher *w, uint32_t type)
{
	char *text = kernel_is_open() ? status_read() : NULL;

	if (!text)
		return false;
	if (!w->asker->right.all)
		text = cut_status(text);
	tape_text(w->tape, type, text);
	free(text);
	return true;
}

/* The disks that are watched. */
static void add_devices(struct store_head *head)
{
	char *text = kernel_is_open() ? dir_read("devs") : NULL, *line, *rest = NULL;
	struct device d;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, " ")] = '\0';
		if (device_lookup(line, &d))
			store_add_device(head, d.dev, device_sectors(d.dev), d.name,
					 strlen(d.name));
	}
	free(text);
}

/*
 * Another user may have submitted what ours has dirtied, by fsync(2) of a file of both: who that
 * was is not told.
 */
static bool hide_submitter(const struct viewer_right *right, struct iob_iolog_bin_record *rec)
{
	bool itself = rec->sub_pid == rec->pid || rec->sub_pid == rec->tgid;
	uint32_t uid = itself ? OWNER_KERNEL : owner_of_submitter(rec);

	if (uid == OWNER_KERNEL || viewer_may_see_user(right, uid))
		return false;
	rec->sub_pid = 0;
	memset(rec->sub_comm, 0, sizeof(rec->sub_comm));
	rec->sub_comm[0] = '-';
	return true;
}

/*
 * Another session began: its status comes before its intents, which have the numbers of those
 * before, and behind all records that use these.
 */
static void tell_session(struct watcher *w)
{
	if (intent_session() == w->session)
		return;
	tape_flush(w->tape);
	if (!send_status(w, STORE_STATUS_BEFORE))
		return;
	w->session = intent_session();
	w->status_ns = 0;
}

static void take_record(const struct iob_iolog_bin_record *rec, void *arg)
{
	struct watcher *w = arg;
	const struct viewer_right *right = &w->asker->right;
	struct iob_iolog_bin_record shown;

	if (!right->all) {
		if (!viewer_may_see_user(right, owner_of_record(rec)))
			return;
		shown = *rec;
		if (hide_submitter(right, &shown))
			rec = &shown;
	}
	w->behind |= query_is_behind(w->asker);
	if (w->behind) {
		w->lost++;
		return;
	}
	tell_session(w);
	tape_set_wall(w->tape, records_wall_ns());
	tape_add(w->tape, rec);
}

/* Tell what has changed: why nothing comes, that another session began. */
static void tell_news(struct watcher *w)
{
	const char *now = records_state();

	if (now != w->told)
		tape_text(w->tape, STORE_NOTE, now ? now : "");
	w->told = now;
	tell_session(w);
	/* a live view shows what is lost until now */
	if (clock_ns() - w->status_ns > STATUS_NS) {
		send_status(w, STORE_STATUS_AFTER);
		w->status_ns = clock_ns();
	}
}

static void flush_batch(void *arg)
{
	struct watcher *w = arg;

	/* what one pass has put may be all that it may be behind: send that first */
	query_send(w->asker);
	w->behind = query_is_behind(w->asker);
	if (w->behind)
		return;
	tell_news(w);
	if (w->lost)
		tape_write(w->tape, STORE_LOST, &w->lost, sizeof(w->lost));
	w->lost = 0;
	tape_flush(w->tape);
	query_send(w->asker);
}

static void free_watcher(struct watcher *w)
{
	if (w->tape)
		tape_end(w->tape, NULL);
	if (w->file)
		fclose(w->file);
	free(w);
}

static const char *begin_records(struct asker *a, char *rest)
{
	static const cookie_io_functions_t io = { .write = put_bytes };
	struct watcher *w;
	struct store_head head = { 0 };

	if (*rest)
		return "records takes no words";
	if (!records_can())
		return "it reads a feed, which has no records";
	w = must(calloc(1, sizeof(*w)));
	w->asker = a;
	w->file = must(fopencookie(w, "w", io));
	source_head_now(&head);
	add_devices(&head);
	w->tape = tape_begin(w->file, &head, false);
	store_free_head(&head);
	if (!w->tape) {
		free_watcher(w);
		return "too many recordings are written; end one, and try again";
	}
	if (!a->right.all)
		tape_only_of(w->tape, a->right.uid);
	w->tap.take = take_record;
	w->tap.batch = flush_batch;
	w->tap.arg = w;
	a->state = w;
	records_tap(&w->tap);
	flush_batch(w);
	return NULL;
}

/* What is in the log still belongs to it. */
static void bring_to_end(struct asker *a)
{
	struct watcher *w = a->state;

	records_read();
	records_untap(&w->tap);
	if (w->lost)
		tape_write(w->tape, STORE_LOST, &w->lost, sizeof(w->lost));
	send_status(w, STORE_STATUS_AFTER);
	tape_end(w->tape, NULL);
	w->tape = NULL;
	query_done(a);
}

static void end_records(struct asker *a)
{
	struct watcher *w = a->state;

	records_untap(&w->tap);
	free_watcher(w);
}

const struct query_verb query_records = {
	.word = "records", .begin = begin_records, .enough = bring_to_end, .end = end_records,
};

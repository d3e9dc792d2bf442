// SPDX-License-Identifier: GPL-2.0
/*
 * What `ioblame record` writes of the module's status at its end.  View, source and tape are fakes.
 */
#include "fake_msg.h"
#include "test.h"

#include "cmd_record.c"

static struct run run;
static const char *now;		/* the status at the end */
static unsigned int before, after;	/* how often each was written */

bool device_under_path(const char *path, const struct device *d, unsigned int nr)
{
	(void)path;
	(void)d;
	(void)nr;
	return false;
}

uint64_t device_sectors(uint32_t dev)
{
	(void)dev;
	return 0;
}

void store_add_device(struct store_head *head, uint32_t dev, uint64_t sectors, const char *name,
		      size_t len)
{
	(void)head;
	(void)dev;
	(void)sectors;
	(void)name;
	(void)len;
}

char *source_status(const struct source *s)
{
	(void)s;
	return now ? strdup(now) : NULL;
}

struct tape *tape_begin(FILE *to, const struct store_head *head, bool packed)
{
	(void)head;
	(void)packed;
	return (struct tape *)to;
}

void tape_text(struct tape *t, uint32_t type, const char *text)
{
	(void)t;
	before += type == STORE_STATUS_BEFORE;
	after += type == STORE_STATUS_AFTER;
	if (type == STORE_STATUS_AFTER && strcmp(text, now))
		fail("the status is another one: %s", text);
}

int tape_end(struct tape *t, uint64_t *written)
{
	(void)t;
	*written = 1;
	return 0;
}

void tape_add(struct tape *t, const struct iob_iolog_bin_record *rec) { (void)t; (void)rec; }
void tape_set_wall(struct tape *t, int64_t wall_ns) { (void)t; (void)wall_ns; }
bool tape_flush(struct tape *t) { (void)t; return true; }
int tape_error(const struct tape *t) { (void)t; return 0; }

int view_run(const struct opts *opts, const struct view *view)
{
	run.opts = opts;
	if (view->begin(&run))
		fail("it does not begin: %s", said);
	return view->end(&run);
}

#define OURS	"enabled 1\nsession 7\ntotal 8:0 ios=3\nmodule 5\n"

/*
 * Its own session has no status at the beginning of the recording: of what is at the end, a view
 * cannot tell that it is another session's.
 */
static void of_its_session(void)
{
	static const struct {
		bool own;
		const char *then, *now;
		bool written;
	} rows[] = {
		{ true, OURS, "enabled 1\nsession 7\ntotal 8:0 ios=9\nmodule 5\n", true },
		{ true, OURS, "enabled 0\nsession 7\ntotal 8:0 ios=9\nmodule 5\n", true },
		{ true, OURS, "enabled 1\nsession 8\ntotal 8:0 ios=9\nmodule 5\n", false },
		{ true, OURS, "enabled 0\nsession 8\ntotal 8:0 ios=9\nmodule 5\n", false },
		/* the module was loaded anew */
		{ true, OURS, "enabled 1\nsession 7\ntotal 8:0 ios=9\nmodule 6\n", false },
		{ true, OURS, NULL, false },
		/* nothing is known of the beginning */
		{ true, NULL, OURS, true },
		/* it read along, and both are in the recording */
		{ false, OURS, "enabled 1\nsession 8\ntotal 8:0 ios=9\nmodule 5\n", true },
	};
	const struct opts o = { .output = "/dev/null" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&run, 0, sizeof(run));
		run.session.own = rows[i].own;
		run.session.status_text = (char *)rows[i].then;
		if (rows[i].then)
			status_parse(&run.session.before, rows[i].then);
		/* as session_status() does */
		if (rows[i].own)
			run.session.before.ios = 0;
		now = rows[i].now;
		before = after = 0;
		if (cmd_record(&o))
			fail("row %u: %s", i, said);
		if (before != !rows[i].own || after != rows[i].written)
			fail("row %u: %u at the beginning, %u at the end", i, before, after);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(of_its_session) };

	return run_tests("tool_record", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Who asks for records gets those that he may see, and no name of others' files: processes of
 * several users ask, and read to the end.  The module's files are pipes.
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "fake_module.h"
#include "query.h"
#include "records.h"
#include "source.h"
#include "store.h"
#include "test.h"

enum {
	ANN = 61001, BOB = 61002, NOBODY_KNOWN = 61003,
	LAST = 999,		/* inode of the record that ends a run */
	AT_ONCE = 300,		/* records that a pipe has room for */
	CPUS = 6,
	/* more records than a pass may put for one that has read all, and their bytes in a pipe */
	MANY = 36000,
	MANY_BYTES = MANY / CPUS * sizeof(struct iob_iolog_bin_record),
};

/* The group of the test: one that each system has, and no viewer's but the member's */
#define GROUP	"daemon"

/* selftests/past asks for the past; here it is so many bytes */
static struct asker *asked;
static void no_more(struct asker *a);
static const char *put_many(struct asker *a, char *rest);
const struct query_verb query_past = {
	.word = "past", .begin = put_many, .enough = no_more, .end = no_more,
};

static char socket_path[96];
static int cpu_fd[CPUS];
static sd_event *event;

static const char *put_many(struct asker *a, char *rest)
{
	size_t len = atoi(rest);
	char *data = calloc(1, len);

	asked = a;
	query_put(a, data, len);
	free(data);
	return NULL;
}

static void no_more(struct asker *a)
{
	(void)a;
}

/* Processes with these ids are not there, so that the module's word counts. */
static struct iob_iolog_bin_record one_record(uint32_t uid, u64 ino)
{
	static u64 now;

	return (struct iob_iolog_bin_record){
		.len = sizeof(struct iob_iolog_bin_record), .ver = IOB_IOLOG_BIN_VER, .op = 'W',
		.disk = 8 << 20, .dev = 8 << 20, .ino = ino, .gen = 1, .tgid = 0x7fff0000,
		.pid = 0x7fff0000, .uid1 = uid + 1, .queue_ns = 1, .complete_ns = ++now,
		.bytes = 4096, .sub_pid = 1, .sub_comm = "another's",
	};
}

static void log_record(unsigned int cpu, uint32_t uid, u64 ino)
{
	struct iob_iolog_bin_record rec = one_record(uid, ino);

	if (write(cpu_fd[cpu], &rec, sizeof(rec)) != sizeof(rec))
		fail("no room in the log");
}

/* What one that asks has got */
struct got {
	unsigned int records, wrong, lost, notes, before, after;
	bool last, late, losses, totals;
	u64 time;
};

static void look_at(struct got *g, const struct store_chunk *c, const char *data, uid_t uid, bool all)
{
	const struct iob_iolog_bin_record *rec = (const void *)data;
	uint64_t lost;
	size_t i;

	switch (c->type) {
	case STORE_RECORDS:
		for (i = 0; i < c->len / sizeof(*rec); i++, g->records++) {
			g->wrong += !all && rec[i].uid1 != uid + 1;
			/* who submitted it is somebody else */
			g->wrong += all ? rec[i].sub_pid != 1 : rec[i].sub_pid || rec[i].sub_comm[1];
			g->last |= rec[i].ino == LAST;
			g->late |= rec[i].complete_ns < g->time;
			g->time = rec[i].complete_ns;
		}
		break;
	case STORE_NAME:
		/* files have the number of who owns them */
		g->wrong += !all && strstr(data + 32, "secret") && !strstr(data + 32, "file-999") &&
			    (uid_t)atoi(strstr(data + 32, "file-") + 5) != uid;
		break;
	case STORE_LOST:
		memcpy(&lost, data, sizeof(lost));
		g->lost += lost;
		break;
	case STORE_NOTE:
		g->notes++;
		break;
	case STORE_STATUS_BEFORE:
		g->before++;
		break;
	case STORE_STATUS_AFTER:
		g->after++;
		g->losses = strstr(data, "io_nomem");
		g->totals = strstr(data, "exact");
		break;
	}
}

static FILE *ask_as(uid_t uid, gid_t group, const char *request)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	if (setgroups(!!group, &group) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    write(fd, request, strlen(request)) != (ssize_t)strlen(request))
		_exit(100);
	return fdopen(fd, "r");
}

/*
 * In a process of the user: read to the end, which it asks for when the last record has come.
 * Exits with 0 if it has got @wants records, in order, and none of others.
 */
static void watch_as(uid_t uid, gid_t group, unsigned int wants, bool slow, int ready, int go)
{
	bool all = !uid || group;
	FILE *f = ask_as(uid, group, "records\n");
	struct store_chunk c;
	struct got g = { 0 };
	char *data, byte;

	if (store_open(f) != STORE_CHUNK || write(ready, "", 1) != 1)
		_exit(101);
	/* a slow one reads only when all is written */
	if (slow && read(go, &byte, 1) != 1)
		_exit(102);
	while (store_read(f, &c, &data) == STORE_CHUNK) {
		look_at(&g, &c, data, uid, all);
		free(data);
		if (g.last)
			shutdown(fileno(f), SHUT_WR);
	}
	if (g.records + g.lost != wants || g.wrong || g.late || g.before != 1 || g.after < 2 ||
	    !g.losses || g.totals != all || slow != !!g.lost)
		fprintf(stderr, "%u: %u records, %u lost, %u wrong, late %d, before %u, after %u\n",
			uid, g.records, g.lost, g.wrong, g.late, g.before, g.after);
	_exit(g.records + g.lost != wants ? 103 : g.wrong ? 104 : g.late ? 105 :
	      g.before != 1 || g.after < 2 ? 106 : !g.losses || g.totals != all ? 107 :
	      slow != !!g.lost ? 108 : 0);
}

static bool begin_daemon(void)
{
	char path[128];
	unsigned int i;

	snprintf(folder, sizeof(folder), "/tmp/iob-query-%d", getpid());
	snprintf(socket_path, sizeof(socket_path), "%s/query", folder);
	mkdir(folder, 0755);
	for (i = 0; i < CPUS; i++) {
		snprintf(path, sizeof(path), "%s/iolog_bin%u", folder, i);
		if (mkfifo(path, 0600))
			return false;
		/* with a writer, an empty pipe is no end */
		cpu_fd[i] = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	}
	peer_group(GROUP);
	return sd_event_new(&event) >= 0 && !records_begin(event) && !query_begin(event, socket_path);
}

static void end_daemon(void)
{
	char path[128];
	unsigned int i;

	query_end();
	records_end();
	event = sd_event_unref(event);
	for (i = 0; i < CPUS; i++) {
		close(cpu_fd[i]);
		snprintf(path, sizeof(path), "%s/iolog_bin%u", folder, i);
		unlink(path);
	}
	if (!access(socket_path, F_OK))
		fail("the socket stays");
	rmdir(folder);
}

/* Run the loop until so many bytes have come by the pipe, or it takes too long. */
static void run_until(int fd, unsigned int nr)
{
	unsigned int i;
	char byte;

	for (i = 0; nr && i < 2000; i++) {
		sd_event_run(event, 10000);
		nr -= read(fd, &byte, 1) == 1;
	}
	if (nr)
		fail("%u are missing", nr);
}

static void run_until_exit(pid_t *pid, unsigned int nr, const char *const *who)
{
	unsigned int i, k, left = nr;
	int st;

	for (k = 0; left && k < 3000; k++) {
		sd_event_run(event, 10000);
		for (i = 0; i < nr; i++) {
			if (!pid[i] || waitpid(pid[i], &st, WNOHANG) != pid[i])
				continue;
			pid[i] = 0;
			left--;
			if (!WIFEXITED(st) || WEXITSTATUS(st))
				fail("%s: status %#x", who[i], st);
		}
	}
	for (i = 0; i < nr; i++) {
		if (!pid[i])
			continue;
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		fail("%s does not end", who[i]);
	}
}

static bool can_be_others(void)
{
	if (!geteuid() && getgrnam(GROUP))
		return true;
	note("only root can be several users: not tested");
	return false;
}

static void several_users(void)
{
	static const char *const who[] = {
		"root", "ann", "bob", "a user without IO", "a member", "ann again",
	};
	static const uid_t uid[] = { 0, ANN, BOB, NOBODY_KNOWN, BOB, ANN };
	/* the last record of each is one of his */
	static const unsigned int sees[] = { 14, 5, 4, 1, 14, 5 };
	int ready[2], no[2] = { -1, -1 };
	pid_t pid[ARRAY_SIZE(uid)];
	unsigned int i;

	if (!can_be_others())
		return;
	if (!begin_daemon() || pipe2(ready, O_NONBLOCK)) {
		fail("no daemon");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(uid); i++) {
		pid[i] = fork();
		if (!pid[i])
			watch_as(uid[i], i == 4 ? getgrnam(GROUP)->gr_gid : 0, sees[i], false,
				 ready[1], no[0]);
	}
	run_until(ready[0], ARRAY_SIZE(uid));
	for (i = 0; i < 4; i++)
		log_record(i % CPUS, ANN, ANN);
	for (i = 0; i < 3; i++)
		log_record(i % CPUS, BOB, BOB);
	for (i = 0; i < 2; i++)
		log_record(i % CPUS, 0, 1000);
	/* of a module that does not say it, and of no task */
	log_record(0, -1, 1001);
	log_record(1, ANN, LAST);
	log_record(0, BOB, LAST);
	log_record(1, NOBODY_KNOWN, LAST);
	log_record(0, 0, LAST);
	run_until_exit(pid, ARRAY_SIZE(uid), who);
	close(ready[0]);
	close(ready[1]);
	end_daemon();
}

/* One that does not read loses batches and is told how many; the other one gets all. */
static void slow_reader(void)
{
	static const char *const who[] = { "the fast one", "the slow one" };
	unsigned int all = 0, i, k;
	int ready[2], go[2];
	pid_t pid[2];

	if (!can_be_others())
		return;
	if (!begin_daemon() || pipe2(ready, O_NONBLOCK) || pipe(go)) {
		fail("no daemon");
		return;
	}
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (!pid[i])
			watch_as(i ? ANN : 0, 0, 120 * AT_ONCE + 1, i, ready[1], go[0]);
	}
	run_until(ready[0], 2);
	for (k = 0; k < 120; k++) {
		for (i = 0; i < AT_ONCE; i++, all++)
			log_record(k % CPUS, ANN, ANN);
		records_read();
		for (i = 0; i < 20; i++)
			sd_event_run(event, 1000);
	}
	if (write(go[1], "", 1) != 1)
		fail("no pipe");
	for (i = 0; i < 100; i++)
		sd_event_run(event, 10000);
	log_record(0, ANN, LAST);
	run_until_exit(pid, 2, who);
	end_daemon();
}

/* Read what has come.  Return: false if nothing comes within a second. */
static bool comes(int fd)
{
	static char data[1 << 20];
	unsigned int i;
	bool some = false;

	for (i = 0; i < 10 && !some; i++) {
		sd_event_run(event, 100000);
		while (recv(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
			some = true;
	}
	return some;
}

/* One that has read all is sent what one pass brings, also if that is all that may wait for it. */
static void large_pass(void)
{
	unsigned int i;
	FILE *f;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	f = ask_as(0, 0, "records\n");
	while (comes(fileno(f)))
		;
	for (i = 0; i < CPUS; i++) {
		if (fcntl(cpu_fd[i], F_SETPIPE_SZ, MANY_BYTES) < MANY_BYTES)
			fail("a pipe has no room: %s", strerror(errno));
	}
	for (i = 0; i < MANY; i++)
		log_record(i % CPUS, 0, ANN);
	records_read();
	if (!comes(fileno(f)))
		fail("nothing of %u records is sent", MANY);
	fclose(f);
	end_daemon();
}

/* Wait so long for an event, and run what comes with it. */
static void run_all(uint64_t us)
{
	sd_event_run(event, us);
	while (sd_event_run(event, 0) > 0)
		;
}

/* A connection of a user. */
static int connect_as(uid_t uid)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	if (setgroups(0, NULL) || seteuid(uid) || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("no connection: %s", strerror(errno));
	if (seteuid(0))
		fail("not root again");
	run_all(100000);
	return fd;
}

/* What comes within a second, or "". */
static const char *answer_to(int fd, const char *request)
{
	static char answer[256];
	ssize_t n = -1;
	unsigned int i;

	/* (who is refused was answered already) */
	send(fd, request, strlen(request), MSG_NOSIGNAL);
	for (i = 0; i < 10 && n < 0; i++) {
		run_all(100000);
		n = recv(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT);
	}
	answer[n > 0 ? n : 0] = '\0';
	return answer;
}

/* Who has many user ids and does not ask takes no place of root's, and not for long. */
static void many_users(void)
{
	int fd[60], i, root, other;
	char data[256];
	u64 from;
	ssize_t n;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	from = clock_ns();
	for (i = 0; i < 60; i++)
		fd[i] = connect_as(ANN + i / 12);
	root = connect_as(0);
	if (!strstr(answer_to(root, "nonsense\n"), "no such request"))
		fail("root may not ask");
	other = connect_as(ANN + 10);
	/* (on a busy machine the first may have been sent away by now) */
	if (!strstr(answer_to(other, "nonsense\n"), "too many") && clock_ns() - from < 4500000000)
		fail("the last places are everybody's");
	close(other);
	for (i = 0; i < 8; i++)
		run_all(1000000);
	n = recv(fd[0], data, sizeof(data), MSG_DONTWAIT);
	if (n <= 0 || !memmem(data, n, "no request", 10) ||
	    recv(fd[0], data, sizeof(data), MSG_DONTWAIT))
		fail("who does not ask stays");
	other = connect_as(ANN + 10);
	if (!strstr(answer_to(other, "nonsense\n"), "no such request"))
		fail("no place is free again");
	close(other);
	close(root);
	for (i = 0; i < 60; i++)
		close(fd[i]);
	end_daemon();
}

/* One user takes twelve places and no more; another one's are not among them. */
static void one_user(void)
{
	int fd[12], i, more, other;
	u64 from;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	from = clock_ns();
	for (i = 0; i < 12; i++)
		fd[i] = connect_as(ANN);
	more = connect_as(ANN);
	/* (on a busy machine the first may have been sent away by now) */
	if (!strstr(answer_to(more, "nonsense\n"), "too many") && clock_ns() - from < 4500000000)
		fail("one user has 13 places");
	other = connect_as(BOB);
	if (!strstr(answer_to(other, "nonsense\n"), "no such request"))
		fail("another user may not ask");
	for (i = 0; i < 12; i++)
		close(fd[i]);
	close(more);
	close(other);
	end_daemon();
}

/* An asker of a user who reads nothing of so many bytes. */
static struct asker *ask_bytes(uid_t uid, unsigned int bytes, int *fd)
{
	char request[32];
	int i;

	*fd = connect_as(uid);
	snprintf(request, sizeof(request), "past %u\n", bytes);
	asked = NULL;
	if (write(*fd, request, strlen(request)) < 0)
		fail("it cannot ask");
	for (i = 0; i < 10 && !asked; i++)
		sd_event_run(event, 100000);
	return asked;
}

/* What waits for one user is bounded, and leaves room for others. */
static void slow_user(void)
{
	struct asker *ann, *bob, *root;
	int fd[8], i;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	for (i = 0; i < 5; i++)
		ask_bytes(ANN, 4000000, &fd[i]);
	ann = ask_bytes(ANN, 1000000, &fd[5]);
	bob = ask_bytes(BOB, 1000000, &fd[6]);
	root = ask_bytes(0, 1000000, &fd[7]);
	if (!ann || !query_is_behind(ann))
		fail("20 MB wait for one user");
	if (!bob || query_is_behind(bob) || !root || query_is_behind(root))
		fail("another one has no room");
	for (i = 0; i < 8; i++)
		close(fd[i]);
	end_daemon();
}

/* Askers who read nothing */
struct crowd {
	int fd[48];
	unsigned int nr;
	size_t waits;		/* bytes, for all of them */
};

/* One more, of a user.  Return: NULL if it may not ask. */
static struct asker *join_crowd(struct crowd *c, uid_t uid)
{
	struct asker *a = ask_bytes(uid, 3 << 20, &c->fd[c->nr++]);

	if (!a) {
		fail("user %u may not ask", uid);
		return NULL;
	}
	/* (what the socket has room for is gone) */
	c->waits += a->len - a->at;
	return a;
}

/* What waits for all is bounded, none of whom is slow by himself, and leaves room for root. */
static void slow_users(void)
{
	struct crowd c = { .nr = 0 };
	const struct asker *a;
	bool late = false;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	while (c.waits <= 54 << 20 && c.nr < 30) {
		a = join_crowd(&c, ANN + c.nr / 4);
		late = c.waits > 48 << 20;
		if (!a || query_is_behind(a) != late)
			fail("%zu KiB wait for all, and %s", c.waits >> 10,
			     late ? "more may come" : "nothing more may come");
	}
	if (!late)
		fail("no more than %zu KiB wait", c.waits >> 10);
	while (c.waits <= 66 << 20 && c.nr < ARRAY_SIZE(c.fd)) {
		a = join_crowd(&c, 0);
		late = c.waits > 64 << 20;
		if (!a || query_is_behind(a) != late)
			fail("%zu KiB wait, root's with them, and %s", c.waits >> 10,
			     late ? "more may come" : "nothing more may come");
	}
	if (!late)
		fail("no more than %zu KiB wait with root's", c.waits >> 10);
	note("%zu KiB for %u", c.waits >> 10, c.nr);
	while (c.nr)
		close(c.fd[--c.nr]);
	end_daemon();
}

/* Nonsense is answered by an error, and nothing of it stays. */
static void requests(void)
{
	static const char *const wrong[] = {
		"nonsense\n", "records for me\n", "\n", "records", "recordsrecords\n",
	};
	char answer[256], longest[QUERY_LINE + 1];
	unsigned int i, k;
	FILE *f;

	if (!can_be_others())
		return;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	memset(longest, 'a', QUERY_LINE);
	longest[QUERY_LINE] = '\0';
	for (i = 0; i <= ARRAY_SIZE(wrong); i++) {
		f = ask_as(0, 0, i < ARRAY_SIZE(wrong) ? wrong[i] : longest);
		if (i == 3)
			shutdown(fileno(f), SHUT_WR);
		for (k = 0; k < 5; k++)
			sd_event_run(event, 10000);
		if (i == 3 ? !!fgets(answer, sizeof(answer), f) :
		    !fgets(answer, sizeof(answer), f) || strncmp(answer, "error ", 6))
			fail("request %u is not refused", i);
		fclose(f);
	}
	end_daemon();
}

/* Why nothing comes is told, and when it is over. */
static void waits(void)
{
	unsigned int k, notes = 0, records = 0;
	struct store_chunk c;
	char *data;
	FILE *f;

	if (!can_be_others())
		return;
	loaded = false;
	if (!begin_daemon()) {
		fail("no daemon");
		return;
	}
	f = ask_as(0, 0, "records\n");
	for (k = 0; k < 5; k++)
		sd_event_run(event, 10000);
	loaded = true;
	records_read();
	log_record(0, 0, LAST);
	records_read();
	shutdown(fileno(f), SHUT_WR);
	for (k = 0; k < 5; k++)
		sd_event_run(event, 10000);
	store_open(f);
	while (store_read(f, &c, &data) == STORE_CHUNK) {
		/* the first says something, the second that it is over */
		if (c.type == STORE_NOTE && !!*data == notes++ % 2)
			fail("note %u is \"%s\"", notes, data);
		records += c.type == STORE_RECORDS;
		free(data);
	}
	if (notes != 2 || records != 1)
		fail("%u notes, %u batches", notes, records);
	fclose(f);
	end_daemon();
}

/* The log of a CPU that has come is opened, within a second, and read. */
static void cpu_comes(void)
{
	struct iob_iolog_bin_record rec = one_record(ANN, 11);
	struct source s;
	char path[128];
	int fd;

	if (!begin_daemon() || source_open_log(&s)) {
		fail("the log is not open");
		return;
	}
	snprintf(path, sizeof(path), "%s/iolog_bin%u", folder, CPUS + 3);
	mkfifo(path, 0600);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	s.cpus--;
	source_look_for_cpus(&s);
	if (s.nr_cpus != CPUS)
		fail("it looks all the time");
	s.looked_ns -= 2000000000;
	source_look_for_cpus(&s);
	if (s.nr_cpus != CPUS + 1 || s.cpu[CPUS].nr != CPUS + 3)
		fail("%u logs are open", s.nr_cpus);
	if (write(fd, &rec, sizeof(rec)) != sizeof(rec) || !source_fill(&s, false) ||
	    !source_next(&s, &rec) || rec.ino != 11)
		fail("its record is not read");
	source_close(&s);
	close(fd);
	unlink(path);
	end_daemon();
}

/* Chunks up to the third record: status, intent and records in the order in which they come. */
static void note_order(int ready)
{
	FILE *f = ask_as(0, 0, "records\n");
	char order[16] = "", *data, *at = order;
	struct store_chunk c;

	/* a log has an end when nobody can write it */
	close(cpu_fd[0]);
	if (store_open(f) != STORE_CHUNK || write(ready, "", 1) != 1)
		_exit(101);
	while (at < order + 7 && store_read(f, &c, &data) == STORE_CHUNK) {
		*at = c.type == STORE_STATUS_BEFORE ? 's' : c.type == STORE_INTENT ? 'i' :
		      c.type == STORE_RECORDS ? 'r' : '\0';
		if (*at == 'r' && write(ready, "", 1) != 1)
			_exit(102);
		at += !!*at;
	}
	if (strcmp(order, "sirrsir"))
		fprintf(stderr, "the order is %s\n", order);
	_exit(strcmp(order, "sirrsir") ? 103 : 0);
}

/* The log and the intents of a session, which stand in the place of those before. */
static void next_session(char nr)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/intents", folder);
	unlink(path);
	f = fopen(path, "w");
	fprintf(f, "#0 modifier=0x0\n[0] stack_of_%c+0x1/0x2\n", nr);
	fclose(f);
	*(strstr(status, "session ") + strlen("session ")) = nr;
}

/* A session begins while one is sent records: its status is before its intents. */
static void two_sessions(void)
{
	static const char *const who[] = { "it" };
	char path[128];
	int ready[2];
	pid_t pid;

	if (!can_be_others())
		return;
	if (!begin_daemon() || pipe2(ready, O_NONBLOCK)) {
		fail("no daemon");
		return;
	}
	next_session('7');
	pid = fork();
	if (!pid)
		note_order(ready[1]);
	run_until(ready[0], 1);
	log_record(0, ANN, 11);
	run_until(ready[0], 1);
	/* this one has the stack of the first session still, and then its log has an end */
	log_record(0, ANN, 12);
	next_session('8');
	snprintf(path, sizeof(path), "%s/iolog_bin0", folder);
	unlink(path);
	mkfifo(path, 0600);
	close(cpu_fd[0]);
	cpu_fd[0] = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	log_record(0, ANN, 13);
	run_until_exit(&pid, 1, who);
	close(ready[0]);
	close(ready[1]);
	next_session('7');
	snprintf(path, sizeof(path), "%s/intents", folder);
	unlink(path);
	end_daemon();
}

#include "query_clock.h"

int main(void)
{
	static const struct test tests[] = {
		TEST(requests), TEST(waits), TEST(several_users), TEST(slow_reader),
		TEST(large_pass), TEST(many_users), TEST(one_user), TEST(slow_user),
		TEST(slow_users), TEST(cpu_comes), TEST(two_sessions), TEST(clock_is_set),
		TEST(clock_is_told),
	};

	return run_tests("daemon_query", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /metrics in the daemon's loop: over TLS, an answer of any size arrives whole, and who does
 * nothing keeps nobody away.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "allocated.h"
#include "dir.h"
#include "metrics_loop.h"
#include "metrics_sum.h"
#include "test.h"

#define SECOND	1000000000LL

enum {
	UNITS = METRICS_MOST_UNITS,
	LEAST_BYTES = 4 << 20,	/* far more than is sent in one turn of the loop */
	WAIT_SECONDS = 40,
	REQUESTS = 300,		/* in 8 KB */
};

static const char certificate[] =
	"openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=localhost";
static const char web_config[] =
	"printf 'tls_server_config:\\n  cert_file: c.pem\\n  key_file: k.pem\\n' >web.yml";
static char folder[64];
static struct metrics *served;
static sd_event *loop;
static int port;
static long ahead;		/* seconds that pass in no time */

/* The module's files; no interval of this test is the kernel's */
char *dir_read(const char *name)
{
	(void)name;
	return NULL;
}

/* libmicrohttpd's clock, too */
int clock_gettime(clockid_t id, struct timespec *now)
{
	int err = syscall(SYS_clock_gettime, id, now);

	if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)
		now->tv_sec += ahead;
	return err;
}

static bool run_shell(const char *cmd)
{
	char text[1024];

	snprintf(text, sizeof(text), "cd %s && { %s; } >log 2>&1", folder, cmd);
	return !system(text);
}

/* All units do IO in two intervals, so each has series of its own. */
static void add_units(struct metrics *m, int units)
{
	struct usage *list = calloc(units, sizeof(*list));
	char (*unit)[128] = calloc(units, sizeof(*unit));
	int i;

	for (i = 0; i < units; i++) {
		sprintf(unit[i], "unit-%0100d.service", i);
		list[i].key = (struct usage_key){
			.unit = unit[i], .program = "p", .user = "", .file = "", .disk = "sda",
			.why = "data", .uid = UINT32_MAX,
		};
		list[i].ios = 1;
		list[i].bytes = 4096;
	}
	for (i = 1; i <= 2; i++) {
		struct usage_list usage = {
			.list = list, .nr = units, .from_ns = i * 10 * SECOND,
			.until_ns = (i + 1) * 10 * SECOND,
		};

		metrics_interval(m, &usage, false);
	}
	free(unit);
	free(list);
}

/* @units: that do IO, so many that they have no bound; 0: none */
static void begin_server(int units, bool tls)
{
	struct metrics_conf conf;

	metrics_defaults(&conf);
	if (units) {
		conf.max_series = METRICS_MOST_SERIES;
		conf.max_units = UNITS;
	}
	port = 20000 + getpid() % 20000;
	snprintf(conf.listen, sizeof(conf.listen), "127.0.0.1:%d", port);
	if (tls)
		snprintf(conf.web_config, sizeof(conf.web_config), "%s/web.yml", folder);
	if (sd_event_new(&loop) < 0 || metrics_begin(&served, loop, &conf))
		fail("nothing is served");
	if (units)
		add_units(served, units);
}

static void end_server(int *fd, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		close(fd[i]);
	metrics_finish(served, false);
	sd_event_unref(loop);
}

static char *answer_path(void)
{
	static char path[96];

	snprintf(path, sizeof(path), "%s/answer", folder);
	return path;
}

/* Return: its pid; it exits with 0 if it had all of the answer. */
static pid_t start_reader(void)
{
	char url[64], seconds[16];
	pid_t pid;

	unlink(answer_path());
	pid = fork();
	if (pid)
		return pid;
	snprintf(url, sizeof(url), "https://127.0.0.1:%d/metrics", port);
	snprintf(seconds, sizeof(seconds), "%d", WAIT_SECONDS);
	execlp("curl", "curl", "-sfk", "--max-time", seconds, "-o", answer_path(), url, NULL);
	_exit(127);
}

static long answer_bytes(void)
{
	FILE *f = fopen(answer_path(), "r");
	long n;

	if (!f)
		return 0;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	fclose(f);
	return n;
}

/* The loop of the daemon, until the reader ends, who is to have had all. */
static void expect_answer(pid_t pid)
{
	int status = 0;

	while (!waitpid(pid, &status, WNOHANG))
		sd_event_run(loop, 100000);
	if (status || answer_bytes() < LEAST_BYTES)
		fail("status %d (28 << 8: in time), %ld bytes", status, answer_bytes());
}

static void large_answer(void)
{
	begin_server(UNITS, true);
	expect_answer(start_reader());
	end_server(NULL, 0);
}

static void turn(unsigned int ms)
{
	sd_event_run(loop, ms * 1000);
}

static int open_one(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), room = 4096, i;

	/* an answer that is not read waits in the daemon */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("no connection: %s", strerror(errno));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (i = 0; i < 3; i++)
		turn(1);
	return fd;
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
		fail("send: %s", strerror(errno));
}

static bool is_open(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_PEEK);

	return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Ask for something, long before a connection that does nothing is closed for that. */
static bool asks(int fd)
{
	char text[64] = "";
	int i;

	say(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
	for (i = 0; i < 200 && recv(fd, text, 15, 0) < 0; i++)
		turn(20);
	/* the rest of the page */
	turn(1);
	while (recv(fd, text + 16, 40, 0) > 0)
		;
	return !strncmp(text, "HTTP/1.1 200", 12);
}

/* However many say nothing, or a little: the latest of them have the places. */
static void idle(void)
{
	static const char *const says[] = { "", "GET /metrics HTT" };
	int fd[41];
	size_t i, k, nr;

	for (k = 0; k < ARRAY_SIZE(says); k++) {
		begin_server(0, false);
		for (i = 0; i < 40; i++) {
			fd[i] = open_one();
			say(fd[i], says[k]);
		}
		/* the first of the last ones goes on, and waits no less for that */
		say(fd[25], says[k]);
		turn(1);
		fd[40] = open_one();
		if (!asks(fd[40]))
			fail("%zu: %s keeps others away", k, *says[k] ? "a part" : "nothing");
		for (i = 0, nr = 0; i < 40; i++)
			nr += is_open(fd[i]);
		if (nr != 15 || !is_open(fd[25]) || is_open(fd[24]))
			fail("%zu: %zu of 15 are open, but not the latest", k, nr);
		end_server(fd, 41);
	}
}

/* Who had an answer waits since then. */
static void had_answer(void)
{
	int fd[17];
	size_t i;

	begin_server(0, false);
	for (i = 0; i < 16; i++)
		fd[i] = open_one();
	if (!asks(fd[0]))
		fail("no answer");
	fd[16] = open_one();
	if (!asks(fd[16]) || !is_open(fd[0]) || is_open(fd[1]))
		fail("not the one that waits longest gives way");
	if (!asks(fd[0]))
		fail("no second answer");
	end_server(fd, 17);
}

/* Sixteen that do not read what they have asked for are no reason to answer nobody. */
static void slow_readers(void)
{
	int fd[17];
	size_t i;

	begin_server(UNITS, false);
	for (i = 0; i < 16; i++) {
		fd[i] = open_one();
		say(fd[i], "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
		turn(100);
	}
	fd[16] = open_one();
	if (!asks(fd[16]))
		fail("slow readers keep others away");
	for (i = 0; i < 16; i++) {
		if (!is_open(fd[i]))
			fail("an answer is cut off at once");
	}
	end_server(fd, 17);
}

/* Ask for metrics.  Return: the status; of an answer that is large, most is not read. */
static int ask_metrics(int fd)
{
	char text[512] = "";
	ssize_t n = -1;
	int i;

	say(fd, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
	for (i = 0; i < 200 && n <= 0; i++) {
		turn(20);
		n = recv(fd, text, sizeof(text) - 1, 0);
	}
	if (strncmp(text, "HTTP/1.1 ", 9))
		fail("no answer: %zd", n);
	if (!strncmp(text + 9, "503", 3) && !strstr(text, "Retry-After: 10\r\n"))
		fail("nothing says when to come again");
	return atoi(text + 9);
}

/* Take a part of an answer, as who is slow and not gone.  No event says that there is more. */
static void take_some(int fd)
{
	static char text[65536];
	int room = 256 << 10, i;
	long bytes = 0;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	for (i = 0; i < 1000 && bytes < 1 << 20; i++) {
		n = recv(fd, text, sizeof(text), 0);
		bytes += n > 0 ? n : 0;
		turn(1);
	}
	if (bytes < 1 << 20)
		fail("%ld bytes are there", bytes);
}

/*
 * Answers that are not taken are bounded together; who has no room is told so, and shown nothing.
 * He has room when one of them was sent for 10 seconds, though it is taken bit by bit.
 */
static void answers_are_bounded(void)
{
	unsigned int had = 0, refused = 0;
	size_t before, bytes, answer;
	int fd[16], i;

	begin_server(UNITS / 2, false);
	before = allocated();
	for (i = 0; i < 16; i++) {
		fd[i] = open_one();
		if (ask_metrics(fd[i]) == 200)
			had++;
		else
			refused++;
	}
	bytes = allocated() - before;
	answer = served->scrape_bytes[0] / served->scrapes[0];
	if (!had || !refused || served->scrapes[0] != had || served->refused != refused)
		fail("%u had an answer, %u had not, which are counted as %llu and %llu", had,
		     refused, (u64)served->scrapes[0], (u64)served->refused);
	/* what each connection has comes on top */
	if (bytes > (16 << 20) + answer + (2 << 20))
		fail("%zu KiB wait", bytes >> 10);
	note("%zu KiB wait, %u answers of %zu KiB", bytes >> 10, had, answer >> 10);
	for (i = 0; i < 2; i++) {
		ahead += 6;
		take_some(fd[0]);
		take_some(fd[1]);
	}
	/* the others have waited for too long */
	close(fd[15]);
	fd[15] = open_one();
	if (ask_metrics(fd[15]) != 503)
		fail("there is room at once");
	turn(20);
	if (ask_metrics(fd[15]) != 200)
		fail("who is slow keeps the room");
	end_server(fd, 16);
}

/* Who begins a TLS handshake and is silent costs nothing; nor beside an answer that is not read. */
static void silent_handshake(void)
{
	unsigned int i, busy = 0;
	pid_t reader;
	int fd;

	begin_server(UNITS, true);
	reader = start_reader();
	for (i = 0; i < 1000 && !answer_bytes(); i++)
		turn(20);
	kill(reader, SIGSTOP);
	for (i = 0; i < 1000 && sd_event_run(loop, 50000) > 0; i++)
		;
	fd = open_one();
	if (send(fd, "\x16\x03\x01\x00\xff", 5, MSG_NOSIGNAL) != 5)
		fail("send: %s", strerror(errno));
	for (i = 0; i < 30; i++)
		busy += sd_event_run(loop, 10000) > 0;
	if (busy > 5)
		fail("%u of 30 turns had something to do", busy);
	if (!is_open(fd))
		fail("it is closed at once");
	kill(reader, SIGCONT);
	expect_answer(reader);
	end_server(&fd, 1);
}

/* Many requests at once have their answers at once, in as many turns as it takes. */
static void pipelined(void)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	char *ask = calloc(REQUESTS, sizeof(request)), *got = calloc(REQUESTS, 512), *at;
	size_t len = 0, i, idle_turns, answers = 0;
	int fd, room = 1 << 20;
	ssize_t n;

	begin_server(0, false);
	fd = open_one();
	/* no event says that there is room again */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	for (i = 0; i < REQUESTS; i++)
		strcat(ask, request);
	say(fd, ask);
	for (idle_turns = 0; idle_turns < 10; idle_turns++) {
		if (sd_event_run(loop, 20000) > 0)
			idle_turns = 0;
		n = recv(fd, got + len, REQUESTS * 512 - 1 - len, 0);
		len += n > 0 ? n : 0;
	}
	for (at = got; (at = strstr(at, "HTTP/1.1 200")); at++)
		answers++;
	if (answers != REQUESTS)
		fail("%zu answers", answers);
	end_server(&fd, 1);
	free(got);
	free(ask);
}

/* A request that is there is answered, however long nothing came before; a part of one is not. */
static void was_idle(void)
{
	static const long seconds[] = { 5, 11, 3600 };
	size_t i;
	int fd;

	begin_server(0, false);
	fd = open_one();
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		if (!asks(fd))
			fail("%zu: no answer", i);
		ahead += seconds[i];
	}
	if (!asks(fd))
		fail("no answer in the end");
	say(fd, "GET /metrics HTT");
	turn(20);
	ahead += 11;
	say(fd, "P");
	for (i = 0; i < 3; i++)
		turn(20);
	if (is_open(fd))
		fail("a request may take for ever");
	end_server(&fd, 1);
}

/* Who takes nothing of his answer is sent away. */
static void stalled(void)
{
	static char text[65536];
	long bytes = 0;
	ssize_t n = -1;
	int fd, i;

	begin_server(UNITS, false);
	fd = open_one();
	say(fd, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
	for (i = 0; i < 5; i++)
		turn(20);
	ahead += 11;
	for (i = 0; i < 3; i++)
		metrics_ready(served);
	for (i = 0; i < 1000 && n; i++) {
		turn(5);
		while ((n = recv(fd, text, sizeof(text), 0)) > 0)
			bytes += n;
	}
	if (n || !bytes || bytes >= LEAST_BYTES)
		fail("%ld bytes, then %zd", bytes, n);
	end_server(&fd, 1);
}

/* What is said is kept.  Return: the standard error output before */
static int begin_saying(void)
{
	char path[96];
	int before = dup(STDERR_FILENO), fd;

	snprintf(path, sizeof(path), "%s/said", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return before;
}

/* Return: how many lines were said */
static unsigned int end_saying(int before)
{
	char path[96], line[512];
	unsigned int lines = 0;
	FILE *f;

	dup2(before, STDERR_FILENO);
	close(before);
	snprintf(path, sizeof(path), "%s/said", folder);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		lines++;
	if (f)
		fclose(f);
	return lines;
}

/* The port is another program's for some intervals: that is said once, and then it is served. */
static void taken_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int other = socket(AF_INET, SOCK_STREAM, 0), before = begin_saying(), fd, i;
	unsigned int said;

	at.sin_port = htons(20000 + getpid() % 20000);
	if (bind(other, (struct sockaddr *)&at, sizeof(at)) || listen(other, 1))
		fail("the port is taken: %s", strerror(errno));
	begin_server(0, false);
	for (i = 0; i < 3; i++)
		metrics_idle(served, false);
	if (served->http)
		fail("it is served at a port of another program");
	close(other);
	for (i = 0; i < 3; i++)
		metrics_idle(served, false);
	said = end_saying(before);
	/* that it is not served, and that it is */
	if (said != 2)
		fail("%u lines are said", said);
	fd = open_one();
	if (!asks(fd))
		fail("no answer");
	end_server(&fd, 1);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(taken_port), TEST(large_answer), TEST(idle), TEST(had_answer), TEST(slow_readers),
		TEST(answers_are_bounded), TEST(silent_handshake), TEST(pipelined), TEST(was_idle),
		TEST(stalled),
	};
	char remove[96];
	int ret;

	if (system("command -v curl >/dev/null && command -v openssl >/dev/null")) {
		printf("skip daemon_https # no curl or no openssl\n");
		return 0;
	}
	snprintf(folder, sizeof(folder), "/tmp/https.%d", getpid());
	snprintf(remove, sizeof(remove), "rm -rf %s", folder);
	if (mkdir(folder, 0700) || !run_shell(certificate) || !run_shell(web_config))
		fail("no certificate");
	ret = run_tests("daemon_https", tests, ARRAY_SIZE(tests));
	return system(remove) ? FAILED : ret;
}

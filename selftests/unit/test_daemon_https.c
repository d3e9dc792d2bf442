// SPDX-License-Identifier: GPL-2.0
/* /metrics over TLS, in the daemon's loop: an answer of any size arrives whole. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "dir.h"
#include "metrics_loop.h"
#include "test.h"

#define SECOND	1000000000LL

enum {
	UNITS = METRICS_MOST_UNITS,
	LEAST_BYTES = 4 << 20,	/* far more than is sent in one turn of the loop */
	WAIT_SECONDS = 40,
};

static const char certificate[] =
	"openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=localhost";
static const char web_config[] =
	"printf 'tls_server_config:\\n  cert_file: c.pem\\n  key_file: k.pem\\n' >web.yml";
static char folder[64];

/* The module's files; no interval of this test is the kernel's */
char *dir_read(const char *name)
{
	(void)name;
	return NULL;
}

static bool run_shell(const char *cmd)
{
	char text[1024];

	snprintf(text, sizeof(text), "cd %s && { %s; } >log 2>&1", folder, cmd);
	return !system(text);
}

/* All units do IO in two intervals, so each has series of its own. */
static void add_units(struct metrics *m)
{
	struct usage *list = calloc(UNITS, sizeof(*list));
	char (*unit)[128] = calloc(UNITS, sizeof(*unit));
	int i;

	for (i = 0; i < UNITS; i++) {
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
			.list = list, .nr = UNITS, .from_ns = i * 10 * SECOND,
			.until_ns = (i + 1) * 10 * SECOND,
		};

		metrics_interval(m, &usage, false);
	}
	free(unit);
	free(list);
}

/* Return: its pid; it exits with 0 if it had all of the answer. */
static pid_t start_reader(const char *where)
{
	char url[METRICS_PATH + 32], to[96], seconds[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(url, sizeof(url), "https://%s/metrics", where);
	snprintf(to, sizeof(to), "%s/answer", folder);
	snprintf(seconds, sizeof(seconds), "%d", WAIT_SECONDS);
	execlp("curl", "curl", "-sfk", "--max-time", seconds, "-o", to, url, NULL);
	_exit(127);
}

/* The loop of the daemon, until the reader ends. */
static int serve(sd_event *event, pid_t pid)
{
	int status = 0;

	while (!waitpid(pid, &status, WNOHANG))
		sd_event_run(event, 100000);
	return status;
}

static long answer_bytes(void)
{
	char path[96];
	FILE *f;
	long n;

	snprintf(path, sizeof(path), "%s/answer", folder);
	f = fopen(path, "r");
	if (!f)
		return 0;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	fclose(f);
	return n;
}

static void large_answer(void)
{
	struct metrics_conf conf;
	struct metrics *m;
	sd_event *event;
	int status;

	metrics_defaults(&conf);
	conf.max_series = METRICS_MOST_SERIES;
	conf.max_units = UNITS;
	snprintf(conf.listen, sizeof(conf.listen), "127.0.0.1:%d", 20000 + getpid() % 20000);
	snprintf(conf.web_config, sizeof(conf.web_config), "%s/web.yml", folder);
	if (sd_event_new(&event) < 0 || metrics_begin(&m, event, &conf))
		fail("nothing is served");
	add_units(m);
	status = serve(event, start_reader(conf.listen));
	if (status || answer_bytes() < LEAST_BYTES)
		fail("status %d (28 << 8: in time), %ld bytes", status, answer_bytes());
	metrics_finish(m);
	sd_event_unref(event);
}

int main(void)
{
	static const struct test tests[] = { TEST(large_answer) };
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

// SPDX-License-Identifier: GPL-2.0
/* Who reloads the daemon waits until it has let go of the module, or has ended. */
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "test.h"
#include "settings.h"

/* all is in the folder of the test */
#undef SETTINGS_FOLDER
#define SETTINGS_FOLDER	"run"

#include "../../tools/ioblamed/let_go.c"

/* The asker's and the daemon's steps, in the order in which they were done */
static int steps[2];

static void step(char what)
{
	if (write(steps[1], &what, 1) != 1)
		fail("write: %s", strerror(errno));
}

static char next_step(void)
{
	char what;

	return read(steps[0], &what, 1) == 1 ? what : 0;
}

/* What a daemon waits for before it lets go: -1: nothing, and the asker goes ahead if it can */
static int leave = -1;

/* A daemon that lets go @times times, or ends with the first signal. */
static pid_t start_daemon(unsigned int times)
{
	struct signalfd_siginfo info;
	sigset_t set;
	pid_t pid;
	char byte;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid)
		return pid;
	alarm(60);
	fd = signalfd(-1, &set, 0);
	do {
		if (read(fd, &info, sizeof(info)) != sizeof(info))
			_exit(1);
		if (!times)
			_exit(0);
		if (leave < 0)
			poll(NULL, 0, 50);
		else if (read(leave, &byte, 1) != 1)
			_exit(1);
		step('d');
		let_go_done();
	} while (--times);
	_exit(0);
}

/* Ask it, as another process; what it says goes nowhere. */
static pid_t ask(pid_t daemon)
{
	pid_t pid = fork();
	char text[16];
	int ret;

	if (pid)
		return pid;
	alarm(60);
	msg_quiet(true);
	snprintf(text, sizeof(text), "%d", daemon);
	ret = let_go_ask(text);
	step('a');
	_exit(ret);
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void waits(void)
{
	unsigned int i;
	pid_t daemon;
	int go[2];

	let_go_begin();
	/* the one of a daemon before is there */
	let_go_begin();
	daemon = start_daemon(3);
	for (i = 0; i < 3; i++) {
		if (status_of(ask(daemon)) != EXIT_OK)
			fail("%u: it is not let go", i);
		if (next_step() != 'd' || next_step() != 'a')
			fail("%u: nobody waits", i);
	}
	status_of(daemon);
	/* nobody asks */
	let_go_done();
	/* the next one is of an earlier version, of which nobody would hear */
	let_go_end();
	if (pipe(go)) {
		fail("pipe: %s", strerror(errno));
		return;
	}
	leave = go[0];
	daemon = start_daemon(1);
	if (status_of(ask(daemon)) != EXIT_OK || next_step() != 'a')
		fail("it waits for a daemon that says nothing");
	if (write(go[1], "", 1) != 1 || next_step() != 'd')
		fail("the daemon has ended");
	status_of(daemon);
	leave = -1;
	close(go[0]);
	close(go[1]);
	let_go_begin();
}

/* Two ask at once: each is told. */
static void both(void)
{
	pid_t daemon = start_daemon(1000), one, two;

	kill(daemon, SIGSTOP);
	one = ask(daemon);
	two = ask(daemon);
	/* time for both to ask, so that the daemon gets one signal for two */
	poll(NULL, 0, 200);
	if (waitpid(one, NULL, WNOHANG) || waitpid(two, NULL, WNOHANG))
		fail("it does not wait for a daemon that is stopped");
	kill(daemon, SIGCONT);
	if (status_of(one) != EXIT_OK || status_of(two) != EXIT_OK)
		fail("one of two is not told");
	kill(daemon, SIGKILL);
	status_of(daemon);
	/* what they have noted, of which the order is not known */
	close(steps[0]);
	close(steps[1]);
	if (pipe(steps))
		fail("pipe: %s", strerror(errno));
}

/* It ends instead, or has ended: nobody waits for good. */
static void ended(void)
{
	pid_t daemon = start_daemon(0), asker;

	asker = ask(daemon);
	status_of(daemon);
	if (status_of(asker) != EXIT_FAILED || next_step() != 'a')
		fail("it has let go, and has ended");
	if (status_of(ask(daemon)) != EXIT_FAILED || next_step() != 'a')
		fail("one that has ended has let go");
}

/* A daemon of a version before has none to open: it has the signal, and nobody waits. */
static void of_before(void)
{
	pid_t daemon = start_daemon(1);

	unlink(LET_GO_FIFO);
	if (status_of(ask(daemon)) != EXIT_OK)
		fail("without the FIFO it is not asked");
	status_of(daemon);
	next_step();
	next_step();
}

static void wrong_numbers(void)
{
	static const char *const words[] = { "", "0", "-1", "1x", "4294967296", "99999999999999999999" };
	unsigned int i;

	msg_quiet(true);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (let_go_ask(words[i]) != EXIT_USAGE)
			fail("'%s' is a process", words[i]);
	}
	msg_quiet(false);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(waits), TEST(both), TEST(ended), TEST(of_before), TEST(wrong_numbers),
	};
	char folder[] = "/tmp/iob-let-go-XXXXXX", command[64];
	int ret;

	if (!mkdtemp(folder) || chdir(folder) || pipe(steps))
		return 1;
	ret = run_tests("daemon_let_go", tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : ret;
}

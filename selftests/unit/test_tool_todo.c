// SPDX-License-Identifier: GPL-2.0
/* What to type: each line as a whole, for packages of apt and dnf and for "make install". */
#include <stdbool.h>

#include "test.h"
#include "todo.h"

#define APT	"apt install ioblame-dkms"
#define DNF	"dnf install ioblame-dkms"
#define BUILD	"dkms install --force ioblame/0.2.0 -k $(uname -r)"
#define STOP	"systemctl stop ioblamed.socket ioblamed-namer.socket ioblamed.service" \
		" ioblamed-namer.service; "
#define LOAD	"rmmod ioblame && modprobe ioblame"

/* Debian's, from a package, with all that is needed */
static struct todo_host host(void)
{
	return (struct todo_host) {
		.get = APT, .version = "0.2.0", .release = "6.1.0-50-amd64", .apt = true,
		.headers = true, .source = true, .installed = true,
	};
}

static void expect(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want))
		fail("%s: '%s', not '%s'", what, got, want);
}

static void install(void)
{
	struct todo_host h = host();
	char to[TODO_SIZE];

	expect("installed, not built", todo_install(to, &h), BUILD);
	h.source = false;
	expect("not installed", todo_install(to, &h), APT);
	h.headers = false;
	expect("no headers", todo_install(to, &h),
	       "apt install dkms linux-headers-$(uname -r) linux-headers-amd64 && " APT);
	h.source = true;
	expect("installed without headers", todo_install(to, &h),
	       "apt install dkms linux-headers-$(uname -r) linux-headers-amd64 && " BUILD);
	h.get = DNF;
	expect("no headers, of dnf", todo_install(to, &h),
	       "dnf install dkms kernel-devel-$(uname -r) && " BUILD);
	h.source = false;
	h.get = "make install";
	expect("no package", todo_install(to, &h),
	       "apt install dkms linux-headers-$(uname -r) linux-headers-amd64 && make install");
	h.apt = false;
	expect("no package, no apt", todo_install(to, &h),
	       "dnf install dkms kernel-devel-$(uname -r) && make install");
}

/* Which package has the headers of the kernels to come. */
static void headers(void)
{
	static const struct {
		const char *release, *flavour;
	} cases[] = {
		{ "5.10.0-35-amd64", "amd64" },
		{ "6.1.0-50-cloud-amd64", "cloud-amd64" },
		{ "6.12.117+deb13-amd64", "amd64" },
		{ "6.12.117+deb13-cloud-arm64", "cloud-arm64" },
		{ "7.2.12+deb14-arm64", "arm64" },
		{ "6.12.117+deb13-arm64-16k", "arm64-16k" },
		/* of backports; of others, or made by hand; unheard of */
		{ "6.12.9+bpo-amd64", NULL },
		{ "6.1.0-0.deb11.21-amd64", NULL },
		{ "6.8.0-45-generic", NULL },
		{ "6.8.5-301.fc40.x86_64", NULL },
		{ "6.1.0-mine-amd64", NULL },
		{ "6.1.0-amd64", NULL },
		{ "6.1.0", NULL },
		{ "6.1.0-50-", NULL },
		{ "6.1.0-50-amd64-mine", NULL },
		{ "-50-amd64", NULL },
		{ "", NULL },
	};
	struct todo_host h = host();
	char to[TODO_SIZE], want[TODO_SIZE];
	size_t i;

	h.headers = false;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		h.release = cases[i].release;
		snprintf(want, sizeof(want), "apt install dkms linux-headers-$(uname -r)%s%s && " BUILD,
			 cases[i].flavour ? " linux-headers-" : "",
			 cases[i].flavour ? cases[i].flavour : "");
		expect(h.release, todo_install(to, &h), want);
	}
}

static void sign(void)
{
	static const char again[] = "dkms remove ioblame/0.2.0 -k $(uname -r);"
				    " dkms install ioblame/0.2.0 -k $(uname -r)";
	struct todo_host h = host();
	char to[TODO_SIZE], want[TODO_SIZE];

	snprintf(want, sizeof(want), "apt install openssl && %s", again);
	expect("of apt", todo_sign(to, &h), want);
	h.get = DNF;
	snprintf(want, sizeof(want), "dnf install openssl && %s", again);
	expect("of dnf", todo_sign(to, &h), want);
	/* what cannot be built again is not removed */
	h.headers = false;
	snprintf(want, sizeof(want), "dnf install openssl dkms kernel-devel-$(uname -r) && %s", again);
	expect("of dnf without headers", todo_sign(to, &h), want);
	h = host();
	h.source = false;
	expect("not installed", todo_sign(to, &h), "apt install openssl dkms && " APT);
	h.get = "make install";
	expect("without DKMS", todo_sign(to, &h), "apt install openssl dkms && make install");
}

static void reload(void)
{
	const int users[] = { 12, 345 };
	struct todo_host h = host();
	char to[TODO_SIZE];

	expect("nobody has it", todo_reload(to, &h), LOAD);
	h.daemon = true;
	expect("ioblamed has it", todo_reload(to, &h), STOP LOAD "; systemctl start ioblamed");
	h.mounted = true;
	expect("locked down", todo_reload(to, &h),
	       STOP "umount /sys/fs/ioblame; " LOAD "; systemctl start ioblamed");
	h.users = users;
	h.nr_users = 2;
	expect("others have it, too", todo_reload(to, &h),
	       STOP "kill 12 345; kill -CONT 12 345; "
	       "timeout 20 tail -f --pid=12 /dev/null; timeout 20 tail -f --pid=345 /dev/null; "
	       "umount /sys/fs/ioblame; " LOAD "; systemctl start ioblamed");
	h = host();
	h.users = users;
	h.nr_users = 1;
	expect("another has it", todo_reload(to, &h),
	       "kill 12; kill -CONT 12; timeout 20 tail -f --pid=12 /dev/null; " LOAD);
	h = host();
	h.installed = false;
	expect("not built", todo_reload(to, &h), BUILD " && { " LOAD "; }");
	h.source = false;
	h.daemon = true;
	expect("not upgraded", todo_reload(to, &h),
	       APT " && { " STOP LOAD "; systemctl start ioblamed; }");
}

/* The longest is whole. */
static void longest(void)
{
	const int users[] = { 4194301, 4194302, 4194303, 4194304, 4194305, 4194306, 4194307, 4194308 };
	struct todo_host h = host();
	char to[TODO_SIZE];
	size_t n;

	h.headers = h.installed = false;
	h.release = "6.12.117+deb13-cloud-amd64";
	h.daemon = h.mounted = true;
	h.users = users;
	h.nr_users = ARRAY_SIZE(users);
	n = strlen(todo_reload(to, &h));
	if (strcmp(to + n - 27, "systemctl start ioblamed; }"))
		fail("it ends with '%s'", to + n - 27);
}

int main(void)
{
	static const struct test tests[] = { TEST(install), TEST(headers), TEST(sign), TEST(reload),
					     TEST(longest) };

	return run_tests("tool_todo", tests, ARRAY_SIZE(tests));
}

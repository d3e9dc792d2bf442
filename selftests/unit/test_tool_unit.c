// SPDX-License-Identifier: GPL-2.0
/* The units of cgroups, as systemd, libvirt, podman, LXC and users make them. */
#include "test.h"
#include "unit.h"

static void units(void)
{
	static const char *const cases[][2] = {
		{ "/system.slice/nginx.service", "nginx.service" },
		{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service" },
		{ "/system.slice/systemd-udevd.service/udev", "systemd-udevd.service" },
		{ "/system.slice/ssh.socket", "ssh.socket" },
		{ "/init.scope", "init.scope" },
		{ "/machine.slice/machine-qemu\\134x2d1.scope/libvirt/emulator",
		  "machine-qemu\\134x2d1.scope" },
		{ "/machine.slice/systemd-nspawn@web.service/payload/system.slice/nginx.service",
		  "systemd-nspawn@web.service" },
		{ "/qemu.slice/100.scope", "100.scope" },
		/* of users: a session is logind's, the rest has any name */
		{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/postgresql.service",
		  "user@1000/postgresql.service" },
		{ "/user.slice/user-1000.slice/user@1000.service/postgresql.service/x.service",
		  "user@1000/postgresql.service" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-12.scope/container",
		  "user@1000/libpod-12.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/init.scope", "user@1000/init.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000/app.slice" },
		{ "/user.slice/user-1000.slice/user@1000.service", "user@1000.service" },
		{ "/user.slice/user-1000.slice/user@1000.service/mine/nginx.service",
		  "user@1000/mine" },
		/* of containers that have a systemd */
		{ "/lxc.payload.web/system.slice/nginx.service", "lxc:web/nginx.service" },
		{ "/lxc.payload.web", "lxc:web" },
		{ "/lxc.monitor.web", "lxc.monitor.web" },
		{ "/lxc/101/ns/system.slice/nginx.service", "lxc:101/nginx.service" },
		{ "/lxc/101/ns", "lxc:101" },
		{ "/lxc/web/init.scope", "lxc:web/init.scope" },
		{ "/lxc", "lxc" },
		/* of neither */
		{ "/batch/nightly", "nightly" },
		{ "/batch/postgresql.service", "postgresql.service" },
		{ "/system.slice", "system.slice" },
		{ "/user.slice/user-1000.slice", "user-1000.slice" },
		{ "cgroup-17", "cgroup-17" }, { "-", "-" }, { "/", "/" }, { "", "" },
		{ "/.service", ".service" }, { "//a//b.service", "b.service" },
	};
	const char *got;
	char to[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		got = unit_of(cases[i][0], to, sizeof(to));
		if (strcmp(got, cases[i][1]))
			fail("%s is of %s, not of %s", cases[i][0], got, cases[i][1]);
	}
}

/* A longer one is cut. */
static void no_room(void)
{
	char to[8];

	if (strcmp(unit_of("/lxc.payload.web/nginx.service", to, sizeof(to)), "lxc:web"))
		fail("it is %s", to);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(units), TEST(no_room),
	};

	return run_tests("tool_unit", tests, ARRAY_SIZE(tests));
}

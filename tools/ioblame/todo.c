// SPDX-License-Identifier: GPL-2.0
/*
 * A package that is the newest already is not installed again by apt or dnf, and one that came as a
 * file cannot be: where DKMS has the source, it builds.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "msg.h"
#include "todo.h"

#define DKMS(what, version)	"dkms " what " ioblame/", (version), " -k $(uname -r)"

/* Append texts; the last is NULL. */
static void add_text(char *to, ...)
{
	const char *text;
	va_list args;
	size_t n;

	va_start(args, to);
	while ((text = va_arg(args, const char *)) != NULL) {
		n = strlen(to);
		snprintf(to + n, TODO_SIZE - n, "%s", text);
	}
	va_end(args);
}

/* As the module's package is installed, if it comes in one. */
static bool host_has_apt(const struct todo_host *h)
{
	if (!strncmp(h->get, "apt ", 4))
		return true;
	return h->apt && strncmp(h->get, "dnf ", 4);
}

/*
 * What a release of Debian's kernels ends with, from its flavour on: "cloud-amd64" of
 * 6.1.0-50-cloud-amd64 or 6.12.117+deb13-cloud-amd64.  NULL if it is another kernel, or one of
 * backports, whose headers come with no package of that name.
 */
static const char *debian_flavour(const char *release)
{
	static const char *const flavours[] = {
		"amd64", "cloud-amd64", "arm64", "cloud-arm64", "arm64-16k",
	};
	static const char digits[] = "0123456789";
	const char *s = release + strspn(release, "0123456789.");
	unsigned int i;

	if (s == release)
		return NULL;
	if (!strncmp(s, "+deb", 4))
		s += 4 + strspn(s + 4, digits);
	else if (*s == '-')
		s += 1 + strspn(s + 1, digits);
	if (*s != '-')
		return NULL;
	s++;
	for (i = 0; i < ARRAY_SIZE(flavours); i++) {
		if (!strcmp(s, flavours[i]))
			return s;
	}
	return NULL;
}

/* The packages to install: the headers that are missing, and those of later kernels. */
static void add_headers(char *to, const struct todo_host *h)
{
	const char *flavour = debian_flavour(h->release);

	if (!host_has_apt(h)) {
		add_text(to, " dkms kernel-devel-$(uname -r)", NULL);
		return;
	}
	add_text(to, " dkms linux-headers-$(uname -r)", NULL);
	if (flavour)
		add_text(to, " linux-headers-", flavour, NULL);
}

static void add_get(char *to, const struct todo_host *h)
{
	if (h->source)
		add_text(to, DKMS("install --force", h->version), NULL);
	else
		add_text(to, h->get, NULL);
}

/* Where the module is not installed for the running kernel, or in another version. */
const char *todo_install(char *to, const struct todo_host *h)
{
	*to = '\0';
	if (!h->headers) {
		add_text(to, host_has_apt(h) ? "apt" : "dnf", " install", NULL);
		add_headers(to, h);
		add_text(to, " && ", NULL);
	}
	add_get(to, h);
	return to;
}

/* Where DKMS has no key: it makes one by openssl when it builds. */
const char *todo_sign(char *to, const struct todo_host *h)
{
	*to = '\0';
	add_text(to, host_has_apt(h) ? "apt" : "dnf", " install openssl", NULL);
	if (!h->headers)
		add_headers(to, h);
	else if (!h->source)
		add_text(to, " dkms", NULL);
	add_text(to, " && ", NULL);
	/* it builds nothing that is built; the first fails where nothing is */
	if (h->source)
		add_text(to, DKMS("remove", h->version), "; ", DKMS("install", h->version), NULL);
	else
		add_get(to, h);
	return to;
}

static void add_kill(char *to, const struct todo_host *h, const char *command)
{
	char pid[16];
	unsigned int i;

	if (!h->nr_users)
		return;
	add_text(to, command, NULL);
	for (i = 0; i < h->nr_users; i++) {
		snprintf(pid, sizeof(pid), " %d", h->users[i]);
		add_text(to, pid, NULL);
	}
	add_text(to, "; ", NULL);
}

/* Where another version is loaded. */
const char *todo_reload(char *to, const struct todo_host *h)
{
	char pid[16];
	unsigned int i;

	*to = '\0';
	if (!h->installed) {
		todo_install(to, h);
		/* nothing ends for a version that is not there */
		add_text(to, " && { ", NULL);
	}
	/* a viewer would start the service again by a socket */
	if (h->daemon)
		add_text(to, "systemctl stop ioblamed.socket ioblamed-namer.socket",
			 " ioblamed.service ioblamed-namer.service; ", NULL);
	/* one that is stopped ends when it goes on */
	add_kill(to, h, "kill");
	add_kill(to, h, "kill -CONT");
	/* they put the settings back before they end; a shell that has a file open does not */
	for (i = 0; i < h->nr_users; i++) {
		snprintf(pid, sizeof(pid), "%d", h->users[i]);
		add_text(to, "timeout 20 tail -f --pid=", pid, " /dev/null; ", NULL);
	}
	if (h->mounted)
		add_text(to, "umount /sys/fs/ioblame; ", NULL);
	add_text(to, "rmmod ioblame && modprobe ioblame", NULL);
	/* also if that fails */
	if (h->daemon)
		add_text(to, "; systemctl start ioblamed", NULL);
	if (!h->installed)
		add_text(to, "; }", NULL);
	return to;
}

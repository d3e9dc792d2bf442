// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "container.h"
#include "unit.h"

#define SCOPE	".scope"

static bool is_id(const char *s)
{
	return strspn(s, "0123456789abcdef") >= CONTAINER_ID &&
	       !strchr("0123456789abcdef", s[CONTAINER_ID] ? s[CONTAINER_ID] : 'x');
}

/* The runtime that a part of a path, up to the id, speaks of. */
static const char *runtime_of(const char *part, const char *id)
{
	static const char *const words[][2] = {
		{ "cri-containerd-", "containerd" }, { "docker-", "docker" },
		{ "libpod-", "podman" }, { "crio-", "cri-o" }, { "nerdctl-", "containerd" },
		{ "docker/", "docker" }, { "libpod_parent/", "podman" },
	};
	size_t i, n;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i][0]);
		if ((size_t)(id - part) >= n && !strncmp(id - n, words[i][0], n))
			return words[i][1];
	}
	return "container";
}

/*
 * Whether this id is that of a container of the host.  A unit with Delegate=, and a guest that has
 * a systemd, could name a cgroup as one.  systemd makes a scope in slices only.
 */
static bool is_of_host(const char *path, const char *id)
{
	const char *part = id;

	while (part > path && part[-1] != '/')
		part--;
	switch (unit_above(path, part)) {
	case SLICES_ABOVE:
		return true;
	case FOLDERS_ABOVE:
		return strncmp(id + CONTAINER_ID, SCOPE, strlen(SCOPE)) != 0;
	default:
		return false;
	}
}

/* Where users may have cgroups of their own, and give them any name */
#define USERS	"/user.slice/"

/**
 * container_find - find the container that a cgroup is, or is within
 * @path: the cgroup's path
 * @c:	  the result
 *
 * A user could name a cgroup as another's container: what is below user.slice is none, nor what is
 * below a unit or in a container of LXC.  unit_of() says whose it is.
 * Return: false if it is none.
 */
bool container_find(const char *path, struct container *c)
{
	const char *at;
	bool found = false;

	c->nested = false;
	if (!strncmp(path, USERS, strlen(USERS)))
		return false;
	for (at = path; *at; at++) {
		if ((at > path && !strchr("-/", at[-1])) || !is_id(at))
			continue;
		if (!found && !is_of_host(path, at))
			return false;
		c->nested = found;
		c->runtime = runtime_of(path, at);
		snprintf(c->id, sizeof(c->id), "%.64s", at);
		found = true;
		at += CONTAINER_ID - 1;
	}
	return found;
}

/* "docker:3f4e5d6c7b8a" */
const char *container_short(const struct container *c, char *to, size_t size)
{
	snprintf(to, size, "%s:%.12s", c->runtime, c->id);
	return to;
}

/* Whether nothing follows the number of the attempt, or what cri-dockerd adds to a taken name */
static bool is_end(const char *s)
{
	return !*s || (*s == '_' && strlen(s) == 9 && strspn(s + 1, "0123456789abcdef") == 8);
}

/**
 * container_in_pod - what a container is called whose name was made for Kubernetes
 * @name: as docker and cri-o have it, k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT; Kubernetes' own
 *	  names have no "_"
 *
 * Return: NAMESPACE/POD/CONTAINER, allocated, as containerd's are made; NULL if it was not.
 */
char *container_in_pod(const char *name)
{
	char container[64], pod[254], space[64], *to;
	int at = 0;

	/* (as long as Kubernetes lets them be) */
	if (sscanf(name, "k8s_%63[^_]_%253[^_]_%63[^_]_%*[^_]_%*[0-9]%n", container, pod, space,
		   &at) != 3 || !at || !is_end(name + at))
		return NULL;
	if (!strcmp(container, "POD"))
		strcpy(container, "pause");
	return asprintf(&to, "%s/%s/%s", space, pod, container) < 0 ? NULL : to;
}

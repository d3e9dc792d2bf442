/* SPDX-License-Identifier: GPL-2.0 */
/*
 * container - the container that a cgroup is, by its short id and by its name
 *
 * A runtime names the cgroup of a container by its id of 64 digits: docker-ID.scope,
 * libpod-ID.scope (podman), cri-containerd-ID.scope, crio-ID.scope; with cgroupfs, /docker/ID or
 * .../podUID/ID.  Above it are slices and folders; what is below a unit, or in a container of LXC,
 * is named by who runs there.  The name is in the runtime's files, which are read without asking
 * its daemon:
 *
 *	docker		/var/lib/docker/containers/ID/config.v2.json
 *	podman, cri-o	/var/lib/containers/storage/overlay-containers/containers.json
 *	containerd	/run/containerd/io.containerd.runtime.v2.task/NAMESPACE/ID/config.json
 *
 * Example: /system.slice/docker-3f4e...9012.scope is "docker:web", or "docker:3f4e5d6c7b8a" if
 * there is no name.  In a pod it is "NAMESPACE/POD/CONTAINER", that of its pause container
 * "NAMESPACE/POD/pause".
 */
#ifndef IOBLAME_CONTAINER_H
#define IOBLAME_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#define CONTAINER_ID	64
/* Room for any label */
#define CONTAINER_LABEL	320

struct container {
	const char *runtime;		/* "docker", "podman", "cri-o", "containerd", "container" */
	char id[CONTAINER_ID + 1];
	bool nested;			/* in another one: its runtime's files are there */
};

bool container_find(const char *path, struct container *c);
char *container_name(const struct container *c);
char *container_in_pod(const char *name);
const char *container_short(const struct container *c, char *to, size_t size);

#endif

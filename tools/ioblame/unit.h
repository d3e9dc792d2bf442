/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unit - the unit that the path of a cgroup is of
 *
 * Pure.  A unit may have cgroups of its own below it, which may have the name of another unit, or
 * one that many have.  So the unit is the outermost part that is one, and what users, or the roots
 * of a container, have named tells of whom it is:
 *
 *	/system.slice/nginx.service				nginx.service
 *	/machine.slice/machine-qemu-1-vm1.scope/libvirt/emulator	machine-qemu-1-vm1.scope
 *	/user.slice/user-1000.slice/session-3.scope		session-3.scope
 *	/user.slice/user-1000.slice/user@1000.service/app.slice/nginx.service
 *								user@1000/nginx.service
 *	/lxc.payload.web/system.slice/nginx.service		lxc:web/nginx.service
 *	/batch/nightly						nightly
 */
#ifndef IOBLAME_UNIT_H
#define IOBLAME_UNIT_H

#include <stddef.h>

enum unit_above {
	SLICES_ABOVE,		/* and nothing else, as systemd has it */
	FOLDERS_ABOVE,		/* which root, or what runs as root, has made */
	UNIT_ABOVE,		/* or a container of LXC: it may name what is below as it likes */
};

enum unit_above unit_above(const char *path, const char *end);
const char *unit_of(const char *path, char *to, size_t size);

#endif

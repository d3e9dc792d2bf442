/* SPDX-License-Identifier: GPL-2.0 */
/*
 * node - the device behind a name in /dev, where a service has no /dev
 *
 * sysfs has the kernel's names and those of dm, and udev's database the links.  Example of a file
 * of it, /run/udev/data/b8:0, which makes /dev/disk/by-id/wwn-0x5000c500 the device 8:0:
 *
 *	S:disk/by-id/wwn-0x5000c500
 *	L:10
 *
 * Where several have a link, it is that of the highest L.  Who looks up many words does so in a
 * pass: what all devices have is then read once.
 */
#ifndef IOBLAME_NODE_H
#define IOBLAME_NODE_H

#include <stdbool.h>
#include <stdint.h>

#define UDEV_FOLDER	"/run/udev/data"

bool node_parse_number(const char *text, uint32_t *dev);
bool node_number(const char *word, uint32_t *dev);
void node_pass_begin(void);
void node_pass_end(void);

#endif

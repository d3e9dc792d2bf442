/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bundle - what a developer needs to know of a machine, as one archive
 *
 * The archive has a folder of text files, the parts, and a MANIFEST that says what is in them,
 * what was left out, and what could not be read and why.  No part is needed: a bundle is made
 * without root, without the module and after a crash, too.
 *
 * Example: bundle_open() makes ioblame-bundle-20261125-101500.tar.gz, which must not exist.
 * bundle_write() lets bundle_kernel() write kernel.txt, and so on, and packs them.
 */
#ifndef IOBLAME_BUNDLE_H
#define IOBLAME_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool bundle_open(const char *path);
int bundle_write(const char *checks);
const char *bundle_path(void);

/* For the parts */
char *bundle_read(const char *label, const char *path);
char *bundle_read_module(const char *name);
void bundle_copy(FILE *f, const char *path);
void bundle_missing(const char *label, const char *why);
void bundle_lines(char *text, void (*line)(char *line, void *arg), void *arg);

/* The parts: each writes one file. */
void bundle_versions(FILE *f);
void bundle_kernel(FILE *f);
void bundle_config(FILE *f);
void bundle_memory(FILE *f);
void bundle_modules(FILE *f);
void bundle_log(FILE *f);
void bundle_status(FILE *f);
void bundle_settings(FILE *f);
void bundle_statistics(FILE *f);
void bundle_probes(FILE *f);
void bundle_disks(FILE *f);
void bundle_keep_disks(void);
void bundle_mounts(FILE *f);

#endif

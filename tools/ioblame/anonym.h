/* SPDX-License-Identifier: GPL-2.0 */
/*
 * anonym - stand for names and addresses by pseudonyms
 *
 * Pure.  A pseudonym is the kind of a name and a number: file-17.  A name keeps its number as
 * long as the command runs, so equal names can be told to be equal.  Nothing is replaced before
 * anonym_on() was called.
 *
 * Example: in "Comm: secretd" only "Comm" is a word that reports of the kernel have.  The other
 * one becomes word-1, wherever it occurs.
 */
#ifndef IOBLAME_ANONYM_H
#define IOBLAME_ANONYM_H

#include <stdbool.h>
#include <stddef.h>

enum anonym_kind {
	ANONYM_ADDR,
	ANONYM_DISK,
	ANONYM_FILE,
	ANONYM_HOST,
	ANONYM_NAME,
	ANONYM_WORD,
	NR_ANONYM_KINDS,
};

/* Room for a pseudonym */
#define ANONYM_SIZE	24

void anonym_on(void);
bool anonym_is_on(void);
const char *anonym_name(char to[ANONYM_SIZE], enum anonym_kind kind, const char *name, size_t len);
char *anonym_dup(enum anonym_kind kind, const char *name);
bool anonym_is_kernel_disk(const char *name, size_t len);
size_t anonym_fs_type(const char *type);
void anonym_keep(const char *word);
char *anonym_line(const char *line);
char *anonym_addresses(const char *line);

#endif

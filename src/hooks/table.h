/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - the hooks of all providers: attaches, detaches and shows them
 */
#ifndef IOB_HOOKS_TABLE_H
#define IOB_HOOKS_TABLE_H

struct seq_file;

int iob_hooks_init(void);
void iob_hooks_exit(void);
int iob_hooks_check(void);
int iob_hooks_attach(void);
void iob_hooks_detach(void);
void iob_hooks_renew(void);
void iob_hooks_show(struct seq_file *m);

#endif

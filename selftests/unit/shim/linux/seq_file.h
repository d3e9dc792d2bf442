/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SEQ_FILE_H
#define SHIM_LINUX_SEQ_FILE_H

struct seq_file;

#endif

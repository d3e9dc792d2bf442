/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BIO_H
#define SHIM_LINUX_BIO_H

struct bio {
	long word[17];
};

#endif

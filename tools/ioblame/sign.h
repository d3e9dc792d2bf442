/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sign - whether the kernel knows the key by which DKMS signs modules
 */
#ifndef IOBLAME_SIGN_H
#define IOBLAME_SIGN_H

enum sign_state {
	SIGN_NO_SECURE_BOOT,	/* any module loads, unless something else forbids it */
	SIGN_NO_KEY,		/* DKMS has no key */
	SIGN_NOT_ENROLLED,
	SIGN_PENDING,		/* mokutil has noted it: MokManager asks at the next boot */
	SIGN_ENROLLED,
};

enum sign_state sign_state(void);
const char *sign_key(void);

#endif

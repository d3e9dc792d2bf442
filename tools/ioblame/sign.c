// SPDX-License-Identifier: GPL-2.0
/*
 * The firmware's variables tell.  Under Secure Boot the kernel trusts the certificates that shim
 * has put into MokListRT, and those of the firmware's own "db".  What mokutil --import has noted
 * for the next boot is in MokNew.  A certificate is in such a list as the same bytes that are in
 * the file, so it is enough to look for these.
 *
 * Variables cannot be read without root, or where efivarfs is not mounted: then MokListRT is
 * found where the kernel keeps its copy.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sign.h"

#define EFIVARS	"/sys/firmware/efi/efivars/"
#define SHIM	"-605dab50-e046-4300-abb6-3dd810dd8b23"

enum {
	LIST_MAX = 1 << 20,	/* bytes of a variable */
	KEY_MAX = 1 << 16,	/* bytes of a certificate */
};

/* Where distributions keep the public key of DKMS, in DER: Debian's and Fedora's, Ubuntu's */
static const char *const keys[] = {
	"/var/lib/dkms/mok.pub",
	"/var/lib/shim-signed/mok/MOK.der",
};

/* Return: the bytes that were read into @buf, 0 if the file is not there. */
static size_t read_bytes(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return 0;
	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += n;
	close(fd);
	return n < 0 ? 0 : len;
}

static bool secure_boot_is_on(void)
{
	static const char path[] = EFIVARS "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	char value[5];

	return read_bytes(path, value, 5) == 5 && value[4] == 1;
}

static bool list_has(const char *path, const char *key, size_t len)
{
	char *list = malloc(LIST_MAX);
	bool found = list && memmem(list, read_bytes(path, list, LIST_MAX), key, len);

	free(list);
	return found;
}

/* The file of DKMS' public key; NULL if there is none. */
const char *sign_key(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!access(keys[i], F_OK))
			return keys[i];
	}
	return NULL;
}

/* What keeps the kernel from taking a module that DKMS has signed. */
enum sign_state sign_state(void)
{
	enum sign_state state = SIGN_NOT_ENROLLED;
	const char *file = sign_key();
	char *key;
	size_t len;

	if (!secure_boot_is_on())
		return SIGN_NO_SECURE_BOOT;
	key = file ? malloc(KEY_MAX) : NULL;
	len = key ? read_bytes(file, key, KEY_MAX) : 0;
	if (!len)
		state = SIGN_NO_KEY;
	else if (list_has(EFIVARS "MokListRT" SHIM, key, len) ||
		 list_has("/sys/firmware/efi/mok-variables/MokListRT", key, len) ||
		 list_has(EFIVARS "db-d719b2cb-3d3a-4596-a3bc-dad00e67656f", key, len))
		state = SIGN_ENROLLED;
	else if (list_has(EFIVARS "MokNew" SHIM, key, len))
		state = SIGN_PENDING;
	free(key);
	return state;
}

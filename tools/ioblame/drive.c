// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drive.h"

enum {
	GET_LOG_PAGE = 0x02,		/* opcode of an admin command */
	SMART_LOG = 0x02,
	LOG_BYTES = 512,
	/* places in the log */
	PERCENT_USED = 5,
	DATA_UNITS_WRITTEN = 48,	/* 128 bits, little endian */
	DATA_UNIT = 512000,		/* a thousand sectors of 512 bytes */
};

static uint64_t read_le64(const unsigned char *at)
{
	uint64_t n = 0;
	int i;

	for (i = 7; i >= 0; i--)
		n = n << 8 | at[i];
	return n;
}

/* Return: false if the drive does not say, or not to this user. */
bool drive_read(const char *disk, struct drive *d)
{
	unsigned char log[LOG_BYTES] = { 0 };
	struct nvme_admin_cmd cmd = {
		.opcode = GET_LOG_PAGE, .nsid = UINT32_MAX, .addr = (uintptr_t)log,
		.data_len = sizeof(log), .cdw10 = (sizeof(log) / 4 - 1) << 16 | SMART_LOG,
	};
	char path[64];
	int fd, ret;

	if (strncmp(disk, "nvme", 4) || strchr(disk, '/') || strlen(disk) > 32)
		return false;
	snprintf(path, sizeof(path), "/dev/%s", disk);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ret = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd);
	close(fd);
	if (ret)
		return false;
	d->percent_used = log[PERCENT_USED];
	if (__builtin_mul_overflow(read_le64(log + DATA_UNITS_WRITTEN), (uint64_t)DATA_UNIT,
				   &d->bytes_written))
		d->bytes_written = UINT64_MAX;
	return true;
}

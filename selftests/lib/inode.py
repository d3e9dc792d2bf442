# SPDX-License-Identifier: GPL-2.0
"""What an inode says of itself."""
import array
import fcntl

FS_IOC_GETVERSION = 0x80087601  # of long; the kernel fills in an int


def generation(fd):
    """The inode's generation, None if its file system does not tell it."""
    answer = array.array("I", [0, 0])
    try:
        fcntl.ioctl(fd, FS_IOC_GETVERSION, answer)
    except OSError:
        return None
    return answer[0]

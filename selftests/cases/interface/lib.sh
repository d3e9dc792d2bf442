# For cases whose body is a Python program beside them (see selftests/lib/case.py).
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"

# disk_release NAME: all IO that waits on a disk of dm_delay goes on, as Delayed.release() of lib/case.py
# has it. Nothing if there is no such disk.
disk_release() {
	dmsetup info "$1" >/dev/null 2>&1 || return 0
	dmsetup suspend --noudevsync --nolockfs "$1" || :
	dmsetup resume --noudevsync "$1" || :
}

# disk_end NAME: for a trap. Take away what NullBlk of lib/case.py and dmsetup have made by that name,
# if it is there, and end the IO that waits there.
disk_end() {
	local folder=/sys/kernel/config/nullb/$1
	if dmsetup info "$1" >/dev/null 2>&1; then
		disk_release "$1"
		dmsetup remove --noudevsync --retry "$1" || :
	fi
	[ ! -d "$folder" ] || rmdir "$folder" || :
}

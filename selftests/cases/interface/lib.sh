# For cases whose body is a Python program beside them (see selftests/lib/case.py).
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"

# disk_end NAME: for a trap. Take away what NullBlk of lib/case.py and dmsetup have made by that name,
# if it is there, and end the IO that waits there.
disk_end() {
	local folder=/sys/kernel/config/nullb/$1
	if dmsetup info "$1" >/dev/null 2>&1; then
		dmsetup suspend --noudevsync --nolockfs "$1" || :
		dmsetup resume --noudevsync "$1" || :
		dmsetup remove --noudevsync --retry "$1" || :
	fi
	[ ! -d "$folder" ] || rmdir "$folder" || :
}

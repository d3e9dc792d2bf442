# For the cases of very many files, processes, roles, cgroups and journals, whose bodies are
# Python programs beside them (see selftests/lib/crowd.py).
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"

# Pids are not used again in a case; a guest's default is 32768
SCALE_PID_MAX=$(cat /proc/sys/kernel/pid_max)
echo 4194304 >/proc/sys/kernel/pid_max
trap scale_undo EXIT

# shellcheck disable=SC2317 # called by the trap
scale_undo() {
	echo "$SCALE_PID_MAX" >/proc/sys/kernel/pid_max
	[ ! -d /sys/fs/cgroup/iobscale ] || rmdir /sys/fs/cgroup/iobscale/*/ /sys/fs/cgroup/iobscale
}

# scale_mount NODE [OPTIONS]: on $SCRATCH/mnt, and at rest
scale_mount() {
	mkdir -p "$SCRATCH/mnt"
	mount -o "${2:-noatime}" "$1" "$SCRATCH/mnt"
	sync
	disks_at_rest 0.1 "${1##*/}" >/dev/null
}

# scale_mount_new NODE: a fresh ext4, as cases share disks
scale_mount_new() {
	mkfs.ext4 -qF -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$1"
	scale_mount "$1"
}

scale_end() {
	! mountpoint -q "$SCRATCH/mnt" || umount "$SCRATCH/mnt"
	iob_unload
}

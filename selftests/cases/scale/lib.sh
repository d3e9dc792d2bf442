# For the cases of very many files, processes, roles, cgroups and journals, whose bodies are
# Python programs beside them (see crowd.py).
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"

# Pids are not used again in a case; a guest's default is 32768
SCALE_PID_MAX=$(cat /proc/sys/kernel/pid_max)
echo 4194304 >/proc/sys/kernel/pid_max

# scale_mount NODE [OPTIONS]: on $SCRATCH/mnt, and at rest
scale_mount() {
	mkdir -p "$SCRATCH/mnt"
	mount -o "${2:-noatime}" "$1" "$SCRATCH/mnt"
	sync
	disks_at_rest 0.1 "${1##*/}" >/dev/null
}

scale_end() {
	! mountpoint -q "$SCRATCH/mnt" || umount "$SCRATCH/mnt"
	iob_unload
	echo "$SCALE_PID_MAX" >/proc/sys/kernel/pid_max
}

# Put back for the next case what a case has left changed in the guest's kernel.
#
# vm/guest-main sources this.  A check that fails ends a case's Python at once, and a case that
# takes too long is killed: neither undoes what it has done.  All but disks, live patches and the
# clock must be as before after a case that passes, too.
# shellcheck shell=bash

# (dirty_background_ratio is 0 while dirty_background_bytes is set, and a write to it ends that)
SETTINGS=(/proc/sys/kernel/{ftrace_enabled,kptr_restrict} /proc/sys/vm/dirty_{expire,writeback}_centisecs
	/proc/sys/vm/dirty_background_ratio /sys/kernel/debug/kprobes/enabled)
CLOCK=/sys/devices/system/clocksource/clocksource0/current_clocksource
TRACING=/sys/kernel/tracing

# first_line FILE: in LINE, nothing if it cannot be read
first_line() {
	LINE=''
	IFS= read -r LINE 2>/dev/null <"$1" || true
}

# is_mounted FOLDER
is_mounted() {
	local at _
	while read -r _ at _; do
		[ "$at" != "$1" ] || return 0
	done </proc/mounts
	return 1
}

settings_note() {
	local file
	declare -gA SETTING=()
	for file in "${SETTINGS[@]}" "$CLOCK"; do
		first_line "$file"
		SETTING[$file]=$LINE
	done
}

# Print what is not as settings_note() has seen it, and put it back
settings_back() {
	local file
	for file in "${SETTINGS[@]}" "$CLOCK"; do
		first_line "$file"
		# (a kernel that was locked down meanwhile shows nothing of debugfs)
		[[ $LINE != '' && $LINE != "${SETTING[$file]}" ]] || continue
		# the kernel itself leaves a clock that it does not trust
		[ "$file" = "$CLOCK" ] || echo "left $file at '$LINE', not '${SETTING[$file]}'"
		echo "${SETTING[$file]}" >"$file"
	done
}

# Print which tracers and probes are left, and end them
tracing_off() {
	first_line $TRACING/current_tracer
	if [ "${LINE:-nop}" != nop ]; then
		echo "left the tracer $LINE on"
		echo nop >$TRACING/current_tracer
	fi
	first_line $TRACING/kprobe_events
	if [ -n "$LINE" ]; then
		echo "left the probe $LINE"
		echo 0 >$TRACING/events/enable
		echo >$TRACING/kprobe_events
	fi
	first_line $TRACING/set_ftrace_filter
	# (without a filter it has a comment)
	if [[ $LINE != '' && $LINE != '#'* ]]; then
		echo "left $LINE in set_ftrace_filter"
		echo >$TRACING/set_ftrace_filter
	fi
}

# Print which of the kernel's file systems is not where it was, and put it back
mounts_back() {
	# a mount of the module's files pins it; --mounted has one until it is unloaded
	if [ "$IOB" != /sys/fs/ioblame ] && is_mounted /sys/fs/ioblame; then
		echo "left /sys/fs/ioblame mounted"
		umount /sys/fs/ioblame
	fi
	if ! is_mounted /sys/kernel/debug; then
		echo "left debugfs unmounted"
		mount -t debugfs debugfs /sys/kernel/debug
	fi
}

# The devices and modules of a case that failed: the next one makes its own, of other sizes
devices_off() {
	local _ file name
	# one may lie on another
	for _ in 1 2 3; do
		for file in /sys/block/dm-*/dm/name; do
			[ -e "$file" ] || continue
			first_line "$file"
			# by force: what waits for a path that is gone is to end
			dmsetup remove --noudevsync --force "$LINE"
		done
		! compgen -G '/sys/block/md*/md/level' >/dev/null || mdadm --stop --scan
		! compgen -G '/sys/block/loop*/loop/backing_file' >/dev/null || losetup -D
	done
	for file in /sys/kernel/config/nullb/*/power; do
		[ -e "$file" ] || continue
		echo 0 >"$file"
		rmdir "${file%/power}"
	done
	for name in null_blk scsi_debug brd; do
		# (what is built in has no such file)
		[ ! -e "/sys/module/$name/initstate" ] || modprobe -r "$name"
	done
}

# Take back each live patch, and its module
patches_off() {
	local file name n
	for file in /sys/kernel/livepatch/*/enabled; do
		[ -e "$file" ] || continue
		name=${file%/enabled} name=${name##*/}
		echo 0 >"$file"
		for ((n = 0; n < 100; n++)); do
			[ -e "$file" ] || break
			sleep 0.1
		done
		rmmod "$name"
	done
}

# tidy [FAILED]: the next case uses the same disks and folders
tidy() {
	local target targets=() _
	while read -r _ target _; do
		[[ $target != /mnt* && $target != /tmp/* ]] || targets=("$target" "${targets[@]}")
	done </proc/mounts
	for target in "${targets[@]}"; do
		umount "$target" 2>/dev/null || umount -l "$target"
	done
	if [ -n "${1:-}" ]; then
		devices_off
		patches_off
	fi
	rm -rf /tmp/* 2>/dev/null
}

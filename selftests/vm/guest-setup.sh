# The guest's first steps in its root: mounts, time limits of watchdogs, disks.
#
# vm/guest-main and the start script of vm/boot source this. It exports DISK_NAME=/dev/...
# for each disk, and the IOB_* variables of lib/guest.sh.
# shellcheck shell=bash

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LC_ALL=C TERM=dumb
export IOB_TREE=/tree IOB_LIB=/tree/selftests/lib IOB_BIN=/job/bin
export IOB_KO=/job/bin/ioblame.ko IOB=/sys/kernel/debug/ioblame

guest_mounts() {
	# systemd has done it
	[ ! -d /run/systemd/system ] || return 0
	mkdir -p /dev/pts /dev/shm
	mount -t devpts devpts /dev/pts
	mount -t tmpfs shm /dev/shm
	mount -t tmpfs run /run
	mount -t tmpfs -o mode=1777 tmp /tmp
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t securityfs securityfs /sys/kernel/security 2>/dev/null || true
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
	mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null || true
	[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
	: >/etc/mtab.new && ln -sf /proc/self/mounts /etc/mtab
	ip link set lo up 2>/dev/null || true
	hostname guest 2>/dev/null || true
}

# Report hung tasks and lockups, with limits for two loaded cores
guest_watch() {
	local k=/proc/sys/kernel
	echo $((120 * ${IOB_SLOWNESS:-1})) >$k/hung_task_timeout_secs 2>/dev/null || true
	echo -1 >$k/hung_task_warnings 2>/dev/null || true
	echo 60 >$k/watchdog_thresh 2>/dev/null || true
	echo 7 >$k/printk
}

# Keep the programs and the module in memory. The job's share caches nothing: the kernel would read the
# command's 2.5 MB from the host for each of the hundreds of times that a case starts it. The host
# must not build anew while the guest runs.
guest_programs() {
	local memory=/run/programs
	mkdir -p $memory
	mount -t tmpfs -o mode=755 programs $memory &&
		cp -a /job/bin/. $memory && mount --bind $memory /job/bin
}

# Wait for the disks of this job and export DISK_NAME for each
guest_disks() {
	local module name node
	for module in virtio_blk nvme virtio_scsi sd_mod; do
		modprobe -q "$module" || true
	done
	for name in $IOB_DISKS; do
		node=$(guest_disk_node "$name") || {
			echo "ioblame-guest: no disk $name" >/dev/kmsg
			return 1
		}
		export "DISK_$name=/dev/$node"
	done
}

# disk_has_serial NODE SERIAL. No process: a slow guest would need minutes for a dozen disks.
disk_has_serial() {
	local file said
	for file in serial device/serial device/vpd_pg80; do
		[ -r "/sys/block/$1/$file" ] || continue
		# SCSI has a head before it, in which a byte may be a newline; bash leaves out its zeros
		IFS= read -rN 256 said <"/sys/block/$1/$file" || true
		said=${said%"${said##*[![:space:]]}"}
		[[ $said != *"$2" ]] || return 0
	done
	return 1
}

guest_disk_node() {
	local n node
	for ((n = 0; n < 40; n++)); do
		for node in /sys/block/*; do
			node=${node##*/}
			if disk_has_serial "$node" "iob-$1" && [ -b "/dev/$node" ]; then
				echo "$node"
				return 0
			fi
		done
		sleep 0.1
	done 2>/dev/null
	return 1
}

# The kernel sets its clock by the host's (rtc) as it boots, and then counts by itself. A second is
# what the host's is good for, another one passes between the two reads at most. FOLDER is sysfs'.
guest_clock() { # FOLDER
	local host ours
	[ -r "$1/since_epoch" ] || return 0
	read -r host <"$1/since_epoch"
	ours=$EPOCHSECONDS
	[ $((ours - host)) -gt 3 ] || [ $((host - ours)) -gt 3 ] || return 0
	echo "its clock is $((ours - host)) s ahead of the host's"
	return 1
}

guest_setup() {
	guest_mounts
	# shellcheck source=/dev/null
	. /job/env
	export IOB_DISKS IOB_KERNEL IOB_SLOWNESS IOB_CYCLES IOB_CYCLES_SECS IOB_PLACES IOB_PARAMETERS
	if [ "${IOB_MOUNTED:-}" ]; then
		export IOB=/sys/fs/ioblame PATH=/tree/selftests/vm/mounted:$PATH
	fi
	guest_watch
	guest_disks
}

# Unmount the disks under test. The root needs no clean unmount.
guest_off() {
	cd /
	umount -a -t ext2,ext3,ext4,xfs,btrfs,f2fs,vfat 2>/dev/null
	sync
	echo "$1" >/job/done
	sync
	# wait for the power to go off without a process: none can start by then
	# (guest_mounts() has not run if the clock is wrong)
	[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
	exec 9<> <(:)
	echo o >/proc/sysrq-trigger
	read -rt 60 -u 9
}

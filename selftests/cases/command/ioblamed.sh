# For the cases ioblamed*: the daemon as a service, which watches a disk that is mounted.
# shellcheck shell=bash

. "$IOB_TREE/selftests/cases/command/lib.sh"
# (its names are asked of a service that systemd confines, and which sees the machine's /tmp)
MNT=/tmp/daemon
own=/sys/fs/ioblame
units=(ioblamed.service ioblamed.socket ioblamed-namer.service ioblamed-namer.socket ioblamed-restore.service)
[ -e "$IOB_BIN/ioblamed" ] || skip "ioblamed was not built: no libsystemd-dev"

at_exit() {
	set +e
	journalctl -o cat -u 'ioblamed*' --no-pager >"$OUT/journal"
	systemctl stop "${units[@]}"
	# shellcheck disable=SC2046 # several
	kill $(jobs -p) 2>/dev/null
	umount "$MNT"
}

# wait_for WORD...: until that is in what the daemon says of itself
wait_for() {
	local n
	for ((n = 0; n < 150 * IOB_SLOWNESS; n++)); do
		state=$(systemctl show -P StatusText ioblamed)
		[[ $state != *"$*"* ]] || return 0
		pause 0.2
	done
	fail "the daemon says '$state', not '$*'"
}

# 524288 bytes past the page cache
straight() { "$SCRATCH/straight" if=/dev/zero of="$MNT/straight.dat" bs=64k count=8 oflag=direct conv=notrunc status=none; }

trap at_exit EXIT
cp "$(command -v dd)" "$SCRATCH/straight"
cp "$IOB_BIN/ioblamed" /usr/sbin
for unit in "${units[@]}"; do cp "$IOB_TREE/tools/ioblamed/$unit" /etc/systemd/system; done
# (to restore the settings takes a slow kernel longer than the service allows)
mkdir -p /etc/systemd/system/ioblamed.service.d
printf '[Service]\nTimeoutStopSec=%d\n' $((20 * IOB_SLOWNESS)) >/etc/systemd/system/ioblamed.service.d/slow.conf
systemd-sysusers "$IOB_TREE/tools/ioblamed/ioblamed.sysusers"
mkdir -p /etc/ioblame/ioblamed.conf.d "$MNT"
printf '[Daemon]\nInterval=%ss\n' "$IOB_SLOWNESS" >/etc/ioblame/ioblamed.conf.d/test.conf
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$DISK_daemon"
# (a read would else change the inode, whose write is of who has read)
mount -o no_prefetch_block_bitmaps,noatime "$DISK_daemon" "$MNT"
straight
chmod 644 "$MNT/straight.dat"
sync

# What the cases of command/ share: the command, a file system, loads of known size, and checks
# of what the command prints.
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"

I=$IOB_BIN/ioblame
MNT=$SCRATCH/mnt
export LC_ALL=C.UTF-8

# On any exit: end all that holds the module, so that the next case can load it
command_undo() {
	local n
	set +e
	: >"$SCRATCH/stop"
	# shellcheck disable=SC2046 # several
	kill $(jobs -p) 2>/dev/null
	! command -v tmux >/dev/null || tmux kill-server 2>/dev/null
	pkill '^ioblame' 2>/dev/null
	for ((n = 0; n < 100; n++)); do
		pgrep '^ioblame' >/dev/null || return 0
		sleep 0.1
	done
}

# The module, and a fresh ext4 that is at rest
command_setup() {
	local options=defaults
	trap command_undo EXIT
	iob_load
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$DISK_command"
	mkdir -p "$MNT"
	# ext4 reads bitmaps ahead within five seconds of the mount (on 5.10 only if asked to);
	# IO in flight when ioblame is enabled would be counted as unseen
	[ "$IOB_KERNEL" = 5.10 ] || options=no_prefetch_block_bitmaps
	mount -t ext4 -o "$options" "$DISK_command" "$MNT"
	sync
	DISK=${DISK_command#/dev/}
	disks_at_rest 0.1 "$DISK" >/dev/null
}

command_teardown() {
	umount "$MNT"
	iob_unload
}

# The program `buffered` writes 1 MiB through the page cache, `straight` 512 KiB past it in 8 IOs
load() {
	cp "$(command -v dd)" "$SCRATCH/buffered"
	cp "$(command -v dd)" "$SCRATCH/straight"
	"$SCRATCH/buffered" if=/dev/zero of="$MNT/buffered.dat" bs=64k count=16 status=none
	"$SCRATCH/straight" if=/dev/zero of="$MNT/straight.dat" bs=64k count=8 oflag=direct status=none
	sync
}

# expect_restored [DEVS [NR_COUNTERS]]: ioblame is disabled, and the settings are as before
expect_restored() {
	expect enable 0
	expect devs "${1:-}"
	expect nr_counters "${2:-0}"
	! pgrep -x ioblame-keeper >/dev/null || fail "ioblame-keeper still runs"
}

# expect_status WANT COMMAND...: its exit status is WANT; its output is in $SCRATCH/out and err
expect_status() {
	local want=$1 got=0
	shift
	"$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || got=$?
	[ "$got" = "$want" ] || fail "'$*' exits with $got, not $want: $(cat "$SCRATCH/err")"
	if [ "$want" -ge 2 ]; then
		[ "$(wc -l <"$SCRATCH/err")" = 1 ] || fail "'$*' says $(wc -l <"$SCRATCH/err") lines"
		[ ! -s "$SCRATCH/out" ] || fail "'$*' prints: $(head -n 1 "$SCRATCH/out")"
	fi
}

# expect_json FILE FILTER: a jq filter over all lines, slurped, must be true
expect_json() {
	jq -es "$2" "$1" >/dev/null || fail "not true of $1: $2; $(head -c 600 "$1")"
}

# await_json FILE FILTER: the same, of a file that grows; a slow machine may take half a minute, and a kernel
# that checks itself longer
await_json() {
	local n
	for ((n = 0; n < 150 * IOB_SLOWNESS; n++)); do
		! jq -es "$2" "$1" >/dev/null 2>&1 || return 0
		pause 0.2
	done
	expect_json "$@"
}

# expect_whole_json FILE: every line parses, the first is the header, the last is the end
expect_whole_json() {
	[ -z "$(tail -c 1 "$1")" ] || fail "$1 ends within a line"
	expect_json "$1" '.[0].type == "header" and .[0].schema == 2 and .[-1].type == "end"'
}

# holds PID FILE: until this process has a file of the module open whose name begins so
holds() {
	until [ -n "$(find "/proc/$1/fd" -lname "*/ioblame/$2*" -print -quit 2>/dev/null)" ]; do
		kill -0 "$1" 2>/dev/null || fail "process $1 ended before it opened $2"
		pause 0.1
	done
}

# pauses PID: until it sleeps in pause(), as iostat and pidstat do between two looks; SIGALRM ends that
pauses() {
	local nr
	# (its number is 34 on x86; arm64 has none, and the C library calls ppoll, 73)
	until nr=$(cut -d ' ' -f 1 "/proc/$1/syscall" 2>/dev/null) && [[ $nr = 34 || $nr = 73 ]]; do
		kill -0 "$1" 2>/dev/null || fail "process $1 ended before it paused"
		pause 0.02
	done
}

# missing_hooks: what a view says of them in its last line; a debug kernel lacks some
missing_hooks() {
	local n
	n=$(grep -cE '^hook .* missing' "$IOB/status" || :)
	[ "$n" = 0 ] || echo "; $n hooks are missing (ioblame status)"
}

# scsi_debug_disk: the name of scsi_debug's disk, once it is there
scsi_debug_disk() {
	local i sd
	for ((i = 0; i < 100; i++)); do
		sd=$(grep -l scsi_debug /sys/block/sd*/device/model 2>/dev/null | head -n 1 | cut -d/ -f4)
		if [ -n "$sd" ] && [ -b "/dev/$sd" ]; then
			echo "$sd"
			return 0
		fi
		sleep 0.1
	done
	fail "no disk of scsi_debug"
}

# begin_blktrace ARGUMENT...: blktrace, as process $blktrace, traces from now on.  Its files and those
# that it has in debugfs are there before it does, so it is waited for the end of BLKTRACESTART, 0x1274.
# (The kernel lets nobody probe its functions for that: it is a tracer itself.)
begin_blktrace() {
	local n tracing=/sys/kernel/tracing runs=
	[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
	echo 'cmd == 0x1274' >$tracing/events/syscalls/sys_enter_ioctl/filter
	echo 1 >$tracing/events/syscalls/sys_enter_ioctl/enable
	echo 1 >$tracing/events/syscalls/sys_exit_ioctl/enable
	blktrace "$@" >"$SCRATCH/blktrace.log" 2>&1 &
	blktrace=$!
	for ((n = 0; n < 300; n++)); do
		runs=$(awk '/: sys_ioctl\(.*cmd: / { begun[$1] = 1 }
			/: sys_ioctl -> 0x0$/ && begun[$1] { print "yes"; exit }' $tracing/trace)
		[ -z "$runs" ] || break
		kill -0 "$blktrace" 2>/dev/null || break
		pause 0.1
	done
	echo 0 >$tracing/events/syscalls/sys_exit_ioctl/enable
	echo 0 >$tracing/events/syscalls/sys_enter_ioctl/enable
	echo 0 >$tracing/events/syscalls/sys_enter_ioctl/filter
	cp $tracing/trace "$OUT/blktrace.begins"
	echo >$tracing/trace
	[ -n "$runs" ] || fail "blktrace does not run: $(cat "$SCRATCH/blktrace.log")"
}

# end_blktrace: what it has traced is in its files
end_blktrace() {
	kill -INT "$blktrace"
	wait "$blktrace" || fail "blktrace: $(cat "$SCRATCH/blktrace.log")"
}

# The bench in the guest: devices, file systems, and the states that are compared.
# shellcheck shell=bash

export IOB=/sys/kernel/debug/ioblame
tmp=/tmp/bench ext4=/mnt/ext4 xfs=/mnt/xfs loop=/mnt/loop
figures=$tmp/figures
mkdir -p $tmp $ext4 $xfs $loop

fail() {
	echo "fail: $*" >&2
	exit 1
}

# work STATE WORKLOAD ARGUMENT...: benchwork's figures of it
work() {
	"$IOB_BIN/benchwork" "${@:3}" >$tmp/lines 2>$tmp/said || fail "$1 $2: $(cat $tmp/said)"
	sed "s/^/$1 $2 /" $tmp/lines >>$figures
}

# Keep the kernel from working by itself, as far as possible: dirty pages stay until
# a sync, memory is compacted only on request, and newer kernels do not sample which
# pages are used
quiesce() {
	local damon=/sys/module/damon_stat/parameters/enabled
	echo 0 >/proc/sys/vm/dirty_writeback_centisecs
	echo 360000 >/proc/sys/vm/dirty_expire_centisecs
	echo 95 >/proc/sys/vm/dirty_ratio
	echo 90 >/proc/sys/vm/dirty_background_ratio
	echo 3600 >/proc/sys/vm/stat_interval
	echo 0 >/proc/sys/kernel/hung_task_timeout_secs
	echo 0 >/proc/sys/vm/compaction_proactiveness
	[ ! -e $damon ] || echo N >$damon
}

# The blocks of memory in which all can be moved. With the first as BENCH_BLOCK
# benchwork settles the page allocator (see settle() there). arm64 gives away no memory that was
# there at boot.
movable_find() {
	movable=()
	export BENCH_BLOCK=none
	[ "$(uname -m)" != aarch64 ] || return 0
	mapfile -t movable < <(grep -lx Movable /sys/devices/system/memory/memory*/valid_zones | sort -V)
	[ ${#movable[@]} -gt 0 ] || fail "no movable memory"
	movable=("${movable[@]%/*}")
	export BENCH_BLOCK=${movable[0]}
}

# All that is used in a block moves to where others have gaps, and the block is
# whole again: no gaps are left of what was in the page cache before. A block that
# the kernel took at boot stays as it is.
movable_close_gaps() {
	local block
	for block in "${movable[@]}"; do
		if echo offline >"$block/state"; then echo online_movable >"$block/state"; fi 2>/dev/null
	done
}

# null_make NAME MB BACKED [NS [DEPTH]]: a null_blk that completes an IO where it is
# submitted, or after so many ns; with BACKED 1 it keeps what is written. Each of its queues
# (one for each CPU) takes so many. NULL is what its kernel calls it: NAME, or nullb0 and so on.
null_make() {
	local folder=/sys/kernel/config/nullb/$1 before
	before=" $(echo /sys/block/*) "
	shift
	mkdir "$folder"
	echo "$1" >"$folder/size"
	echo 2 >"$folder/queue_mode"
	echo $((${3:-0} ? 2 : 0)) >"$folder/irqmode"
	echo "${3:-0}" >"$folder/completion_nsec"
	echo "$2" >"$folder/memory_backed"
	nproc >"$folder/submit_queues"
	echo "${4:-64}" >"$folder/hw_queue_depth"
	echo 1 >"$folder/power"
	for NULL in /sys/block/*; do
		[[ $before == *" $NULL "* ]] || break
	done
	NULL=${NULL##*/}
	while [ ! -b "/dev/$NULL" ]; do sleep 0.1; done
	echo none >"/sys/block/$NULL/queue/scheduler"
}

# null_many NUMBER NS DEPTH: so many such disks, MANY; they replace the last ones
null_many() {
	local n
	for n in "${!MANY[@]}"; do
		echo 0 >"/sys/kernel/config/nullb/many$n/power"
		rmdir "/sys/kernel/config/nullb/many$n"
	done
	MANY=()
	for ((n = 0; n < $1; n++)); do
		null_make "many$n" 1024 0 "$2" "$3"
		MANY+=("$NULL")
	done
	DEVS=${MANY[*]}
}
MANY=()

# null_latency DEPTH NS: how late completions must come if DEPTH reads, which take NS each to
# submit and end, are really to be under way. Milliseconds in any case.
null_latency() { echo $(($1 * $2 > 2000000 ? $1 * $2 : 2000000)); }

# D_fast keeps nothing; D_ext4 and D_xfs have file systems, D_loop is a loop
# device on a tmpfs; D_other is there to be watched while nothing happens on it
devices_make() {
	modprobe null_blk nr_devices=0
	mount -t configfs configfs /sys/kernel/config 2>/dev/null || true
	null_make fast 1024 0; D_fast=$NULL
	null_make other 64 0; D_other=$NULL
	null_make forext4 256 1; D_ext4=$NULL
	null_make forxfs 384 1; D_xfs=$NULL
	modprobe -q loop max_loop=1 || true
	mount -t tmpfs -o size=256M tmpfs $loop
	head -c 128M /dev/zero >$loop/image
	D_loop=$(losetup -f --show $loop/image)
	D_loop=${D_loop#/dev/}
	modprobe -q xfs || true
	# the memory behind them is there before anything is measured
	dd if=/dev/zero of="/dev/$D_ext4" bs=1M oflag=direct status=none 2>/dev/null || true
	dd if=/dev/zero of="/dev/$D_xfs" bs=1M oflag=direct status=none 2>/dev/null || true
}

# The same file systems, to the bit, for each state
filesystems_make() {
	local uuid=11111111-2222-3333-4444-555555555555 cache
	umount -q $ext4 || true
	umount -q $xfs || true
	mkfs.ext4 -q -F -U $uuid -E lazy_itable_init=0,lazy_journal_init=0,hash_seed=$uuid "/dev/$D_ext4"
	mkfs.xfs -q -f -m uuid=$uuid "/dev/$D_xfs"
	mount -t ext4 "/dev/$D_ext4" $ext4
	mount -t xfs "/dev/$D_xfs" $xfs
	sync
	echo 3 >/proc/sys/vm/drop_caches
	# slabs that the states before left empty go
	for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done
	# ext4 reads all its bitmaps now, and none while something is measured
	fallocate -l 190M $ext4/all
	rm $ext4/all
	sync
	movable_close_gaps
}

# What is watched
devs_all() { echo "${DEVS:-$D_fast $D_ext4 $D_xfs $D_loop}"; }

enable() {
	# shellcheck disable=SC2086 # words
	insmod "$IOB_KO" ${IOB_PARAMETERS:-}
	echo "$1" >$IOB/devs
	echo "$2" >$IOB/nr_counters
	counters_set "$2"
	echo 1 >$IOB/enable
}

counters_set() {
	[ "$1" -ge 2 ] || return 0
	echo 'RAW total_time 0 10 30 100 300 1000 3000 10000 0' >$IOB/counters/0
	echo 'RAW size 0 4096 8192 16384 65536 131072 262144 524288 0' >$IOB/counters/1
	[ "$1" -ge 5 ] || return 0
	echo 'RAW offset 0 8192 16384 24576 32768 40960 49152 57344 0' >$IOB/counters/2
	echo 'RAW seek_dist 0 1 16 256 1024 4096 16384 32768 0' >$IOB/counters/3
	echo 'RAW io_time 0 10 30 100 300 1000 3000 10000 0' >$IOB/counters/4
	echo 'offset >= 32768 && size < 131072 && io_time >= 10' >$IOB/counters/4_filter
}

# Until COMMAND succeeds, five minutes at most of the guest's own time
patiently() {
	local n
	for ((n = 0; n < 3000; n++)); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# The tools to compare with. A kernel may have changed what one of them relies
# on: that says nothing of ioblame, so the bench goes on without it.
peer_begin() {
	local dev list=()
	case $1 in
	blktrace)
		mkdir -p $tmp/bt
		for dev in $(devs_all); do list+=(-d "/dev/$dev"); done
		blktrace "${list[@]}" -D $tmp/bt >$tmp/said.blktrace 2>&1 &
		READER=$!
		patiently test -e "/sys/kernel/debug/block/$dev/trace0" || return 1
		;;
	bpftrace)
		bpftrace /tree/selftests/bench/latency.bt -o $tmp/bpftrace.out >$tmp/said.bpftrace 2>&1 &
		READER=$!
		patiently grep -qi attach $tmp/bpftrace.out $tmp/said.bpftrace 2>/dev/null || return 1
		sleep 15	# that was only the announcement
		;;
	esac
	sleep 1
	kill -0 "$READER"
}

# What a peer saw goes into facts: a peer that saw nothing, or lost some, was not measured
peer_end() {
	kill -INT "$READER" 2>/dev/null || true
	wait "$READER" || true
	case $1 in
	blktrace)
		# shellcheck disable=SC2046
		set -- $(devs_all)
		sed -n "/$1/,/Total/s/^ *Total:/blktrace read:/p" $tmp/said.blktrace
		;;
	bpftrace) echo "bpftrace: $(grep -c '@usecs' $tmp/bpftrace.out) histograms" ;;
	esac >>"$OUT/facts"
	rm -rf $tmp/bt
}

session_begin() {
	echo 0 >$IOB/enable
	echo 1 >$IOB/enable
}

state_begin() {
	case $1 in
	off*) ;;
	default) enable "$(devs_all)" 0 ;;
	default2) enable "$(devs_all)" 2 ;;
	loaded) insmod "$IOB_KO" ;;
	other) enable "$D_other" 0 ;;
	enabled) enable "$(devs_all)" 0 ;;
	counters2) enable "$(devs_all)" 2 ;;
	sums)
		enable "$(devs_all)" 2
		echo 1 >$IOB/sums
		;;
	counters5) enable "$(devs_all)" 5 ;;
	reader)
		enable "$(devs_all)" 0
		"$IOB_BIN/benchread" $tmp/log $IOB/iolog_bin* >$tmp/read &
		READER=$!
		;;
	*) fail "no state $1" ;;
	esac
	sleep 1
}

# End a state, and check that there was something to measure in it
state_end() {
	case $1 in
	reader)
		kill -TERM "$READER"
		wait "$READER" || fail "benchread"
		[ "$(cat $tmp/read)" -gt 0 ] || fail "benchread has read nothing"
		;;
	enabled | default* | counters*)
		grep -q '^total [RW] .*exact=[1-9]' $IOB/status || fail "ioblame has seen nothing"
		;;
	sums)
		! grep -q '^sums_total 0' $IOB/status || fail "ioblame has no sums"
		;;
	other)
		! grep -qE '^total . ios=[1-9]' $IOB/status || fail "ioblame has seen IO of the other device"
		;;
	esac
	if [ -d $IOB ]; then
		cat $IOB/status >"$OUT/status.$1"
		echo 0 >$IOB/enable
		grep -q '^losses 0' $IOB/status || grep '^loss ' $IOB/status | sed "s/^/$1: /" >>"$OUT/losses"
		rmmod ioblame
	fi
	rm -f $tmp/log
	sleep 1
}

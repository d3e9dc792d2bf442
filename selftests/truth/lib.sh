# The truth test's guest part: one measured interval, tagged writers and readers.
#
#	truth_disk NODE LABEL IMAGE [OFFSET [FS]]   what is under test (see ./verify)
#	truth_begin                         from here on ioblame watches
#	truth_mount FSTYPE NODE DIR [OPTS]
#	truth_workload DIR|NODE             everybody writes, everybody reads
#	truth_end                           unmount, stop, look for losses
#
# The file systems are mounted and unmounted within the interval, so that the
# sums of iolog and of the disk's own statistics can be the same to the sector:
# a mounted file system is never surely at rest. Writers leave their lines in a
# manifest in memory; the host's part, ./verify, holds it and the disk's image
# against iolog.
# shellcheck shell=bash

TRUTH_BIN=$SCRATCH/tagwrite
TRUTH_MANIFEST=$SCRATCH/manifest
TRUTH_FAILED=$SCRATCH/failed
TRUTH_ASIDE=${TRUTH_ASIDE:-3}	# so many writers at a time
TRUTH_WRITERS=()			# their pids
TRUTH_WITHOUT=''			# kinds left out; a case says why
TRUTH_ONLY=''				# if set, the only kinds
TRUTH_DEV=''				# of the files, if their mount shows another
# What a kind of disk can be wrong about, whatever file system is on it
TRUTH_FEW='buffered pwrite small large exit mmap splice sendfile aio uring_buffered
	direct direct_sizes direct_512 direct_vector direct_dsync uring_wq shared'
TRUTH_UNDO=()				# commands, the last first
TRUTH_COUNTLESS=''			# a disk whose driver keeps no count
TRUTH_NO_STAT=			# why a disk's statistics are not to be believed
TRUTH_TRIMS=			# what is discarded is, on each disk under test
TRUTH_DISKS=()
TRUTH_DIRS=()
declare -A TRUTH_PLACE=()		# KIND -> its arguments for a reader

# Whatever happens: the next case finds what this one found
truth_undo() {
	local n dir
	[ -z "${TRUTH_READER:-}" ] || echo 0 >"$IOB/enable" || true
	for dir in "${TRUTH_DIRS[@]}"; do
		! mountpoint -q "$dir" || umount "$dir" || true
	done
	for ((n = ${#TRUTH_UNDO[@]} - 1; n >= 0; n--)); do
		${TRUTH_UNDO[n]} || true
	done
}

truth_start() {
	trap truth_undo EXIT
	# from memory: the shared folder is slow to execute from
	cp "$IOB_BIN/tagwrite" "$TRUTH_BIN"
	: >"$TRUTH_MANIFEST"
	: >"$TRUTH_FAILED"
	printf 'kernel %s\nrole thread\n' "$(uname -r)" >"$OUT/truth.conf"
}

# True if what is written to the disk at this place of /sys is written to others: by device mapper
# or md, or to a file. nvme's own multipath has one disk, by several ways.
truth_is_stacked() { [ -d "$1/loop" ] || [ -n "$(ls "$1/slaves")" ]; }

# truth_disk NODE LABEL IMAGE [OFFSET [FS]]: IMAGE holds the disk from sector OFFSET on;
# of a partition, the whole disk. FS is its file system, if that is not LABEL.
# TRUTH_READS=some: others hold the same and are read in its place.
# TRUTH_PART="part=NAME [chunk=SECTORS [parity=2]]": NAME's disks hold it together.
truth_disk() {
	local node=$1 on=${5:-$2} stat=yes sys name disk page
	# a device mapper's node is not called as the kernel calls the disk
	sys=$(readlink -f "/sys/dev/block/$(mountpoint -x "$node")")
	name=${sys##*/} disk=$name
	if [ -e "$sys/partition" ]; then
		sys=${sys%/*} disk=${sys##*/}
	fi
	! truth_is_stacked "$sys" || on=stacked
	# one direct read: a disk whose count does not move by it keeps none
	local before
	before=$(truth_settled "$name")
	dd if="$node" of=/dev/null bs=4096 count=1 iflag=direct status=none
	if [ "$before" = "$(truth_settled "$name")" ]; then
		stat="its driver keeps no count"
		TRUTH_COUNTLESS=$name
	fi
	stat=${TRUTH_NO_STAT:-$stat}
	if [ "${TRUTH_MAX_KB:-}" ]; then
		# no disk is given less than a page
		page=$(($(getconf PAGESIZE) / 1024))
		echo $((TRUTH_MAX_KB > page ? TRUTH_MAX_KB : page)) >"$sys/queue/max_sectors_kb"
	fi
	printf 'disk name=%s fs=%s on=%s image=%s offset=%d sectors=%d count=%s reads=%s %s stat=%s\n' \
		"$disk" "$2" "$on" "$3" "${4:-0}" "$(cat "$sys/size")" "$name" "${TRUTH_READS:-all}" \
		"${TRUTH_PART:-}" "$stat" >>"$OUT/truth.conf"
	TRUTH_DISKS+=("$name")
}

# The disk's statistics, once nothing is under way any more
truth_settled() { disks_at_rest 0.1 "$1"; }

truth_stat() {
	local name
	for name in "${TRUTH_DISKS[@]}"; do
		truth_settled "$name" >"$OUT/stat.$name.$1"
	done
}

truth_begin() {
	iob_load check_stacks=1
	echo "${TRUTH_DISKS[*]}" >"$IOB/devs"
	truth_stat before
	echo 1 >"$IOB/enable"
	# it ends with what there is while ioblame is off: so not before
	iob_read_log "$OUT/iolog"
	TRUTH_READER=$IOB_READER
}

# truth_mount FSTYPE NODE DIR [OPTIONS]
truth_mount() {
	mkdir -p "$3"
	mount -t "$1" ${4:+-o "$4"} "$2" "$3"
	TRUTH_DIRS+=("$3")
}

# Run tagwrite; what it does not offer is in the manifest, the rest is a failure
truth_tag() {
	local status=0
	"$TRUTH_BIN" -m "$TRUTH_MANIFEST" ${TRUTH_DEV:+-d "$TRUTH_DEV"} "$@" || status=$?
	case $status in
	0 | 77) ;;
	*) echo "tagwrite $*: status $status" >>"$TRUTH_FAILED" ;;
	esac
}

# truth_aside COMMAND...: beside others, of which there are at most TRUTH_ASIDE. The
# oldest is waited for: looking which one has ended costs processes, and those cost time.
truth_aside() {
	if [ ${#TRUTH_WRITERS[@]} -ge "$TRUTH_ASIDE" ]; then
		wait "${TRUTH_WRITERS[0]}"
		TRUTH_WRITERS=("${TRUTH_WRITERS[@]:1}")
	fi
	"$@" &
	TRUTH_WRITERS+=($!)
}

truth_wait_writers() {
	local pid
	for pid in "${TRUTH_WRITERS[@]}"; do
		wait "$pid"
	done
	TRUTH_WRITERS=()
}

# truth_wanted KIND: all are, unless the case names some
truth_wanted() { [ -z "$TRUTH_ONLY" ] || [[ $TRUTH_ONLY =~ (^|[[:space:]])$1($|[[:space:]]) ]]; }

# truth_kinds W|R [raw]: NAME BYTES of each kind for a place like this
truth_kinds() {
	local name what raw bytes
	"$TRUTH_BIN" -l | while read -r name what raw bytes; do
		if [ "$what" = "$1" ] && { [ "${2:-}" != raw ] || [ "$raw" = raw ]; } &&
			[[ " $TRUTH_WITHOUT " != *" $name "* ]] && truth_wanted "$name"; then
			echo "$name $bytes"
		fi
	done
}

# truth_place KIND BYTES TARGET: a file in a folder or a part of a device, kept
# in TRUTH_PLACE as "PATH OFFSET"
truth_place() {
	if [ -b "$3" ]; then
		TRUTH_PLACE[$1]="$3 ${TRUTH_NEXT:=1048576}"
		# with a gap over twice truth_on_raw's readahead, or one reads what is another's
		TRUTH_NEXT=$((TRUTH_NEXT + $2 / 1048576 * 1048576 + 2097152))
	else
		TRUTH_PLACE[$1]="$3/$1 0"
	fi
}

# truth_write KIND [-t]
truth_write() {
	local path offset
	read -r path offset <<<"${TRUTH_PLACE[$1]}"
	truth_tag -o "$offset" ${2:+"$2"} "$1" "$path"
}

# Sectors written to the disk that the workload is on
truth_written() { awk '{ print $7 }' "/sys/class/block/${TRUTH_DISKS[-1]}/stat"; }

# truth_sysctl NAME VALUE: for the rest of the case
truth_sysctl() {
	TRUTH_UNDO+=("sysctl -qw $1=$(sysctl -n "$1")")
	sysctl -qw "$1=$2"
}

# Nobody asks for it: the flusher comes by itself, when the writers are long gone
truth_periodic() {
	local n goal tries=50
	# a disk that keeps no count does not say when; twice as long as it should take
	[ -z "$TRUTH_COUNTLESS" ] || tries=15
	truth_sysctl vm.dirty_expire_centisecs 100
	truth_sysctl vm.dirty_writeback_centisecs 50
	goal=$(($(truth_written) + 2 * 2048))
	truth_write exit
	truth_write pwrite
	for ((n = 0; n < tries; n++)); do
		[ "$(truth_written)" -lt "$goal" ] || break
		pause 0.2
	done
	# so that others find their pages dirty for as long as is usual
	sysctl -qw vm.dirty_expire_centisecs=3000 vm.dirty_writeback_centisecs=500
}

# truth_workload TARGET: all kinds of writers; then, with the caches dropped,
# all kinds of readers of what these wrote
truth_workload() {
	local target=$1 raw="" kind bytes n=0
	[ ! -b "$target" ] || raw=raw
	while read -r kind bytes; do
		truth_place "$kind" "$bytes" "$target"
	done < <(truth_kinds W $raw)
	truth_periodic
	while read -r kind bytes; do
		case $kind in exit | pwrite) continue ;; esac
		# every other one in a thread that is not the first
		if ((n++ % 2)); then
			truth_aside truth_write "$kind" -t
		else
			truth_aside truth_write "$kind"
		fi
		((n % 10)) || sync
	done < <(truth_kinds W $raw)
	truth_wait_writers
	sync
	echo 3 >/proc/sys/vm/drop_caches
	truth_read_all
	[ -n "$raw" ] || truth_trim "$target"
	sync
}

# Discards have no pages and no file: their submitter alone has caused them
truth_trim() {
	local disk=${TRUTH_DISKS[-1]} status=0 alone=yes pid
	[ "$(lsblk -dnbo DISC-MAX "/dev/$disk" | tr -d ' ')" != 0 ] || return 0
	# RAID 5 refuses them, whatever it says, unless told that its disks then read as zeroes
	[[ $(cat "/sys/block/$disk/md/level" 2>/dev/null) != raid[456] ]] ||
		[ "$(cat /sys/module/raid456/parameters/devices_handle_discard_safely)" = Y ] || return 0
	case $(findmnt -no FSTYPE "$1") in
	overlay) return 0 ;;	# cannot
	f2fs) return 0 ;;	# leaves it all to a thread of its own
	btrfs) alone=no ;;	# has a worker that discards what was freed
	esac
	fstrim "$1" 2>"$SCRATCH/trim" &
	pid=$!
	wait $pid || status=$?
	if [ $status = 0 ]; then
		# and the disks below, where the case says that it comes to all of them
		for disk in ${TRUTH_TRIMS:+"${TRUTH_DISKS[@]:0:${#TRUTH_DISKS[@]}-1}"} "$disk"; do
			echo "D kind=fstrim tgid=$pid tid=$pid disk=$disk alone=$alone path=$1"
		done
	else
		echo "S kind=fstrim reason=$(paste -sd' ' "$SCRATCH/trim")"
	fi >>"$TRUTH_MANIFEST"
}

# Each kind of reader has a file of its own to read
truth_read_all() {
	local kind of path offset bytes
	while read -r kind of; do
		truth_wanted "$of" || continue
		if ! grep -q "^W kind=$of " "$TRUTH_MANIFEST"; then
			echo "S kind=$kind reason=$of has written nothing" >>"$TRUTH_MANIFEST"
			continue
		fi
		read -r path offset <<<"${TRUTH_PLACE[$of]}"
		bytes=()
		[ ! -b "$path" ] || bytes=(1048576)
		truth_aside truth_tag -o "$offset" "$kind" "$path" "${bytes[@]}"
	done <<-END
		rd_buffered buffered
		rd_random pwrite
		rd_readahead mmap
		rd_mmap splice
		rd_direct direct
		rd_aio aio
		rd_uring uring_buffered
		rd_uring_wq sendfile
	END
	truth_wait_writers
}

# Stop, and be sure that nothing is left over or lost
truth_end() {
	local dir name n
	for dir in "${TRUTH_DIRS[@]}"; do
		# a ring lets go of its files some time after its process is gone
		for ((n = 0; n < 50; n++)); do
			! umount "$dir" 2>/dev/null || break
			pause 0.2
		done
		! mountpoint -q "$dir" || umount "$dir"
	done
	sync
	truth_stat after
	echo 0 >"$IOB/enable"
	wait "$TRUTH_READER"
	cp "$TRUTH_MANIFEST" "$OUT/manifest"
	for name in "$IOB"/stats/* "$IOB/status"; do
		printf '%s:\n' "${name#"$IOB/"}"
		cat "$name"
	done >"$OUT/stats"
	for name in "${TRUTH_DISKS[@]}"; do
		[ "$(truth_settled "$name")" = "$(cat "$OUT/stat.$name.after")" ] ||
			fail "$name was not at rest when ioblame stopped"
	done
	name=$(cat "$IOB/stats/iolog_overflow")
	[ "$name" = 0 ] || fail "iolog lost $name entries"
	TRUTH_READER=''
	iob_unload
	[ ! -s "$TRUTH_FAILED" ] || fail "$(cat "$TRUTH_FAILED")"
}

# truth_copy_image NODE NAME: for a disk that lives in the guest's memory
truth_copy_image() {
	dd if="$1" of="$OUT/$2" bs=1M conv=sparse status=none
}

# truth_on_fs FSTYPE NODE IMAGE [OPTIONS [OFFSET]]: the whole test of a file system
# that is already made; TRUTH_LABEL names it in the table
truth_on_fs() {
	local fs=$1 node=$2 image=$3 options=${4:-}
	truth_disk "$node" "${TRUTH_LABEL:-$fs}" "$image" "${5:-0}" "$fs"
	truth_begin
	truth_mount "$fs" "$node" "$SCRATCH/mnt" "$options"
	truth_workload "$SCRATCH/mnt"
	truth_end
}

truth_on_raw() {
	local label=$1 node=$2 image=$3
	truth_disk "$node" "$label" "$image"
	truth_begin
	# 512 KiB; newer kernels have twice the largest IO, which would cross truth_place's gap
	blockdev --setra 1024 "$node"
	truth_workload "$node"
	truth_end
}

truth_start

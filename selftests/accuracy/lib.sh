# The accuracy test's guest part: of all bytes that a program causes to be written,
# how many are charged to it?
#
#	accuracy_all LABEL NODE MAKE MOUNT	all programs, each on a fresh file system
#
# Each program acts as a user role (role_id), and so do its children. ioblame
# watches from when the mounted file system is at rest until all is synced. The whole is
# what the disk's own statistics count in between. The host's part, ./score, adds up iolog
# and judges.
# shellcheck shell=bash

. "$IOB_LIB/python.sh"

ACCURACY_MNT=$SCRATCH/mnt
ACCURACY_UNDO=()

accuracy_undo() {
	local n
	[ -z "${ACCURACY_READER:-}" ] || echo 0 >"$IOB/enable" || true
	! mountpoint -q "$ACCURACY_MNT" || umount "$ACCURACY_MNT" || true
	for ((n = ${#ACCURACY_UNDO[@]} - 1; n >= 0; n--)); do
		${ACCURACY_UNDO[n]} || true
	done
}

# accuracy_settled WHEN DISK...: write the disks' statistics to $out/WHEN.DISK, once no IO was
# in flight on any of them for a quarter of a second
accuracy_settled() {
	local when=$1 disk line
	shift
	disks_at_rest 0.12 "$@" >"$out/$when"
	for disk in "$@"; do
		read -r line
		echo "$line" >"$out/$when.$disk"
	done <"$out/$when"
}

# What the programs read: in memory, so that reading is no IO of the disk. The first case of a
# guest makes it for all
ACCURACY_SOURCES=/run/accuracy

accuracy_sources() {
	local new=$ACCURACY_SOURCES.new
	[ ! -d "$ACCURACY_SOURCES" ] || return 0
	rm -rf "$new"
	mkdir -p "$new/tree"
	# the module itself, a few hundred files
	cp -r "$IOB_TREE"/{src,include} "$new/tree/"
	tar -C "$new" -cf "$new/tree.tar" tree
	git init -q "$new/repo"
	cp -r "$new/tree/." "$new/repo/"
	git -C "$new/repo" add -A
	git -C "$new/repo" -c user.name=t -c user.email=t@t commit -qm all
	mv "$new" "$ACCURACY_SOURCES"
}

# accuracy_as N COMMAND...: run it, with its children, as user role N
accuracy_as() (
	echo "$1" >"$IOB/role_id"
	shift
	"$@"
)

# program_files PROGRAM FILES [NAMES]
program_files() { python3 "$SCRATCH/bin/work" "$ACCURACY_MNT/$1" "$2" "$1" "${3:-0}"; }

program_sqlite() {
	local n
	{
		echo "create table t (id integer primary key, text text);"
		for ((n = 0; n < 60; n++)); do
			echo "begin; insert into t (text) values (hex(randomblob(900)));"
			echo "update t set text = hex(randomblob(700)) where id = abs(random()) % $((n + 1)); commit;"
		done
		echo "pragma journal_mode=wal;"
		for ((n = 0; n < 40; n++)); do
			echo "insert into t (text) values (hex(randomblob(500)));"
		done
	} | sqlite3 "$ACCURACY_MNT/db" >/dev/null
}

program_git() { git clone -q --no-local --no-hardlinks "$ACCURACY_SOURCES/repo" "$ACCURACY_MNT/clone"; }

program_tar() { tar -C "$ACCURACY_MNT" --no-same-owner -xf "$ACCURACY_SOURCES/tree.tar"; }

# accuracy_run WORKLOAD: run its programs at the same time, then sync
accuracy_run() {
	local n
	case $1 in
	files) accuracy_as 1 program_files 1 1000 ;;
	mix)
		for n in 1 2 3; do
			accuracy_as $n program_files $n 500 200 &
			ACCURACY_PIDS+=($!)
		done
		wait "${ACCURACY_PIDS[@]}"
		ACCURACY_PIDS=() ;;
	*) accuracy_as 1 "program_$1" ;;
	esac
	sync
}

# xfs writes what its log holds to its place as late as possible: fsfreeze makes it do so now.
# (What xfs writes for fsfreeze itself counts as not charged to the program.)
accuracy_freeze() {
	local mounted type
	while read -r _ mounted type _; do
		[ "$mounted $type" != "$1 xfs" ] || break
	done </proc/mounts
	[ "$type" = xfs ] || return 0
	fsfreeze -f "$1"
	fsfreeze -u "$1"
}

# Bring all to the disks, also what a loop device has written since to a file on the file
# system ACCURACY_BELOW
accuracy_sync() {
	sync
	if [ -n "${ACCURACY_BELOW:-}" ]; then
		sync
		accuracy_freeze "$ACCURACY_BELOW"
	fi
}

# accuracy_one LABEL WORKLOAD DISK...: run it on the mounted file system and keep all results
accuracy_one() {
	local label=$1 workload=$2 out=$OUT/$1.$2 name
	shift 2
	mkdir -p "$out"
	echo "$*" >"$IOB/devs"
	accuracy_sync
	accuracy_settled before "$@"
	echo 1 >"$IOB/enable"
	iob_read_log "$out/iolog"
	ACCURACY_READER=$IOB_READER
	accuracy_run "$workload"
	accuracy_freeze "$ACCURACY_MNT"
	accuracy_sync
	accuracy_settled after "$@"
	cat "$IOB/status" >"$out/status"
	[ -z "${ACCURACY_TOP:-}" ] || echo "$ACCURACY_TOP" >"$out/levels"
	echo "${ACCURACY_NO_STAT:-}" >"$out/no_stat"
	# kernel threads, whatever their names are
	ps -o pid= --ppid 2 >"$out/kthreads"
	echo 0 >"$IOB/enable"
	wait "$ACCURACY_READER"
	ACCURACY_READER=
	# (ext4 may still read its bitmaps ahead)
	accuracy_settled later "$@"
	for name in "$@"; do
		[ "$(awk '{ print $7 }' "$out/later.$name")" = \
			"$(awk '{ print $7 }' "$out/after.$name")" ] ||
			echo "$name was not at rest" >>"$out/unrest"
	done
	# (last, because it changes access times)
	if [ "$workload" = mix ]; then
		python3 "$SCRATCH/bin/inodes" "$ACCURACY_MNT" >"$out/inodes"
		python3 "$SCRATCH/bin/folders" "$ACCURACY_MNT" >"$out/folders"
	fi
	echo "$label $workload" >>"$OUT/rows"
}

accuracy_begin() {
	trap accuracy_undo EXIT
	ACCURACY_READER='' ACCURACY_PIDS=()
	mkdir -p "$SCRATCH/bin"
	cp "$IOB_TREE/selftests/accuracy/"{work,inodes,folders} "$SCRATCH/bin/"
	accuracy_sources
	iob_load check_stacks=1
	mkdir -p "$ACCURACY_MNT"
	uname -r >"$OUT/kernel"
}

accuracy_end() {
	iob_unload
}

# accuracy_levels LABEL COPIES NODE "MKFS..." "MOUNT OPTIONS": run mix on the stacked device NODE,
# watched there and on the disks below it (ACCURACY_DISKS), which write each byte COPIES times
# (0: unknown); then sqlite, watched on NODE alone. ACCURACY_TOP_NO_STAT: NODE's own statistics
# are wrong, and the case says why
accuracy_levels() {
	local label=$1 copies=$2 top bottom=$ACCURACY_DISKS workloads=${ACCURACY_WORKLOADS:-}
	top=$(basename "$(readlink -f "/sys/dev/block/$(mountpoint -x "$3")")")
	shift 2
	[ -z "${ACCURACY_TOP_NO_STAT:-}" ] || ACCURACY_NO_STAT=$top
	ACCURACY_WORKLOADS=mix ACCURACY_DISKS="$top $bottom" ACCURACY_TOP="$top $copies"
	accuracy_all "$label-both" "$@"
	ACCURACY_TOP=
	ACCURACY_WORKLOADS=sqlite ACCURACY_DISKS=$top
	accuracy_all "$label-top" "$@"
	ACCURACY_WORKLOADS=$workloads ACCURACY_DISKS=$bottom ACCURACY_NO_STAT=
}

# accuracy_all LABEL NODE "MKFS..." "MOUNT OPTIONS": run all workloads on NODE, each on a fresh
# file system; the disks in ACCURACY_DISKS are watched, by default NODE
accuracy_all() {
	local label=$1 node=$2 make=$3 options=$4 workload
	for workload in ${ACCURACY_WORKLOADS:-files mix sqlite git tar}; do
		# shellcheck disable=SC2086
		$make "$node" >/dev/null 2>&1 || fail "$make $node"
		# shellcheck disable=SC2086
		mount $options "$node" "$ACCURACY_MNT"
		# shellcheck disable=SC2086
		accuracy_one "$label" "$workload" ${ACCURACY_DISKS:-"${node##*/}"}
		umount "$ACCURACY_MNT"
	done
}

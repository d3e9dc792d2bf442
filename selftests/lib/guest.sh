# What a case in the guest may use. Each case sources this file:
#	. "$IOB_LIB/guest.sh"
#
# A case finds in its environment
#	IOB		ioblame's folder in debugfs, there once iob_load has run
#	IOB_KO		the module built from this tree for this kernel
#	IOB_BIN		the programs built from selftests/**/prog/*.c
#	IOB_TREE	the tree under test, read-only
#	IOB_KERNEL	what `uname -r` begins with: 5.10, 6.1, ...
#	IOB_SLOWNESS	how many times as long as on Debian's kernels something may take
#	DISK_NAME	the device of each disk the case declared
#	OUT		a folder that the host keeps
#	SCRATCH		a folder in memory, removed after the case
# It passes if it exits with 0, is skipped by skip(), and fails otherwise. It must unload
# the module: the guest checks that a case leaves nothing behind.
#
# Sourcing this file checks what the case's head requires.
# shellcheck shell=bash

skip() {
	printf '%s\n' "$*" >"$OUT/skip"
	echo "skip: $*"
	exit 77
}

fail() {
	echo "fail: $*" >&2
	exit 1
}

# requires KIND WORD...: skip unless the guest has it. A case's head says the same in
# lines "# requires: KIND WORD...":
#	program NAME...			commands
#	module NAME... [PARAMETER=VALUE...]	modules, loaded with these, or built in
#	filesystem NAME...		file systems that can be mounted
#	controller NAME...		controllers of the second cgroup hierarchy
requires() {
	local kind=$1 name parameters=()
	shift
	for name in "$@"; do
		[[ $name != *=* ]] || parameters+=("$name")
	done
	for name in "$@"; do
		[[ $name != *=* ]] || continue
		case $kind in
		program) command -v "$name" >/dev/null ;;
		module) modprobe -q "$name" "${parameters[@]}" ;;
		filesystem) { modprobe -q "$name" || true; } && grep -qw "$name" /proc/filesystems ;;
		controller) grep -qw "$name" /sys/fs/cgroup/cgroup.controllers 2>/dev/null ;;
		*) fail "requires: no such kind: $kind" ;;
		esac || skip "requires $kind $name"
	done
}

# requires_of FILE: what its head says, its comments up to the first other line
requires_of() {
	local line words
	while read -r line && [[ $line == '#'* ]]; do
		[[ $line == '# requires: '* ]] || continue
		read -ra words <<<"${line#'# requires: '}"
		requires "${words[@]}"
	done <"$1"
}

# pause SECONDS: sleep without a process. Without KVM, starting one takes as long again.
pause() {
	# no process ever writes to this pipe
	[ -n "${PAUSE_NEVER:-}" ] || exec {PAUSE_NEVER}<> <(:)
	read -rt "$1" <&"$PAUSE_NEVER" || true
}

# ext4_quiet: in EXT4_QUIET, the options of a mount of ext4 after which no thread of its own reads ahead
# what says which blocks are free, within five seconds (5.10 does so only if asked to)
ext4_quiet() {
	EXT4_QUIET=no_prefetch_block_bitmaps
	[ "$IOB_KERNEL" != 5.10 ] || EXT4_QUIET=defaults
}

# disks_at_rest SECONDS DISK...: wait until no IO is under way on these disks and their
# statistics stay the same for two pauses of SECONDS. Then print the statistics, one line
# for each disk; after 200 pauses print them as they are.
disks_at_rest() {
	local between=$1 now last=none same=0 busy n disk line fields
	shift
	for ((n = 0; n < 200 && same < 2; n++)); do
		[ "$n" = 0 ] || pause "$between"
		now='' busy=0
		for disk in "$@"; do
			read -r line <"/sys/class/block/$disk/stat"
			read -ra fields <<<"$line"
			now+=$line$'\n'
			busy=$((busy | fields[8]))
		done
		if [ "$now" = "$last" ] && [ "$busy" = 0 ]; then
			same=$((same + 1))
		else
			same=0
		fi
		last=$now
	done
	printf '%s' "$now"
}

# iob_load [PARAMETER=VALUE...]: and those of IOB_PARAMETERS
iob_load() {
	# shellcheck disable=SC2086 # words
	insmod "$IOB_KO" "$@" ${IOB_PARAMETERS:-} || fail "ioblame does not load: $(dmesg | grep -a ioblame: | tail -n 1)"
	[ -d "$IOB" ] || fail "loaded, but there is no $IOB"
}

# Copy iolog to a file, in the background, until ioblame is off: $IOB_READER. The log is open
# when this returns: IO that nobody reads of is not logged.
iob_read_log() { # FILE
	local fd
	exec {fd}<"$IOB/iolog"
	cat <&"$fd" >"$1" &
	IOB_READER=$!
	exec {fd}<&-
}

iob_unload() {
	rmmod ioblame || fail "ioblame does not unload"
}

# expect FILE VALUE: fail unless a file of ioblame reads VALUE
expect() {
	local now
	now=$(cat "$IOB/$1") || fail "$1 cannot be read"
	[ "$now" = "$2" ] || fail "$1 reads '$now', not '$2'"
}

# (a shell without a script has no such file)
[ ! -f "$0" ] || requires_of "$0"

# What a case in the guest may use. Sourced by each case:
#	. "$IOB_LIB/guest.sh"
#
# A case finds in its environment
#	IOB		ioblame's folder in debugfs, there once iob_load has run
#	IOB_KO		the module built from this tree for this kernel
#	IOB_BIN		the programs built from selftests/**/prog/*.c
#	IOB_TREE	the tree under test, read-only
#	IOB_KERNEL	what `uname -r` begins with: 5.10, 6.1, ...
#	DISK_NAME	the device of each disk the case declared
#	OUT		a folder that the host keeps
#	SCRATCH		a folder in memory, gone after the case
# and passes by exit 0, skips by skip, fails by anything else. It must unload
# what it loads: the guest looks for what a case left behind.
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

require_cmd() {
	local cmd
	for cmd in "$@"; do
		command -v "$cmd" >/dev/null || skip "no $cmd in this release"
	done
}

require_module() {
	local module
	for module in "$@"; do
		modprobe -q "$module" || skip "no module $module in this kernel"
	done
}

# pause SECONDS: as sleep, without a process, which costs a guest without KVM as much
# again
pause() {
	# (nobody writes there)
	[ -n "${PAUSE_NEVER:-}" ] || exec {PAUSE_NEVER}<> <(:)
	read -rt "$1" <&"$PAUSE_NEVER" || true
}

# disks_at_rest SECONDS DISK...: wait until nothing is under way on any of them, and
# their statistics have not changed in two pauses of so many seconds; then print
# them, a line each. What is not at rest after 200 pauses is printed as it is.
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

# iob_load [PARAMETER=VALUE...]
iob_load() {
	insmod "$IOB_KO" "$@" || fail "ioblame does not load: $(dmesg | grep -a ioblame: | tail -n 1)"
	[ -d "$IOB" ] || fail "loaded, but there is no $IOB"
}

iob_unload() {
	rmmod ioblame || fail "ioblame does not unload"
}

# expect FILE VALUE: what a file of ioblame's reads
expect() {
	local now
	now=$(cat "$IOB/$1") || fail "$1 cannot be read"
	[ "$now" = "$2" ] || fail "$1 reads '$now', not '$2'"
}

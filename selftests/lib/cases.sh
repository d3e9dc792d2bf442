# What a case says of itself in its first comments:
#
#	# One line: what must be true
#	# guest: NAME		cases of one name share a guest (default main); in the one with
#				the name systemd, that runs
#	# disks: SPEC...	see vm/disks.sh
#	# memory: SIZE		a memory module beside the guest's own memory, offline at first
#	# timeout: SECONDS	default 120
#	# requires: KIND NAME...	skipped where the guest lacks it, see requires() in
#				guest.sh; one line for each kind
#	# lockdown: no (WHY)	not one that selftests/run --lockdown runs
#	# quick: yes		one of those that selftests/run --quick runs
#	# kernels: 6.1 newest (WHY)	default all
#	# check: newest (WHY)	only on these in a run on all kernels; "none": in no such run
#	# arch: amd64 (WHY)	not on other architectures
#	# arm64: check		one of those that a run on all kernels runs on arm64, too
#	# debug: no (WHY)	not on kernels that look for mistakes
#	# finds: PATTERN	passes if the kernel then complains of this
#	# broken: yes (WHY)	the kernel may say that a file system is damaged
#
# A result can differ on each kernel where a case runs at all: hooks, file systems and
# block layer are that kernel's. So a case runs on all kernels, unless a line says
# why it cannot differ, or cannot work, on the others. What needs no kernel is no case
# but a unit test. A run on all kernels has an hour: a case that has passed on each, and is not
# likely to differ, is left to the runs that name a kernel, by "check:".
#
# Kernels that look for mistakes, and those of another architecture, run all cases, whatever
# "kernels:" says. Only where that line has the word debug, kcsan or hardened, the case runs on
# such kernels only.
#
# Beside a case AREA/NAME may lie NAME.chroot, which runs in the release's own
# root before its guest boots, with the tree at /tree, and NAME.host, which runs
# on the host when the guest is off, with OUT and IMG_NAME for each disk.
# shellcheck shell=bash

# A run asks for thousands of tags: no process is started for one.  Keys are FILE:TAG.
declare -gA CASE_TAGS=()

# case_read FILE: keep the tags of its head
case_read() {
	local line tag
	CASE_TAGS[$1:]=yes
	while IFS= read -r line || [[ $line ]]; do
		[[ -z $line || $line == '#'* ]] || break
		[[ $line =~ ^'# '([a-z0-9]+):' '*(.*[^[:space:]]) ]] || continue
		tag=$1:${BASH_REMATCH[1]}
		[[ ${CASE_TAGS[$tag]:-} ]] || CASE_TAGS[$tag]=${BASH_REMATCH[2]}
	done <"$1"
}

# case_tag_to VARIABLE FILE TAG [DEFAULT]: set the variable to the first value of the tag
case_tag_to() {
	[[ ${CASE_TAGS[$2:]:-} ]] || case_read "$2"
	printf -v "$1" %s "${CASE_TAGS[$2:$3]:-${4:-}}"
}

# case_tag FILE TAG [DEFAULT]
case_tag() {
	local value
	case_tag_to value "$@"
	echo "$value"
}

# All cases of a tree whose name fits a pattern, one a line; with QUICK only the quick ones, with
# LOCKDOWN only what a locked-down kernel can run, and within another run only what that runs on
# arm64
cases_of() {
	local tree=$1 pattern=$2 file name lockdown arm64 quick
	for file in "$tree"/selftests/cases/*/*; do
		name=${file#"$tree"/selftests/cases/}
		[[ -f $file && ${name##*/} != *.* ]] || continue
		# shellcheck disable=SC2053
		[[ $name == $pattern ]] || continue
		case_tag_to lockdown "$file" lockdown
		case_tag_to arm64 "$file" arm64
		case_tag_to quick "$file" quick
		[[ -z ${LOCKDOWN:-} || $lockdown != no* ]] || continue
		[[ -z ${IOB_WITHIN:-} || $arm64 == check ]] || continue
		[[ -z ${QUICK:-} || $quick == yes ]] || continue
		echo "$name"
	done
}

# case_fits FILE KERNEL
case_fits() {
	local kernels newest=newest arch check debug flavour=''
	case_tag_to arch "$1" arch
	case_tag_to kernels "$1" kernels
	case_tag_to check "$1" check
	case_tag_to debug "$1" debug
	kernels=${kernels%%(*}
	check=${check%%(*}
	if [ -n "${IOB_FOREIGN:-}" ]; then
		[[ ${arch%% *} != amd64 && ! " $kernels " =~ " "(debug|kcsan|hardened)" " ]]
		return
	fi
	# (most kernels have none, and no process is needed to see that)
	[[ $2 != *-* ]] || flavour=$(flavour_of "$2")
	if [ "$flavour" ]; then
		[[ $debug != no* ]] || return 1
		[[ ! " $kernels " =~ " "(debug|kcsan|hardened)" " || " $kernels " == *" $flavour "* ]]
		return
	fi
	case $2 in 5.10 | 6.1 | 6.12) newest=$2 ;; esac
	[[ -n ${KERNEL:-}${LOCKDOWN:-}${IOB_MOUNTED:-} || -z $check ||
		" $check " == *" $2 "* || " $check " == *" $newest "* ]] || return 1
	[[ -z $kernels || " $kernels " == *" $2 "* || " $kernels " == *" $newest "* ]]
}

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

# case_tag FILE TAG [DEFAULT]
case_tag() {
	local value
	value=$(sed -nE "1,/^[^#]/s/^# $2: *(.*[^[:space:]])[[:space:]]*$/\1/p" "$1" | head -n 1)
	echo "${value:-${3:-}}"
}

# All cases of a tree whose name fits a pattern, one a line; with QUICK only the quick ones, with
# LOCKDOWN only what a locked-down kernel can run, and within another run only what that runs on
# arm64
cases_of() {
	local tree=$1 pattern=$2 file name
	for file in "$tree"/selftests/cases/*/*; do
		name=${file#"$tree"/selftests/cases/}
		[[ -f $file && ${name##*/} != *.* ]] || continue
		# shellcheck disable=SC2053
		[[ $name == $pattern ]] || continue
		[[ -z ${LOCKDOWN:-} || $(case_tag "$file" lockdown) != no* ]] || continue
		[[ -z ${IOB_WITHIN:-} || $(case_tag "$file" arm64) == check ]] || continue
		[[ -z ${QUICK:-} || $(case_tag "$file" quick) == yes ]] || continue
		echo "$name"
	done
}

# case_fits FILE KERNEL
case_fits() {
	local kernels newest=newest arch check
	arch=$(case_tag "$1" arch)
	kernels=$(case_tag "$1" kernels)
	kernels=${kernels%%(*}
	check=$(case_tag "$1" check)
	check=${check%%(*}
	if [ -n "${IOB_FOREIGN:-}" ]; then
		[[ ${arch%% *} != amd64 && ! " $kernels " =~ " "(debug|kcsan|hardened)" " ]]
		return
	fi
	if [ "$(flavour_of "$2")" ]; then
		[[ $(case_tag "$1" debug) != no* ]] || return 1
		[[ ! " $kernels " =~ " "(debug|kcsan|hardened)" " ]] ||
			[[ " $kernels " == *" $(flavour_of "$2") "* ]]
		return
	fi
	case $2 in 5.10 | 6.1 | 6.12) newest=$2 ;; esac
	[[ -n ${KERNEL:-}${LOCKDOWN:-}${IOB_MOUNTED:-} || -z $check ||
		" $check " == *" $2 "* || " $check " == *" $newest "* ]] || return 1
	[[ -z $kernels || " $kernels " == *" $2 "* || " $kernels " == *" $newest "* ]]
}

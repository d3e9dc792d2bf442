# What a case says of itself in its first comments:
#
#	# One line: what must be true
#	# guest: NAME		cases of one name share a guest (default main)
#	# disks: SPEC...	see vm/disks.sh
#	# timeout: SECONDS	default 120
#	# kernels: 6.1 6.12	default all
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

# All cases of a tree whose name fits a pattern, one a line
cases_of() {
	local tree=$1 pattern=$2 file name
	for file in "$tree"/selftests/cases/*/*; do
		name=${file#"$tree"/selftests/cases/}
		[[ -f $file && ${name##*/} != *.* ]] || continue
		# shellcheck disable=SC2053
		[[ $name != $pattern ]] || echo "$name"
	done
}

# case_fits FILE KERNEL
case_fits() {
	local kernels
	kernels=$(case_tag "$1" kernels)
	[[ -z $kernels || " $kernels " == *" $2 "* ]]
}

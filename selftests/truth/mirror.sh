# The truth test on RAID 1: on the array and on both of its disks at once
#
#	truth_mirror NODE BITMAP A B	A and B are names of disks, and of their images
# shellcheck shell=bash

truth_mirror() {
	local node=$1 a=DISK_$3 b=DISK_$4
	# --assume-clean: no resync during the test
	mdadm --create "$node" --run --assume-clean --level=1 --metadata=1.0 --raid-devices=2 \
		--bitmap="$2" "${!a:?}" "${!b:?}"
	TRUTH_UNDO+=("mdadm --stop $node")
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$node"

	# md must not mark the array or parts of it clean some time after the last write
	echo 0 >"/sys/block/${node##*/}/md/safe_mode_delay"
	[ "$2" = none ] || echo 1000 >"/sys/block/${node##*/}/md/bitmap/time_base"

	TRUTH_ONLY=$TRUTH_FEW
	TRUTH_READS=some
	truth_disk "${!a}" "${TRUTH_LABEL:=mirror}-a" "$3"
	truth_disk "${!b}" "$TRUTH_LABEL-b" "$4"
	# the superblock of format 1.0 is at the end: data begin at sector 0
	TRUTH_READS=all
	# 5.10's md counts the rest of a bio that it splits (at 64 MiB) twice; the disks below
	# are compared with their own statistics
	# shellcheck disable=SC2034
	[[ $(uname -r) != 5.10.* ]] || TRUTH_NO_STAT="5.10's md counts the rest of a split bio twice"
	truth_on_fs ext4 "$node" "$3"
}

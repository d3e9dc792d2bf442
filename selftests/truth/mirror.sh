# The truth test on RAID 1 or 10: on the array and on all of its disks at once
#
#	truth_mirror NODE BITMAP A B		A and B are names of disks, and of their images
#	truth_mirror NODE BITMAP A B C D	RAID 10: A and B hold the same, C and D the rest
#
# Of RAID 10 the case's host part finds the array's content in image.LABEL.
# shellcheck shell=bash

truth_mirror() {
	local node=$1 bitmap=$2 image=$3 level=(--level=1) disks=() name n
	shift 2
	for name; do
		n=DISK_$name
		disks+=("${!n:?}")
	done
	[ $# = 2 ] || level=(--level=10 --layout=n2 --chunk=64)
	# --assume-clean: no resync during the test
	mdadm --create "$node" --run --assume-clean "${level[@]}" --metadata=1.0 \
		--raid-devices=$# --bitmap="$bitmap" "${disks[@]}"
	TRUTH_UNDO+=("mdadm --stop $node")
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$node"

	# md must not mark the array or parts of it clean some time after the last write
	echo 0 >"/sys/block/${node##*/}/md/safe_mode_delay"
	[ "$bitmap" = none ] || echo 1000 >"/sys/block/${node##*/}/md/bitmap/time_base"

	TRUTH_ONLY=$TRUTH_FEW
	TRUTH_READS=some
	: "${TRUTH_LABEL:=mirror}"
	# the superblock of format 1.0 is at the end: data begin at sector 0
	for ((n = 0; n < $#; n++)); do
		name=a
		((n % 2 == 0)) || name=b
		# chunks are on the first pair of RAID 10 and on the second by turns
		[ $# = 2 ] || TRUTH_PART=part=$TRUTH_LABEL-$name
		truth_disk "${disks[n]}" "$TRUTH_LABEL-$name" "${*:n + 1:1}"
	done
	TRUTH_PART=
	TRUTH_READS=all
	# 5.10's md counts the rest of a bio that it splits (at 64 MiB) twice; the disks below
	# are compared with their own statistics
	# shellcheck disable=SC2034
	[[ $(uname -r) != 5.10.* ]] || TRUTH_NO_STAT="5.10's md counts the rest of a split bio twice"
	if [ $# = 2 ]; then
		truth_on_fs ext4 "$node" "$image"
		return
	fi
	TRUTH_TRIMS=yes
	# shellcheck disable=SC2034
	case $(uname -r) in
	5.10.* | 6.1.* | 6.12.*) TRUTH_NO_STAT="raid10 counts its discards from 6.16 on" ;;
	esac
	truth_on_fs ext4 "$node" "@image.$TRUTH_LABEL"
	truth_copy_image "$node" "image.$TRUTH_LABEL"
}

# The disks of a guest: raw files of the host.
#
# A spec is NAME=SIZE or NAME:FSTYPE=SIZE. If NAME is a file system's, FSTYPE is NAME. The
# release's own mkfs makes the file system, so that kernel and tools fit. There is no lazy
# initialisation: the kernel must not write to a fresh file system by itself. ext4-4k has
# blocks of 4 KiB, as on larger disks; mkfs gives a disk of less than 512M blocks of 1 KiB. xfs-1k
# has blocks of 1 KiB, four in a page.
# shellcheck shell=bash

disk_name() { sed -E 's/[:=].*//' <<<"$1"; }
disk_size() { echo "${1#*=}"; }
disk_fs() {
	local spec=${1%%=*}
	case $spec in
	*:*) echo "${spec#*:}" ;;
	ext2 | ext3 | ext4 | xfs | btrfs | f2fs | vfat) echo "$spec" ;;
	esac
}

# disks_make SUITE FOLDER SPEC...
disks_make() {
	local suite=$1 folder=$2 spec fs
	shift 2
	mkdir -p "$folder"
	for spec in "$@"; do
		truncate -s "$(disk_size "$spec")" "$folder/$(disk_name "$spec").img"
		fs=$(disk_fs "$spec")
		[ -z "$fs" ] || disk_mkfs "$suite" "$folder" "$(disk_name "$spec")" "$fs"
	done
}

# disk_mkfs SUITE FOLDER NAME FSTYPE
disk_mkfs() {
	local suite=$1 folder=$2 name=$3 fs=$4 mkfs
	case $fs in
	ext4-4k) mkfs="mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0" ;;
	ext*) mkfs="mkfs.$fs -q -F -E lazy_itable_init=0,lazy_journal_init=0" ;;
	xfs-1k) mkfs="mkfs.xfs -f -q -b size=1024" ;;
	xfs | f2fs | btrfs) mkfs="mkfs.$fs -f -q" ;;
	vfat) mkfs="mkfs.vfat -F 32" ;;
	*) die "disk $name: unknown file system $fs" ;;
	esac
	# shellcheck disable=SC2086
	in_root "$suite" "$folder:/mnt" -- $mkfs "/mnt/$name.img" >"$folder/$name.mkfs" 2>&1 ||
		die "disk $name: $(tail -n 3 "$folder/$name.mkfs")"
}

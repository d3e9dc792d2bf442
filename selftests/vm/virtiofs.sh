# Shares for guests whose kernel has no 9p: a daemon for each, which ends with its guest.
#
# The daemon is QEMU's of Debian 12, or the package virtiofsd of later releases. It has a process
# for the socket and reads the guest's memory, so that is shared.
# shellcheck shell=bash

# Installs what is missing
virtiofs_needs() {
	[ -x /usr/lib/qemu/virtiofsd ] || host_needs /usr/libexec/virtiofsd=virtiofsd
}

# virtiofs_share JOB TAG FOLDER: start a daemon, and print QEMU's words. The folder of sockets is
# short: the path of one is at most 107 bytes.
virtiofs_share() {
	local job=$1 tag=$2 folder=$3 socket program
	socket=$(mktemp -u /tmp/iob-virtiofs.XXXXXX)
	for program in /usr/lib/qemu/virtiofsd /usr/libexec/virtiofsd; do
		[ ! -x "$program" ] || break
	done
	(
		if [ "$program" = /usr/lib/qemu/virtiofsd ]; then
			"$program" -f --socket-path="$socket" \
				-o "source=$folder,sandbox=chroot,cache=always,xattr"
		else
			"$program" --socket-path="$socket" --shared-dir "$folder" --sandbox chroot \
				--cache always --xattr
		fi
		rm -f "$socket"
	) >"$job/virtiofs-$tag.log" 2>&1 </dev/null &
	printf '%s\n' -chardev "socket,id=fs-$tag,path=$socket" \
		-device "vhost-user-fs-pci,chardev=fs-$tag,tag=$tag"
	virtiofs_wait "$socket"
}

virtiofs_wait() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[ ! -S "$1" ] || return 0
		sleep 0.1
	done
	echo "no socket $1 of virtiofsd" >&2
}

# virtiofs_memory_args SUITE: the memory of the guest, which the daemons see
virtiofs_memory_args() {
	printf '%s\n' -object "memory-backend-memfd,id=shared,size=${IOB_MEM:-$(vm_memory "$1")},share=on" \
		-machine memory-backend=shared
}

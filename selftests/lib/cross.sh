# Another architecture: ARCH=arm64 in the environment.
#
# Roots, builds and guests are of it then; its kernels have the same short names. Its roots are
# unpacked, not installed: install scripts would run for half an hour. What must run in them here,
# mkfs for example, qemu-user runs. Compilers are too slow so: a copy of this architecture's
# root of the same release has a cross compiler, and sees the foreign root at /foreign.
# shellcheck shell=bash

# shellcheck disable=SC2153 # of the environment
case ${ARCH:-amd64} in
amd64 | x86_64 | x86) IOB_ARCH=amd64 IOB_FOREIGN='' ;;
arm64 | aarch64) IOB_ARCH=arm64 IOB_FOREIGN=.arm64 ;;
*) die "no tests for ARCH=$ARCH: amd64 or arm64" ;;
esac

# The words of make and of a shell for the cross compiler, in build_in
cross_make() { [ -z "$IOB_FOREIGN" ] || echo ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-; }
cross_shell() {
	[ -z "$IOB_FOREIGN" ] || echo 'export CC="aarch64-linux-gnu-gcc --sysroot=/foreign" \
		PKG_CONFIG_SYSROOT_DIR=/foreign \
		PKG_CONFIG_LIBDIR=/foreign/usr/lib/aarch64-linux-gnu/pkgconfig:/foreign/usr/share/pkgconfig'
}

# foreign_possible: true if this host's kernel can run programs of a foreign root. It may be a
# container's, which may mount nothing.
foreign_possible() {
	mountpoint -q /proc/sys/fs/binfmt_misc ||
		mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null
}

# foreign_needs: see to it that programs of a foreign root run here
foreign_needs() {
	[ -n "$IOB_FOREIGN" ] || return 0
	host_needs qemu-aarch64-static=qemu-user-static update-binfmts=binfmt-support \
		arch-test=arch-test depmod=kmod aarch64-linux-gnu-objcopy=binutils-aarch64-linux-gnu
	foreign_possible ||
		die "this host's kernel has no binfmt_misc, which programs of $IOB_ARCH need"
	[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64
}

# root_depmod FOLDER KVER: in a foreign root, depmod itself would take four minutes
root_depmod() {
	if [ -n "$IOB_FOREIGN" ]; then depmod -b "$1" "$2"; else chroot "$1" depmod "$2"; fi
}

# cross_suite SUITE: the suite of the root with the compiler
cross_suite() {
	local base=$1
	[ -z "$(flavour_of "$1")" ] || base=$(suite_base "$1")
	echo "$base.cross"
}

# cross_root SUITE: see to it; its build tools are for the very kernel of the foreign root
cross_root() {
	local suite kbuild
	[ -n "$IOB_FOREIGN" ] || return 0
	suite=$(cross_suite "$1")
	suite=${suite%.cross}
	kbuild=$(cd "$(root_dir "$suite")/usr/lib" && echo linux-kbuild-*)
	ARCH=amd64 IOB_ARCH=amd64 IOB_FOREIGN='' root_extend "$suite" cross 1 gcc-aarch64-linux-gnu "$kbuild"
}

# build_in SUITE [HOSTDIR:DIR ...] -- COMMAND...: as in_root, where the compiler is
build_in() {
	local suite=$1 root
	if [ -z "$IOB_FOREIGN" ]; then
		in_root "$@"
		return
	fi
	root=$(root_dir "$suite")
	shift
	IOB_FOREIGN='' in_root "$(cross_suite "$suite")" "$root:/foreign" "$root/usr/src:/usr/src" \
		"$root/usr/lib/modules:/usr/lib/modules" "$@"
}

# strip_debug FROM TO: DKMS strips modules, too; and guests load 10 MB of debug information slowly
strip_debug() {
	"${IOB_FOREIGN:+aarch64-linux-gnu-}objcopy" --strip-debug "$1" "$2"
}

# The releases whose kernels are tested, and the roots that hold them.
#
# A root is a directory made by vm/make-root: one Debian release with its kernel,
# headers, compiler, dkms and the tools of the tests. It is read-only: builds and
# installs write to folders that are bound into it or to an overlay.
# shellcheck shell=bash
. "$IOB_SELFTESTS/lib/cross.sh"

# "newest" is the first of forky and sid whose root can be made.
# shellcheck disable=SC2034
IOB_SUITES=(bookworm trixie bullseye newest)
[ -z "$IOB_FOREIGN" ] || IOB_SUITES=(bookworm trixie newest)

# Releases with another kernel: debug/make-root makes them of the root of suite_base(). Such a
# kernel looks for mistakes or, on arm64, has larger pages. A run uses them only if KERNEL
# names them.
# shellcheck disable=SC2034
IOB_DEBUG_SUITES=(debug-6.12 debug-newest kcsan-6.12 hardened-6.12)
[ -z "$IOB_FOREIGN" ] || IOB_DEBUG_SUITES=(16k-6.12 64k-6.12)

# flavour_of SUITE|KERNEL: debug, kcsan, hardened, 16k or 64k; nothing for a release's own kernel
flavour_of() {
	case $1 in debug-* | kcsan-* | hardened-* | 16k-* | 64k-*) echo "${1%%-*}" ;; esac
}

# suite_base SUITE: the release of a suite with another kernel
suite_base() {
	case $1 in
	*-6.12) echo trixie ;;
	*-newest) echo newest ;;
	esac
}

# slowness SUITE|KERNEL: how many times as long as on Debian's kernels anything may take
slowness() {
	if [ -n "$IOB_FOREIGN" ]; then
		echo 2
		return
	fi
	case $(flavour_of "$1") in
	'') echo 1 ;;
	hardened) echo 2 ;;
	*) echo 5 ;;
	esac
}

# suite_kernel SUITE: the short name of its kernel, as 6.1; nothing if only the root
# knows it and is not made yet
suite_kernel() {
	case $1 in
	bullseye) echo 5.10 ;;
	bookworm) echo 6.1 ;;
	trixie) echo 6.12 ;;
	debug-6.12 | kcsan-6.12 | hardened-6.12 | 16k-6.12 | 64k-6.12) echo "$1" ;;
	*) root_kernel "$1" 2>/dev/null || true ;;
	esac
}

root_dir() { echo "$IOB_CACHE/roots/$1$IOB_FOREIGN"; }

# root_lock SUITE: the file that users of a root hold locked, shared
root_lock() { echo "$IOB_CACHE/roots/.$1$IOB_FOREIGN.lock"; }

# The release of the kernel in a root: 6.1.0-50-amd64. IOB_KVER: of several, that one.
root_kver() {
	if [ -n "${IOB_KVER:-}" ]; then
		echo "$IOB_KVER"
	else
		cat "$(root_dir "$1")/.ioblame-kver" 2>/dev/null
	fi
}

# Its short name: 6.1; debug-6.12 for another kernel of a release
root_kernel() {
	local flavour
	flavour=$(flavour_of "$1")
	root_kver "$1" | sed -E "s/^([0-9]+\.[0-9]+).*/${flavour:+$flavour-}\1/"
}

# in_root SUITE [HOSTDIR:DIR ...] -- COMMAND...: run COMMAND in a root, with host folders
# bound into it. All other writes go to a tmpfs and are lost.
in_root() {
	local suite=$1 binds=()
	shift
	while [ "$1" != -- ]; do
		binds+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016
	unshare --mount --propagation private -- bash -c '
		set -e
		root=$1 n=$2
		shift 2
		m=/run
		mount -t tmpfs -o size=2g,mode=755 ioblame $m
		mkdir $m/up $m/work $m/root
		mount -t overlay -o "lowerdir=$root,upperdir=$m/up,workdir=$m/work" ioblame $m/root
		mount -t proc proc $m/root/proc
		mount --rbind /dev $m/root/dev
		mount -t tmpfs -o mode=1777 tmp $m/root/tmp
		for ((; n > 0; n--)); do
			mkdir -p "$m/root${1#*:}"
			mount --bind "${1%%:*}" "$m/root${1#*:}"
			shift
		done
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
			TERM=dumb chroot $m/root "$@"
	' in_root "$(root_dir "$suite")" ${#binds[@]} "${binds[@]}" "$@"
}

# suite_of_kernel KERNEL: the suite with this kernel; "newest" needs its root to be known
suite_of_kernel() {
	local suite
	for suite in "${IOB_SUITES[@]}" "${IOB_DEBUG_SUITES[@]}"; do
		if [ "$suite" = "$1" ] || [ "$(suite_kernel "$suite")" = "$1" ]; then
			echo "$suite"
			return 0
		fi
	done
	[ "$1" = newest ] || [ -z "$(suite_kernel newest)" ] || return 1
	echo newest
}

kernels_known() {
	local suite
	for suite in "${IOB_SUITES[@]}" "${IOB_DEBUG_SUITES[@]}"; do
		suite_kernel "$suite"
	done | xargs
}

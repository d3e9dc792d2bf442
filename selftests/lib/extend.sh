# A root with more packages: a copy of a release's root, so that no test's root is made larger
# for what only some tools need. It goes by the same functions as any other root.
# shellcheck shell=bash

# root_extend SUITE NAME VERSION PACKAGE...: see to SUITE.NAME, and hold it for this run.
# Another VERSION makes it anew. The packages are those of SUITE; of ROOT_FROM, if that is set,
# such as trixie-backports, with what they need. ROOT_ARCH=arm64: PACKAGE:arm64 can be had, too.
root_extend() {
	local suite=$1 name=$2 version=$3 from to key lock log=$IOB_CACHE/log/root-$1.$2
	shift 3
	"$IOB_SELFTESTS/vm/make-root" "$suite"
	from=$(root_dir "$suite") to=$(root_dir "$suite.$name")
	exec {lock}<>"$(root_lock "$suite")"
	flock -s "$lock"
	# (with the packages that came later to FROM)
	key=$(cat "$from/.ioblame-key")-$(sha256sum <<<"$* $version${ROOT_FROM:+ $ROOT_FROM}${ROOT_ARCH:+ $ROOT_ARCH} $(
		cat "$from/.ioblame-added" 2>/dev/null)" | cut -c1-8)
	exec {lock}<>"$(root_lock "$suite.$name")"
	if [ "$(cat "$to/.ioblame-key" 2>/dev/null)" != "$key" ]; then
		flock "$lock"
		if [ "$(cat "$to/.ioblame-key" 2>/dev/null)" != "$key" ]; then
			say "making the root $suite.$name (log: $log)"
			root_extend_make "$from" "$to" "$key" "$@" >"$log" 2>&1 ||
				die "no root $suite.$name; see $log"
		fi
	fi
	flock -s "$lock"
}

# root_extend_make FROM TO KEY PACKAGE...
root_extend_make() {
	local from=$1 to=$2 key=$3 tmp
	shift 3
	tmp=$(dirname "$to")/.tmp.$(basename "$to")
	rm -rf --one-file-system "$tmp"
	cp -a --reflink=auto "$from" "$tmp"
	[ -z "${ROOT_FROM:-}" ] ||
		echo "deb $("$IOB_SELFTESTS/vm/mirror") $ROOT_FROM main" >"$tmp/etc/apt/sources.list.d/from.list"
	root_install "$tmp" "$@" || return 1
	echo "$key" >"$tmp/.ioblame-key"
	rm -rf --one-file-system "$to"
	mv "$tmp" "$to"
}

# root_install FOLDER PACKAGE...: install packages into a root
root_install() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private -- bash -c '
		set -e
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
		export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin INITRD=No
		[ -z "${ROOT_ARCH:-}" ] || chroot "$root" dpkg --add-architecture "$ROOT_ARCH"
		chroot "$root" apt-get -o Acquire::Check-Valid-Until=false update
		chroot "$root" apt-get install -y --no-install-recommends ${ROOT_FROM:+-t "$ROOT_FROM"} "$@"
		chroot "$root" apt-get clean
		rm -rf "$root"/var/lib/apt/lists/*' extend "$@"
}

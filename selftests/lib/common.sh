# What the host's scripts share: paths, messages, packages. To be sourced.
#
# IOB_CACHE holds all that is slow to make again (roots, builds, initramfs images);
# it may be deleted at any time.
# shellcheck shell=bash

IOB_CACHE=${IOB_CACHE:-/var/cache/ioblame}
IOB_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
IOB_SELFTESTS=$IOB_TOP/selftests
export IOB_CACHE

# A progress line, with the seconds since the run began
say() { printf '[%4ds] %s\n' "$SECONDS" "$*" >&2; }
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# keep_eight FOLDER: remove all runs in it but the eight newest and those that still go
# on. A run's folder is named TIME.PID.
keep_eight() {
	local old
	while read -r old; do
		[ -d "/proc/${old##*.}" ] || rm -rf --one-file-system "${1:?}/$old"
	done < <(find "$1" -mindepth 1 -maxdepth 1 -name '2*' -printf '%f\n' 2>/dev/null |
		sort -r | tail -n +9)
}

# dkms.conf alone has the version
iob_version() { sed -nE 's/^PACKAGE_VERSION="?([^"]*)"?$/\1/p' "$IOB_TOP/dkms.conf"; }

# Install what is missing: host_needs COMMAND=PACKAGE... or /FILE=PACKAGE...
host_needs() {
	local pair missing=()
	for pair in "$@"; do
		command -v "${pair%%=*}" >/dev/null || [ -e "${pair%%=*}" ] || missing+=("${pair#*=}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing what this host lacks: ${missing[*]}"
	host_apt "${missing[@]}" ||
		die "cannot install ${missing[*]}; install them by hand and try again"
}

# apt-get install; updates the package lists only if that fails
host_apt() {
	local log
	log=$(mktemp)
	export DEBIAN_FRONTEND=noninteractive
	if apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" </dev/null >"$log" 2>&1 ||
		{ apt-get update </dev/null >>"$log" 2>&1 || true
		  apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" </dev/null >>"$log" 2>&1; }; then
		rm -f "$log"
	else
		tail -n 20 "$log" >&2
		rm -f "$log"
		return 1
	fi
}

# Chroots, mounts and a 9p share that keeps the guest's file owners need root
become_root() {
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null || die "needs root, or sudo"
	exec sudo --preserve-env=IOB_CACHE,ARCH,KERNEL,CASE,PARTS,CI,V,IOB_RESULTS,IOB_DEADLINE,IOB_PLACES,IOB_CYCLES,IOB_CYCLES_SECS,IOB_PARAMETERS -- "$@"
}

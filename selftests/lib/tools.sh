# Roots with the tools of others.
# shellcheck shell=bash
. "$IOB_SELFTESTS/lib/extend.sh"

# tools_root SUITE: see to SUITE.bench, with which the bench compares
tools_root() { root_extend "$1" bench 1 bpftrace; }

# neighbours_root SUITE: see to SUITE.neighbours, with all tools that ioblame is held against
neighbours_root() {
	local packages=(bpftrace bpfcc-tools)
	[ "$1" = bullseye ] || packages+=(libbpf-tools)
	root_extend "$1" neighbours 1 "${packages[@]}"
}

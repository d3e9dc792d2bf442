# Roots with the tools of others, which the bench and selftests/run --tools look at.
# shellcheck shell=bash
. "$IOB_SELFTESTS/lib/extend.sh"

# tools_root SUITE: see to SUITE.bench
tools_root() { root_extend "$1" bench 1 bpftrace; }

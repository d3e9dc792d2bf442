# A run within a run: what "make check" runs on arm64.
#
# A run on all kernels runs some cases on one arm64 kernel, too: those whose head says
# "arm64: check". As all scripts look at ARCH when they are sourced, another process of
# selftests/run does that, with its guests in RUN/arm64 and of the same snapshot of the tree. It
# runs beside this one's guests, one guest at a time, and reports to this one's results:
#
#	ok   arm64-6.12 truth/ext4                   50.9s
# shellcheck shell=bash

WITHIN_SUITE=trixie WITHIN_KERNEL=6.12

# Not if a run is for some kernels only, or in a special way
within_wanted() {
	[ -z "$IOB_FOREIGN$KERNEL$QUICK$LOCKDOWN$TOOLS${IOB_MOUNTED:-}" ] &&
		[ "$(IOB_WITHIN=$RUN cases_of "$TREE" "$CASE")" ]
}

# Its root is made beside the others. If that fails, the run within says so.
within_root() {
	within_wanted && foreign_possible || return 0
	slot
	ARCH=arm64 "$IOB_SELFTESTS/vm/make-root" "${FRESH[@]}" "$WITHIN_SUITE" || true &
}

within_run() {
	local pid status=0
	trap - EXIT
	within_wanted || return 0
	if ! foreign_possible; then
		result skip "arm64-$WITHIN_KERNEL" run/arm64 0 "this host's kernel has no binfmt_misc"
		return 0
	fi
	env ARCH=arm64 KERNEL="$WITHIN_KERNEL" CASE="$CASE" IOB_RESULTS="$RUN/arm64" IOB_JOBS=1 \
		IOB_WITHIN="$RUN" IOB_BEGAN="$SECONDS" "$TREE/selftests/run" ${KTAP:+--ktap} &
	pid=$!
	# shellcheck disable=SC2064 # the process that runs now
	trap "kill $pid 2>/dev/null" TERM
	wait $pid || status=$?
	[ $status -eq 0 ] || grep -q '^FAIL arm64-' "$RESULTS" ||
		result FAIL "arm64-$WITHIN_KERNEL" run/arm64 - "status $status: see above"
}

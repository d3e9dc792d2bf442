# Tests that need no guest: unit/* and lint/*.
# shellcheck shell=bash

# host_tests unit|lint. A run for one kernel, or for some cases, leaves them out
# unless the pattern names them, or it is to be quick.
host_tests() {
	if [[ $CASE == "*" ]]; then
		[[ -z $KERNEL || -n $QUICK ]] || return 0
	else
		[[ ${CASE%%/*} == "$1" ]] || return 0
	fi
	mkdir -p "$RUN/host"
	"host_$1"
}

# The scripts that judge the guests' results
UNIT_SCRIPTS=(lib/run-test past/past-test debug/keep-test truth/verify-test accuracy/score-test
	lint/test/lint-test bench/table-test lib/make-test peers/compare-test demo/report-test lib/abi-test lib/iolog-test lib/files-test
	lib/case-test browser/page-test)

# Pure logic, and the scripts one by one beside it: much of both is waiting for a clock, or for
# a browser
unit_all() {
	local status=0 making
	make -s -C "$TREE/selftests/unit" -j "${IOB_JOBS:-2}" -O check &
	making=$!
	unit_scripts >"$RUN/host/scripts.log" 2>&1 || status=$?
	wait "$making" || status=$?
	cat "$RUN/host/scripts.log"
	return $status
}

unit_scripts() {
	local status=0 script
	for script in "${UNIT_SCRIPTS[@]}"; do
		"$TREE/selftests/$script" || status=$?
	done
	return "$status"
}

# What browser/page-test needs; without it the test says what it lacks, and is skipped
browser_needs() {
	# shellcheck disable=SC2053
	[[ unit/page/all == $CASE || $CASE == unit/page* ]] || return 0
	(host_needs chromium-headless-shell=chromium-headless-shell pkg-config=pkg-config \
		/usr/include/json-c/json.h=libjson-c-dev \
		/usr/include/libmount/libmount.h=libmount-dev) || true
}

# The unit tests print "ok NAME" or "FAIL NAME"
host_unit() {
	local log=$RUN/host/unit.log verdict name rest status=0
	[ -e "$TREE/selftests/unit/Makefile" ] || return 0
	browser_needs
	say "unit tests"
	timed "$log" unit_all || status=$?
	while read -r verdict name rest; do
		# shellcheck disable=SC2053
		[[ unit/$name == $CASE ]] || continue
		result "$verdict" - "unit/${name%:}" 0 "${rest#\# }" "$log"
	done < <(sed -nE 's/^(ok|FAIL|skip) +(.*)/\1 \2/p' "$log")
	# a test may also break before it prints a result
	if [ $status -ne 0 ] && ! grep -q '^FAIL ' "$log"; then
		result FAIL - unit/make "$TOOK" "exit status $status" "$log"
	fi
	say "unit tests took $TOOK s"
}

# A lint check is an executable file of selftests/lint; it runs in the tree and
# prints what it finds
host_lint() {
	local check name status
	for check in "$TREE"/selftests/lint/*; do
		name=lint/${check##*/}
		# shellcheck disable=SC2053
		[[ -f $check && -x $check && $name == $CASE ]] || continue
		slot
		(
			cd "$TREE" || exit 1
			status=0
			timed "$RUN/host/${check##*/}.log" "$check" || status=$?
			case $status in
			0) result ok - "$name" "$TOOK" ;;
			77) result skip - "$name" "$TOOK" "$(tail -n 1 "$RUN/host/${check##*/}.log")" ;;
			*) result FAIL - "$name" "$TOOK" "" "$RUN/host/${check##*/}.log" ;;
			esac
		) &
	done
	wait
}

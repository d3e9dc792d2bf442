# Results: one line for each test as it ends, and a count at the end; with KTAP
# the same in the Kernel Test Anything Protocol, version 1.
#
# RUN is the folder of this run; RUN/results keeps the lines. A run within another one
# (lib/within.sh) reports to that one's.
# shellcheck shell=bash

results_begin() {
	RESULTS=${IOB_WITHIN:-$RUN}/results
	[ -z "${IOB_WITHIN:-}" ] || return 0
	: >"$RESULTS"
	[ -z "${KTAP:-}" ] || echo "KTAP version 1"
}

# IOB_RESULTS may name the folder of an earlier run: what that has said of its builds, its guests
# and the releases' roots is not of this one
results_forget() {
	rm -f "$RUN"/*/bin/broken "$RUN"/*/*/done
	find "$RUN" -mindepth 6 -maxdepth 6 -path '*/out/*' \( -name prepared -o -name failed \) -delete
}

# result ok|FAIL|skip KERNEL NAME SECONDS [REASON] [LOG]. Several jobs may end at once:
# a lock keeps their lines together, and in KTAP their numbers in order.
result() {
	[ -z "${IOB_WITHIN:-}" ] || set -- "$1" "$IOB_ARCH-$2" "${@:3}"
	(
		flock 9
		printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$4" "${5:-}" >>"$RESULTS"
		if [ -n "${KTAP:-}" ]; then
			result_ktap "$@"
		else
			printf '%-4s %-5s %-32s %6ss%s\n' "$1" "$2" "$3" "$4" "${5:+  # $5}"
			[ "$1" != FAIL ] || log_end "${6:-}" | sed 's/^/     | /'
		fi
	) 9>"$RESULTS.lock"
}

# As result(); what is known beside goes before the line, in comments
result_ktap() {
	local name=$3 verdict=ok end=''
	[ "$2" = - ] || name="$3 ($2)"
	case $1 in
	skip) end=" # SKIP ${5:-}" ;;
	FAIL) verdict='not ok' ;;
	esac
	{
		echo "$name took $4 s"
		[ "$1" != FAIL ] || printf '%s\n' "${5:-failed}"
		[ "$1" != FAIL ] || log_end "${6:-}"
	} | comments
	# a number sign in a name would begin a directive
	printf '%s %d - %s%s\n' "$verdict" "$(wc -l <"$RESULTS")" "${name//#/\\#}" "$end"
}

# The end of a failure's log, and where it is
log_end() {
	[ -n "$1" ] && [ -e "$1" ] || return 0
	tail -n "${IOB_LOG_LINES:-15}" "$1" | cut -c1-300
	echo "log: $1"
}

# In KTAP what is no result is a comment
comments() {
	if [ -n "${KTAP:-}" ]; then sed 's/^/# /; s/ $//'; else cat; fi
}

# The figures of all accuracy cases in one table
accuracy_table() {
	local logs=("$RUN"/*/accuracy/out/accuracy/*/host.log)
	[ -e "${logs[0]}" ] || return 0
	{
		echo
		head -n 1 "${logs[0]}"
		awk 'FNR > 1 && /^[0-9]/' "${logs[@]}" | sort -V -k1,1 -k2,2 -s
	} | comments
}

# Print the last line of a run. Fails if a test failed or none ran: building is none.
summary() {
	local passed failed skipped
	passed=$(grep -c '^ok ' "$RESULTS" || true)
	failed=$(grep -c '^FAIL ' "$RESULTS" || true)
	skipped=$(grep -c '^skip ' "$RESULTS" || true)
	[ -z "${KTAP:-}" ] || echo "1..$((passed + failed + skipped))"
	{
		if [ "$failed" -gt 0 ]; then
			echo
			echo "failed:"
			sed -n 's/^FAIL /  /p' "$RESULTS"
		fi
		echo "results and logs: $RUN"
		printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	} | comments
	[ "$failed" -eq 0 ] || return 1
	awk '$1 == "ok" && $3 !~ "^(build|console)/" { ran = 1 } END { exit !ran }' "$RESULTS" && return
	[ "$skipped" = 0 ] || die "all that fits CASE=$CASE${KERNEL:+ on $KERNEL} was skipped"
	die "no test fits CASE=$CASE${KERNEL:+ on $KERNEL}; selftests/run --list names all"
}

# timed LOG COMMAND...: run COMMAND with its output in LOG; TOOK is the time in seconds
timed() {
	local log=$1 started=${EPOCHREALTIME/./} status=0 us
	shift
	"$@" >"$log" 2>&1 </dev/null || status=$?
	us=$((${EPOCHREALTIME/./} - started))
	TOOK=$(printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10)))
	return $status
}

# slot [MORE]: wait until fewer than IOB_JOBS (2) background jobs run, or that and MORE
slot() {
	while [ "$(jobs -rp | wc -l)" -ge $((${IOB_JOBS:-2} + ${1:-0})) ]; do
		wait -n || true
	done
}

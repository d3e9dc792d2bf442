# Results: one line for each test as it ends, and a count at the end.
#
# RUN is the folder of this run; RUN/results keeps the lines.
# shellcheck shell=bash

# result ok|FAIL|skip KERNEL NAME SECONDS [REASON] [LOG]
result() {
	local text
	printf -v text '%-4s %-5s %-32s %6ss%s' "$1" "$2" "$3" "$4" "${5:+  # $5}"
	if [ "$1" = FAIL ] && [ -n "${6:-}" ] && [ -e "$6" ]; then
		text+=$'\n'$(tail -n "${IOB_LOG_LINES:-15}" "$6" | cut -c1-300 | sed 's/^/     | /')
		text+=$'\n'"     | log: $6"
	fi
	printf '%s\n' "$text"
	printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$4" "${5:-}" >>"$RUN/results"
}

# The figures of all accuracy cases in one table, as Documentation/reference/accuracy.rst has it
accuracy_table() {
	local logs=("$RUN"/*/accuracy/out/accuracy/*/host.log)
	[ -e "${logs[0]}" ] || return 0
	echo
	head -n 1 "${logs[0]}"
	awk 'FNR > 1 && /^[0-9]/' "${logs[@]}" | sort -V -k1,1 -k2,2 -s
}

# The last line of a run is this and nothing else; fails if anything failed or
# nothing ran
summary() {
	local passed failed skipped
	touch "$RUN/results"
	passed=$(grep -c '^ok ' "$RUN/results" || true)
	failed=$(grep -c '^FAIL ' "$RUN/results" || true)
	skipped=$(grep -c '^skip ' "$RUN/results" || true)
	if [ "$failed" -gt 0 ]; then
		echo
		echo "failed:"
		sed -n 's/^FAIL /  /p' "$RUN/results"
	fi
	echo "results and logs: $RUN"
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
}

# timed LOG COMMAND...: run it with its output in LOG; TOOK is its seconds
timed() {
	local log=$1 started=${EPOCHREALTIME/./} status=0 us
	shift
	"$@" >"$log" 2>&1 </dev/null || status=$?
	us=$((${EPOCHREALTIME/./} - started))
	TOOK=$(printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10)))
	return $status
}

# Two at a time: slot waits until fewer than two background jobs run
slot() {
	while [ "$(jobs -rp | wc -l)" -ge "${IOB_JOBS:-2}" ]; do
		wait -n || true
	done
}

# Tools of others that run beside the command, and what they say of the same IO.
# shellcheck shell=bash

# begin NAME COMMAND...: run a tool until end_all
declare -A pid
begin() {
	stdbuf -oL "${@:2}" >"$SCRATCH/$1.out" 2>"$SCRATCH/$1.err" &
	pid[$1]=$!
}
# attached NAME: it has links or perf events open, or has ended
attached() {
	local i
	for ((i = 0; i < 400; i++)); do
		kill -0 "${pid[$1]}" 2>/dev/null || break
		! find "/proc/${pid[$1]}/fd" '(' -lname '*bpf_link*' -o -lname '*perf_event*' ')' 2>/dev/null | grep -q . || return 0
		sleep 0.1
	done
	echo "$1 does not attach here: $(grep -hvi warning "$SCRATCH/$1.err" "$SCRATCH/$1.out" | head -n 1)"
	fail "$1 does not attach"
}
all_attached() {
	local name
	for name in "${!pid[@]}"; do attached "$name"; done
	sleep 2
}

# end_all: by Ctrl-C, at which they print what they have
end_all() {
	local name i
	for name in "${!pid[@]}"; do
		kill -INT "${pid[$name]}"
		for ((i = 0; i < 100; i++)); do
			kill -0 "${pid[$name]}" 2>/dev/null || break
			sleep 0.1
		done
		! kill -KILL "${pid[$name]}" 2>/dev/null || echo "$name had to be killed"
	done
}

again() { "$I" replay "$SCRATCH/rec" "$@"; }
# same NAME OURS: what @NAME said, as standard input has it, and what we say
same() {
	local theirs
	theirs=$(cat)
	[ -n "$theirs" ] || fail "$1 says nothing: $(cat "$SCRATCH/$1.out" "$SCRATCH/$1.err")"
	[ "$theirs" = "$2" ] || fail "$1 has '$theirs', ioblame '$2'"
	echo "$1: the same: $(head -n 1 <<<"$2")$([ "$(wc -l <<<"$2")" = 1 ] || echo ", and so on")"
}

has() { [ -n "${pid[$1]:-}" ]; }
lines() { jq -r "select($1) | $2" "$out"; }

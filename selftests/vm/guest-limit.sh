# Say what runs when a case is about to reach its time limit.
#
# vm/guest-main sources this.  timeout ends all processes of a case at once, and nothing would tell
# which of them was waited for.  One process for the whole guest looks on, by the time since boot, as
# cases may set the clock.  It starts no process itself.
#
# Example: interface/pipe may take 100 s.  After 95 or so, its processes are in $OUT/running.
# shellcheck shell=bash

# "END FILE": the limit of the case that runs, in seconds since boot, and where its processes are listed
LIMIT_NOW=/tmp/limit
# so many seconds before the end, and how often it is looked
LIMIT_BEFORE=8 LIMIT_STEP=4

# seconds_up: since boot, in SECONDS_UP
seconds_up() {
	read -r SECONDS_UP _ </proc/uptime
	SECONDS_UP=${SECONDS_UP%.*}
}

# running: the programs that run, as an array PROGRAMS of process numbers, without the kernel's threads
running() {
	local proc
	PROGRAMS=()
	for proc in /proc/[0-9]*; do
		[ ! -e "$proc/exe" ] || PROGRAMS+=("${proc#/proc/}")
	done
}

# limit_begin SECONDS FILE: a case begins
limit_begin() {
	seconds_up
	# (a file that is just being written is looked at the next time)
	echo "$((SECONDS_UP + $1)) $2" >$LIMIT_NOW
}

# program_tell PID: its words, its parent, and where each of its threads waits in the kernel
program_tell() {
	local words name parent task line
	mapfile -d '' words 2>/dev/null <"/proc/$1/cmdline" || return 0
	while IFS=$'\t' read -r name line; do
		[ "$name" != PPid: ] || parent=$line
	done 2>/dev/null <"/proc/$1/status"
	echo "$1 (child of ${parent:-?}): ${words[*]}"
	for task in /proc/"$1"/task/*; do
		mapfile -t line 2>/dev/null <"$task/stack" || continue
		line=("${line[@]#*] }")
		echo "	${task##*/}: ${line[*]:0:8}"
	done
}

# limit_watch: for as long as the guest runs.  What ran before the first case is not listed.
limit_watch() {
	local end file said='' before pid
	running
	before=" ${PROGRAMS[*]} $BASHPID "
	exec {LIMIT_NEVER}<> <(:)
	while :; do
		read -rt $LIMIT_STEP <&"$LIMIT_NEVER"
		read -r end file 2>/dev/null <$LIMIT_NOW || continue
		seconds_up
		[[ $SECONDS_UP -ge $((end - LIMIT_BEFORE)) && $said != "$end $file" ]] || continue
		said="$end $file"
		running
		for pid in "${PROGRAMS[@]}"; do
			[[ $before == *" $pid "* ]] || program_tell "$pid"
		done >"$file" 2>/dev/null
	done
}

# bash completion for ioblame                              -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2207

_ioblame_disks() {
	local d
	for d in /sys/class/block/*; do printf '%s\n' "${d##*/}"; done
}

_ioblame_options() {
	local which='-D --device -p --pid -c --comm -g --cgroup --file --rw -d --duration --sync'
	local views="$which -T --timestamp --json --csv"
	case $1 in
	top) echo "$views --by -s --sort -r --rows -S --submitter -a --accumulate -b --batch" ;;
	snoop) echo "$views --stacks --errors --min-lat -r --rows" ;;
	report) echo "$views --by -s --sort -r --rows -S --submitter" ;;
	hist) echo "$views --by -s --sort -r --rows" ;;
	stacks) echo "$views -s --sort -r --rows --folded --svg --weight -o --output" ;;
	record) echo "$which -o --output" ;;
	config | status) echo "--json" ;;
	doctor) echo "--json --bundle --bundle= --anonymous" ;;
	esac
	echo "-h --help -V --version"
}

_ioblame() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command='' words=''
	local commands='top snoop report hist stacks record replay config status doctor help'
	local views='top snoop report hist stacks'

	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			# a command to run: what bash knows of commands and files
			COMPREPLY=($(compgen -A command -A file -- "$cur"))
			return
		fi
		if [[ " $commands " == *" ${COMP_WORDS[i]} "* && (-z $command || $command == replay) ]]; then
			command=${COMP_WORDS[i]}
		fi
	done
	case $prev in
	-D | --device) words=$(_ioblame_disks) ;;
	--by) words='process file device cgroup stack op why' ;;
	-s | --sort) words='bytes ios read written p99 time' ;;
	--weight) words='bytes ios time' ;;
	--rw) words='R A W D F RA RAW' ;;
	-p | --pid) words=$(ps -eo pid= 2>/dev/null) ;;
	-c | --comm) words=$(ps -eo comm= 2>/dev/null) ;;
	-o | --output | replay | --file) COMPREPLY=($(compgen -A file -- "$cur")) && return ;;
	-g | --cgroup) COMPREPLY=($(compgen -A directory -- "${cur:-/sys/fs/cgroup/}")) && return ;;
	hist) words='size wait_time io_time total_time age' ;;
	config) words='show set devices counters counter filter enable disable' ;;
	set) words='enable charge role max_roles max_intents max_causes max_acts ttl_secs nr_counters' ;;
	devices) words='add remove only clear' ;;
	add | remove | only) words=$(_ioblame_disks) ;;
	help) words=$commands ;;
	esac
	if [[ -z $words ]]; then
		if [[ $cur == -* ]]; then
			words=$(_ioblame_options "${command:-top}")
		elif [[ -z $command ]]; then
			words=$commands
		elif [[ $command == replay ]]; then
			words=$views
		fi
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _ioblame ioblame

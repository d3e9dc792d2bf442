# bash completion for ioblame                              -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Commands, options and their words come from `ioblame help --words`, so nothing is repeated
# here but where disks, pids and names are found. Names of programs, files and cgroups are
# anybody's: nothing here may expand them. (compgen -W does, as the shell does: $(...) would run.)

_ioblame_disks() {
	local d
	# a slash in a disk's name is a ! in its folder's
	for d in /sys/class/block/*; do
		d=${d##*/}
		printf '%s\n' "${d//!//}"
	done
}

# _ioblame_values KIND...: words are as they are; a single kind is looked up
_ioblame_values() {
	case $* in
	disk) _ioblame_disks ;;
	pid) ps -eo pid= 2>/dev/null | tr -d ' ' ;;
	comm) ps -eo comm= 2>/dev/null ;;
	user) cut -d: -f1 /etc/passwd 2>/dev/null ;;
	file) compgen -A file -- "$cur" ;;
	cgroup) compgen -A directory -- "${cur:-/sys/fs/cgroup/}" ;;
	*) printf '%s\n' "$@" ;;
	esac
}

# The options of a command that begin with what is typed, or the values of one of them: of the
# option WORD, if it has a value
_ioblame_option() { # COMMAND [WORD]
	local kind command long short value rest
	while read -r kind command long short value rest; do
		[[ $kind == option && $command == "$1" ]] || continue
		if [[ -z ${2:-} ]]; then
			printf '%s\n' "$long"
			[[ $value != maybe ]] || printf '%s\n' "$long="
			[[ $short == -- ]] || printf '%s\n' "$short"
		elif [[ ($2 == "$long" || $2 == "$short") && $value != none ]]; then
			# shellcheck disable=SC2086
			_ioblame_values $rest
			return
		fi
	done <<<"$_ioblame_table"
	[[ -n ${2:-} ]] || printf '%s\n' -h --help -V --version
}

# The commands, or those of one kind; or what may be typed without an option
_ioblame_commands() { # [view]
	local kind name what rest
	while read -r kind name what rest; do
		[[ $kind != command || ${1:-$what} != "$what" ]] || printf '%s\n' "$name"
	done <<<"$_ioblame_table"
}

_ioblame_arguments() { # COMMAND
	local kind command rest
	while read -r kind command rest; do
		[[ $kind != argument || $command != "$1" ]] || tr ' ' '\n' <<<"$rest"
	done <<<"$_ioblame_table"
}

# What may follow a word of `ioblame config`
_ioblame_config() { # WORD
	local kind word rest
	case $1 in
	add | remove | only) _ioblame_disks ;;
	esac
	while read -r kind word rest; do
		[[ $kind != config || $word != "$1" ]] || tr ' ' '\n' <<<"$rest"
	done <<<"$_ioblame_table"
}

# COMPREPLY: those of the lines that begin with what is typed, quoted for the command line
_ioblame_offer() { # LINES
	local line quoted
	COMPREPLY=()
	while IFS= read -r line; do
		printf -v quoted %q "$line"
		[[ -z $line || ($line != "$cur"* && $quoted != "$cur"*) ]] || COMPREPLY+=("$quoted")
	done <<<"$1"
}

_ioblame() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command='' words
	local _ioblame_table
	# what %q writes is wrong within quotes: there bash completes files by itself
	if [[ $cur == *[\'\"]* ]]; then
		COMPREPLY=()
		compopt -o default
		return
	fi
	_ioblame_table=$("${COMP_WORDS[0]}" help --words 2>/dev/null) || return

	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			# a command to run: what bash knows of commands and files
			_ioblame_offer "$(compgen -A command -A file -- "$cur")"
			return
		fi
		if [[ (-z $command || $command == replay) &&
			$'\n'$(_ioblame_commands)$'\nhelp\n' == *$'\n'"${COMP_WORDS[i]}"$'\n'* ]]; then
			command=${COMP_WORDS[i]}
		fi
	done
	# bash takes --by=x for three words
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $prev == -* ]]; then
		words=$(_ioblame_option "${command:-top}" "$prev")
		if [[ -n $words ]]; then
			_ioblame_offer "$words"
			return
		fi
	fi
	if [[ $cur == -* ]]; then
		words=$(_ioblame_option "${command:-top}")
	elif [[ -z $command || $prev == help ]]; then
		words=$(_ioblame_commands)$'\nhelp'
	elif [[ $command == replay && $prev == replay ]]; then
		words=$(compgen -A file -- "$cur")
	elif [[ $command == replay ]]; then
		words=$(_ioblame_commands view)
	elif [[ $command == config ]]; then
		words=$(_ioblame_config "$prev")
	elif [[ $prev == "$command" ]]; then
		words=$(_ioblame_arguments "$command")
	fi
	_ioblame_offer "$words"
}

complete -F _ioblame ioblame

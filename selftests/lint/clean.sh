# The files of a check; those in which it has found nothing are not checked again.
#
#	scripts_of SUFFIX SHELL		the files (\0) that end in SUFFIX or whose first line names SHELL
#	clean_check CHECK TEXT COMMAND...	run COMMAND FILE... on the files named on stdin (\0)
#
# CHECK names the folder of the cache. TEXT is what the result depends on besides the file's own
# text and the end of its name: the tool's version and its options. COMMAND may be an exported function, prints what it
# finds and fails then. It gets eight files at a time, and if it finds something in one of
# them, all eight are checked again the next time.
#
# The cache holds an empty file for each text in which nothing was found.
# shellcheck shell=bash

CLEAN_CACHE=${IOB_CACHE:-/var/cache/ioblame}/clean

# scripts_of SUFFIX SHELL: SHELL is a pattern of awk's for the end of a line
scripts_of() {
	# shellcheck disable=SC2016 # awk's
	# (one process for all: a head and a grep for each file take most of a minute)
	find . -name .git -prune -o -type f -print0 |
		LC_ALL=C xargs -0 awk -v "suffix=\\.$1\$" -v "line=^#!.*[/ ]($2)\$" '
			FILENAME ~ suffix || $0 ~ line { printf "%s%c", FILENAME, 0 }
			{ nextfile }'
}

# clean_some WORDS COMMAND... (FILE NAME)...: COMMAND has so many words; NAME is FILE's in the cache
# shellcheck disable=SC2317 # called by xargs
clean_some() {
	local command=("${@:2:$1}") files=() names=() name
	shift $((1 + $1))
	while [ $# -gt 0 ]; do
		files+=("$1") names+=("$2")
		shift 2
	done
	"${command[@]}" "${files[@]}" || return 1
	for name in "${names[@]}"; do : >"$name"; done
}

clean_check() {
	local folder=$CLEAN_CACHE/$1 text files file sum sums name new=()
	text=$(sha256sum <<<"$2")
	shift 2
	mkdir -p "$folder"
	# what was not asked for since two months
	find "$folder" -type f -mtime +60 -delete
	mapfile -d '' -t files
	[ ${#files[@]} -gt 0 ] || return 0
	sums=$(sha256sum -- "${files[@]}") || return 1
	while read -r sum file; do
		# (what is wrong can depend on the kind of file)
		name=$folder/${text:0:16}${sum:0:32}.${file##*[./]}
		# (a new time keeps it)
		if [ -e "$name" ]; then : >"$name"; else new+=("$file" "$name"); fi
	done <<<"$sums"
	[ ${#new[@]} -gt 0 ] || return 0
	export -f clean_some
	printf '%s\0' "${new[@]}" |
		xargs -0 -n 16 -P 2 bash -c 'clean_some "$@"' clean_some $# "$@"
}

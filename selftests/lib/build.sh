# Builds for one release, in its root with its compiler.
#
# IOB_CACHE/build keeps builds by a hash of their source, so that the same source is
# built once for each kernel. A warning of the compiler is a failure.
# shellcheck shell=bash

# tree_snapshot FOLDER: copy all files that git tracks or would add
tree_snapshot() {
	mkdir -p "$1"
	(
		cd "$IOB_TOP" || exit 1
		if git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1; then
			git -c safe.directory='*' ls-files -z --cached --others --exclude-standard
		else
			find . -name .git -prune -o -type f -print0
		fi | while IFS= read -r -d '' file; do
			# git lists deleted files, too, until that is committed
			[ ! -e "$file" ] || printf '%s\0' "$file"
		done | tar -c --null -T - --owner=0 --group=0
	) | tar -x -C "$1"
}

# content_key FOLDER PATH...: a hash of these files and folders of a tree
content_key() {
	local folder=$1
	shift
	(cd "$folder" && find "$@" -type f -print0 2>/dev/null | sort -z |
		xargs -0r sha256sum | sha256sum | cut -c1-16)
}

# building PLACE COMMAND...: run COMMAND with a new folder as its last argument, then
# rename the folder to PLACE. If two runs do so at a time, the first one's stays. The
# subshell's trap removes a folder that is not complete.
building() (
	# the trap needs the name before the folder exists
	place=$1 new=$1.$BASHPID
	shift
	trap 'rm -rf "$new"' EXIT
	trap 'exit 130' HUP INT TERM
	mkdir -p "$(dirname "$place")"
	rm -rf "$new"
	mkdir "$new" && "$@" "$new" || exit 1
	mv -T "$new" "$place" 2>/dev/null || true
)

# build_place SUITE TREE PREFIX PATH...: the folder for what is built of these paths
build_place() {
	local suite=$1 tree=$2 prefix=$3
	shift 3
	echo "$IOB_CACHE/build/$suite/$prefix$(cat "$(root_dir "$suite")/.ioblame-key")-$(root_kver "$suite")-$(
		content_key "$tree" "$@")"
}

# module_place SUITE TREE: the folder in which build_module keeps sources and objects
module_place() { build_place "$1" "$2" '' Kbuild Makefile dkms.conf src include; }

# keep_module SUITE TREE BIN: build the module in its place; if that fails, its log
# is BIN/module.log
keep_module() {
	local suite=$1 tree=$2 bin=$3 dir
	dir=$(module_place "$suite" "$tree")
	mkdir -p "$bin" "${dir%/*}"
	# what is there needs not wait for a build of other sources
	[ ! -s "$dir/ioblame.ko" ] || return 0
	# Two checks and a build may need it at a time: the first one builds it for all
	(
		flock 9
		[ -s "$dir/ioblame.ko" ] || building "$dir" make_module "$suite" "$tree" "$bin"
	) 9>"${dir%/*}/.module.lock"
}

# build_module SUITE TREE BIN: put ioblame.ko into BIN; the log is BIN/module.log
build_module() {
	local suite=$1 tree=$2 bin=$3 dir
	keep_module "$suite" "$tree" "$bin" || return 1
	dir=$(module_place "$suite" "$tree")
	cp "$dir/module.log" "$bin"
	if build_warned <"$dir/module.log"; then
		return 1
	fi
	# elsewhere no frame is saved, and no case lets memory fail
	if [ -z "$IOB_FOREIGN" ]; then
		"$IOB_SELFTESTS/lib/frames" "$dir/ioblame.ko" || return 1
		"$IOB_SELFTESTS/failure/sites" "$dir/ioblame.ko" >"$bin/ioblame.sites" || return 1
	fi
	strip_debug "$dir/ioblame.ko" "$bin/ioblame.ko"
}

make_module() {
	local suite=$1 tree=$2 bin=$3 new=$4
	(cd "$tree" && cp -r Kbuild Makefile dkms.conf src include "$new") || return 1
	# shellcheck disable=SC2046 # words
	build_in "$suite" "$new:/build" -- make -j2 -C /build KVER="$(root_kver "$suite")" W=1 $(cross_make) module \
		>"$new/module.log" 2>&1 || { mv "$new/module.log" "$bin"; return 1; }
}

# clang_words SUITE: what make needs where clang has compiled the kernel. The module's own Makefile
# finds that out by itself.
clang_words() {
	! grep -qx CONFIG_CC_IS_CLANG=y "$(root_dir "$1")/boot/config-$(root_kver "$1")" || echo LLVM=1
}

# Prints warnings, but for those that Debian's headers cause themselves
build_warned() {
	grep -E 'warning:|WARNING:' | grep -vE 'the compiler differs|Skipping BTF|pahole'
}

# build_programs SUITE TREE BIN: each selftests/**/prog/NAME.c becomes BIN/NAME
build_programs() {
	local suite=$1 tree=$2 bin=$3 dir
	dir=$(build_place "$suite" "$tree" prog- selftests include/linux)
	mkdir -p "$bin"
	[ -e "$dir/.done" ] || building "$dir" make_programs "$suite" "$tree" "$bin" || return 1
	cp -r "$dir/." "$bin"
}

make_programs() {
	local suite=$1 tree=$2 bin=$3 new=$4
	# shellcheck disable=SC2016
	build_in "$suite" "$tree:/tree" "$new:/out" -- bash -c "$(cross_shell)"'
		set -e
		cd /tree
		find selftests -path "*/prog/*.c" | while read -r file; do
			libs=$(sed -nE "s,.*iob-libs: *(.*[^ ]) *(\*/)?$,\1,p" "$file")
			${CC:-gcc} -O2 -g -Wall -Wextra -Werror -pthread -Iinclude \
				-o "/out/$(basename "$file" .c)" "$file" $libs
		done' >"$new/programs.log" 2>&1 || { mv "$new/programs.log" "$bin"; return 1; }
	touch "$new/.done"
}

# build_helper SUITE TREE BIN NAME FOLDER: put the module NAME.ko of a FOLDER of selftests into
# BIN; the log is BIN/NAME.log
build_helper() {
	local suite=$1 tree=$2 bin=$3 name=$4 folder=$5 dir
	dir=$(build_place "$suite" "$tree" "$name-" "selftests/$folder")
	mkdir -p "$bin"
	[ -e "$dir/$name.ko" ] || building "$dir" make_helper "$@" || return 1
	cp "$dir/$name.log" "$bin"
	if build_warned <"$dir/$name.log"; then
		return 1
	fi
	strip_debug "$dir/$name.ko" "$bin/$name.ko"
}

make_helper() {
	local suite=$1 tree=$2 bin=$3 name=$4 folder=$5 new=$6
	cp "$tree/selftests/$folder"/* "$new"
	# shellcheck disable=SC2046 # no word, or some
	build_in "$suite" "$new:/build" -- make -C "/lib/modules/$(root_kver "$suite")/build" \
		$(cross_make) $(clang_words "$suite") M=/build modules >"$new/$name.log" 2>&1 || { mv "$new/$name.log" "$bin"; return 1; }
}

# build_command SUITE TREE BIN: put the binaries of tools/ into BIN; the log is BIN/command.log.
# There is no ioblamed where its libraries lack: cases that need it are skipped
build_command() {
	local suite=$1 tree=$2 bin=$3 dir
	dir=$(build_place "$suite" "$tree" command- tools include/linux dkms.conf)
	mkdir -p "$bin"
	[ -e "$dir/ioblame" ] || building "$dir" make_command "$suite" "$tree" "$bin" || return 1
	cp "$dir/ioblame" "$dir/command.log" "$bin"
	[ ! -e "$dir/ioblamed" ] || cp "$dir/ioblamed" "$bin"
}

make_command() {
	local suite=$1 tree=$2 bin=$3 new=$4
	# shellcheck disable=SC2016
	build_in "$suite" "$tree:/tree" "$new:/out" -- sh -ec "$(cross_shell)"'
		for part in ioblame ioblamed; do
			make -s -j2 -C /tree/tools/$part O=/out EXTRA=-Werror \
				$([ $part = ioblame ] || echo LENIENT=1) all
		done' >"$new/command.log" 2>&1 || { mv "$new/command.log" "$bin"; return 1; }
	rm -f "$new"/*.o
}

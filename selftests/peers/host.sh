# What `make peers` does on the host: sources, builds, guests. RUN has this run's tree, module and
# programs, COMMIT is what the tree was copied from, STATE has the results of the suite at hand,
# SUITE names the root.
# shellcheck shell=bash

peer_fact() { "$IOB_SELFTESTS/peers/facts" "$1" "$2"; }

# tree_commit: the short hash; "-" if this tree is no checkout
tree_commit() {
	git -c safe.directory='*' -C "$IOB_TOP" rev-parse --short=9 HEAD 2>/dev/null || echo -
}

# upstream_of NAME
upstream_of() {
	case $1 in
	xfstests) echo https://git.kernel.org/pub/scm/fs/xfs/xfstests-dev.git ;;
	blktests) echo https://github.com/linux-blktests/blktests.git ;;
	ltp) echo https://github.com/linux-test-project/ltp.git ;;
	esac
}

# peer_source NAME: the folder of its sources, in RUN
peer_source() {
	local name=$1 given=${1^^} to=$RUN/source-$1
	given=${!given:-}
	mkdir -p "$to"
	if [ -d "$given" ]; then
		cp -a "$given/." "$to"
	elif [ -n "$given" ]; then
		tar -xf "$given" -C "$to" --strip-components=1 || die "${name^^}=$given is no archive"
	elif [ "$(upstream_of "$name")" ]; then
		say "cloning $name from $(upstream_of "$name")"
		git clone -q --depth 1 "$(upstream_of "$name")" "$to" >&2 ||
			die "$name cannot be cloned: give its sources by ${name^^}=FOLDER or ${name^^}=ARCHIVE"
	fi
	rm -rf "$to/.git"
	echo "$to"
}

# peer_built NAME: the folder with the built suite; one that needs no build has an empty one
peer_built() {
	local name=$1 source place log
	[ "$name" ] || { mkdir -p "$RUN/nothing" && echo "$RUN/nothing"; return; }
	source=$(peer_source "$name")
	place=$IOB_CACHE/build/$SUITE/$name-$({
		cat "$(root_dir "$SUITE")/.ioblame-key"
		content_key "$source" .
		sed '/^[[:space:]]*#/d' "$IOB_SELFTESTS"/peers/{build,syscalls}
	} | sha256sum | cut -c1-16)
	log=$IOB_CACHE/log/peers-$name
	if [ ! -d "$place" ]; then
		say "building $name (log: $log)"
		building "$place" make_peer "$name" "$source" >"$log" 2>&1 ||
			die "$name does not build; see $log"
	fi
	rm -rf "$source"
	echo "$place"
}

make_peer() {
	local name=$1 source=$2 new=$3
	in_root "$SUITE" "$source:/src" "$new:/peers/$name" "$RUN/tree:/tree" -- env \
		MIRROR="deb-src $("$IOB_SELFTESTS/vm/mirror") $BASE main" \
		bash /tree/selftests/peers/build "$name"
}

# without_key NAME BUILT: what results without ioblame depend on: the built suite, how tests are run
without_key() {
	{
		basename "$2"
		root_kver "$SUITE"
		cat "$(root_dir "$SUITE")/.ioblame-key" "$IOB_SELFTESTS"/peers/{guest,guest.py} \
			"$IOB_SELFTESTS"/vm/dmesg-{bad,allowed,races}
		echo "${PEERS_LIMIT:-300}"
		peer_fact "$1" source
	} | sha256sum | cut -c1-12
}

# with_key WITHOUT_KEY: those with ioblame depend on the module, too
with_key() {
	{
		echo "$1"
		cat "$IOB_SELFTESTS/peers/watched.py"
		content_key "$RUN/tree" Kbuild src include
	} | sha256sum | cut -c1-12
}

# peer_state NAME KERNEL BUILT: set STATE to the folder of the results, and lock them. A new module
# finds those without ioblame as they are
peer_state() {
	local name=$1 kernel=$2 built=$3 key without way
	key=$(without_key "$name" "$built")
	without=$IOB_CACHE/peers/$kernel/$name-without-$key
	STATE=$IOB_CACHE/peers/$kernel/$name-$(with_key "$key")
	mkdir -p "$without"
	exec {STATE_LOCK}<>"$without/lock"
	flock -n "$STATE_LOCK" || die "another run is at $name"
	[ -z "${PEERS_FRESH:-}" ] || rm -rf --one-file-system "$STATE" "$without/out"
	mkdir -p "$without/out" "$STATE/with/out"
	ln -sfn "$without" "$STATE/without"
	# a run that was interrupted in a round leaves them
	rm -f "$STATE"/{without,with}/out/wanted
	for way in without with; do
		"$IOB_SELFTESTS/peers/table" --later "$name" "$kernel" >"$STATE/$way/out/later"
	done
}

# results_of JOB: how many there are
results_of() { grep -c . "$1/out/results" 2>/dev/null || true; }

# tests_done FOLDER: the tests that have a result of the first round
tests_done() { sed -nE 's/^\{"test": "([^"]*)", "round": 0,.*/\1/p' "$1/out/results" 2>/dev/null || true; }

# tests_ahead: whether some have a result without ioblame, and none with it
tests_ahead() {
	[ "$(comm -23 <(tests_done "$STATE/without" | sort) <(tests_done "$STATE/with" | sort))" ]
}

# peer_way NAME WAY ROUND BUILT: guests until all tests of that round are done, or the time is up
peer_way() {
	local name=$1 way=$2 round=$3 built=$4 job=$STATE/$2 end before idle=0
	end=$((SECONDS + ${PEERS_SECONDS:-1000000}))
	rm -f "$job/out/complete"
	while [ ! -e "$job/out/complete" ] && [ $SECONDS -lt $end ] && [ $idle -lt 2 ]; do
		before=$(results_of "$job")
		peer_boot "$name" "$way" "$round" "$built" $((end - SECONDS))
		say "$name $way ioblame: $(results_of "$job") results"
		# a guest that does nothing, twice, will not do better
		[ "$before" != "$(results_of "$job")" ] && idle=0 || idle=$((idle + 1))
	done
	[ $idle -lt 2 ] || say "$name $way ioblame: guests end without a result; see $job/log"
}

# peer_boot NAME WAY ROUND BUILT SECONDS: one guest
peer_boot() {
	local name=$1 way=$2 round=$3 built=$4 seconds=$5 job=$STATE/$2 share=$RUN/share
	local pid needs specs disks
	needs=$(peer_fact "$name" needs)
	read -ra specs <<<"$(peer_fact "$name" disks)"
	rm -rf --one-file-system "${job:?}"/{disks,bin,done,console.log,now}
	rm -rf --one-file-system "$share"
	mkdir -p "$job/disks" "$share"
	cp -r "$RUN/bin" "$job/bin"
	[ ! "$needs" ] || { rm -rf "$share" && mkdir "$share" && cp -al "$built" "$share/$needs"; }
	disks_make "$BASE" "$job/disks" "${specs[@]}"
	mapfile -t disks < <(printf '%s\n' "${specs[@]}" | sed 's/[:=].*//')
	{
		vm_env "$BASE" "${disks[@]}"
		printf 'export PEERS_%s=%q\n' ROUND "$round" LIMIT "${PEERS_LIMIT:-300}" \
			SECONDS "$seconds" TESTS "${PEERS_TESTS:-*}" COMMIT "$COMMIT"
	} >"$job/env"
	cat >"$job/start" <<-END
		. /tree/selftests/vm/guest-setup.sh
		guest_setup || guest_off 1
		export OUT=/job/out
		bash /tree/selftests/peers/guest $name $way </dev/null >>/job/log 2>&1
		guest_off \$?
	END
	echo "300 boot" >"$job/now"
	IOB_MEM=2G IOB_QEMU=$(vm_share peers "$share" ,readonly=on | xargs) \
		vm_run "$SUITE" "$job" "$RUN/tree" 100000 >"$job/qemu.log" 2>&1 &
	pid=$!
	peer_watch "$job" $pid
	wait $pid || true
	peer_death "$job" "$round"
	rm -rf --one-file-system "$job/disks"
}

# peer_watch JOB PID: kill a guest whose test overruns even the guest's own limit
peer_watch() {
	local job=$1 pid=$2 limit age
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		limit=$(cut -d' ' -f1 "$job/now")
		age=$(($(date +%s) - $(stat -c %Y "$job/now")))
		[ "$age" -le $((limit * 2 + 240)) ] || vm_kill "$job"
	done
}

# peer_death JOB ROUND: the test in which a guest died has failed
peer_death() {
	local job=$1 round=$2 name why="the guest hung"
	[ "$(cat "$job/done" 2>/dev/null)" != 0 ] || return 0
	name=$(cut -d' ' -f2- "$job/now")
	! grep -qa 'Kernel panic' "$job/console.log" || why="the kernel panicked"
	cp "$job/console.log" "$job/out/died-${name//[\/ ]/-}.$round" 2>/dev/null || true
	case $name in
	boot) say "a guest died before its first test: $job/console.log, $job/log" ;;
	"the end")
		echo "{\"left\": [\"$why at the end\"], \"reader\": 0, \"lost\": 0, \"records\": 0," \
			"\"log_is_status\": true, \"losses\": {}, \"log\": []}" >>"$job/out/ends"
		;;
	*)
		echo "{\"test\": \"$name\", \"round\": $round, \"status\": \"fail\"," \
			"\"reason\": \"$why\", \"digest\": \"\", \"seconds\": 0, \"log\": [\"$why\"]," \
			"\"commit\": \"$COMMIT\"}" >>"$job/out/results"
		;;
	esac
}

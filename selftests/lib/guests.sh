# One guest of a run: its job folder, its life, its cases' results.
# shellcheck shell=bash

# guest_job SUITE KERNEL GUEST CASE...: make the job folder, run the guest and report
# the results it left. TREE is the snapshot under test.
guest_job() {
	local suite=$1 kernel=$2 guest=$3 job=$RUN/$2/$3 started=$SECONDS status=0 name shown
	shift 3
	shown=${IOB_WITHIN:+$IOB_ARCH-}$kernel
	if run_is_late; then
		for name in "$@"; do result skip "$kernel" "$name" 0 "$LATE"; done
		return
	fi
	mkdir -p "$job"/{out,disks,bin}
	rm -f "$job/results" "$job/late" "$job"/console.[0-9].log
	cp -r "$RUN/$kernel/bin/." "$job/bin"
	guest_describe "$suite" "$kernel" "$job" "$@" || status=$?
	guest_prepared "$job" "$@"
	if [ $status = 0 ]; then
		say "guest $shown/$guest: $# cases (console: $job/console.log)"
		guest_live "$suite" "$job" || status=$?
	fi
	guest_results "$kernel" "$job" "$status" "$@"
	guest_console "$kernel" "$guest" "$job"
	say "guest $shown/$guest: off after $((SECONDS - started)) s"
	# images are large: keep them only for a failure
	grep -q "^FAIL $shown " "$RESULTS" 2>/dev/null || rm -rf "$job/disks"
}

# guests_lost: cases without a result, of a job that has ended early, for want of room on the disk, say
guests_lost() {
	local pair kernel shown name
	for pair in "${READY[@]}"; do
		kernel=${pair#*:}
		shown=${IOB_WITHIN:+$IOB_ARCH-}$kernel
		[ ! -e "$RUN/$kernel/bin/broken" ] || continue
		for name in $(cases_of "$TREE" "$CASE"); do
			case_fits "$TREE/selftests/cases/$name" "$kernel" || continue
			grep -qF " $shown $name " "$RESULTS" ||
				result FAIL "$kernel" "$name" - "no result: what runs its guest has ended early"
		done
	done
}

# A run on a slow machine may have a limit: IOB_DEADLINE, in seconds. No case begins after it.
LATE='no time left in this run; run it by itself'

run_is_late() { [ -n "${IOB_DEADLINE:-}" ] && [ "$SECONDS" -ge "$IOB_DEADLINE" ]; }

# Disks, memory module, environment and the list of cases
guest_describe() {
	local suite=$1 kernel=$2 job=$3 name specs names=() spec limit
	shift 3
	specs=$(for name in "$@"; do case_tag "$TREE/selftests/cases/$name" disks; done |
		tr ' ' '\n' | sed '/^$/d' | sort -u)
	for spec in $specs; do names+=("$(disk_name "$spec")"); done
	if [ "$(printf '%s\n' "${names[@]}" | sort | uniq -d)" ]; then
		echo "one disk name, two sizes: $specs" >"$job/console.log"
		return 1
	fi
	vm_env "$suite" "${names[@]}" >"$job/env"
	for name in "$@"; do case_tag "$TREE/selftests/cases/$name" memory; done |
		sed '/^$/d' | sort -u >"$job/memory"
	[ "$(wc -l <"$job/memory")" -le 1 ] || {
		echo "two sizes of a memory module: $(xargs <"$job/memory")" >"$job/console.log"
		return 1
	}
	case ${job##*/} in
	systemd) echo 'exec bash /tree/selftests/vm/guest-systemd' ;;
	*) echo 'exec bash /tree/selftests/vm/guest-main' ;;
	esac >"$job/start"
	for name in "$@"; do
		limit=$(case_tag "$TREE/selftests/cases/$name" timeout 120)
		# make soak-cycles
		[ -z "${IOB_CYCLES:-}" ] || limit=$(($(cycles_secs) + 600))
		echo "$name $((limit * $(slowness "$suite"))) $(case_tag "$TREE/selftests/cases/$name" finds)"
	done >"$job/cases"
	if [ -n "${LOCKDOWN:-}" ]; then
		efi_make "$suite" "$job" "$(efi_key)/mok.pub" >"$job/console.log" 2>&1 || return 1
	fi
	# shellcheck disable=SC2086
	(disks_make "$suite" "$job/disks" $specs) >"$job/console.log" 2>&1
}

# The most seconds for the loads of make soak-cycles
cycles_secs() {
	if [ -n "${IOB_CYCLES:-}" ]; then echo "${IOB_CYCLES_SECS:-86400}"; else echo 0; fi
}

# guest_prepare SUITE KERNEL: run the NAME.chroot of each case that has one, in the
# release's root: OUT is its folder, /built the module with its objects, MAKE_WORDS what make needs
# for another compiler than gcc. If it fails, the case fails.
guest_prepare() {
	local suite=$1 kernel=$2 name out
	for name in $(cases_of "$TREE" "$CASE"); do
		[ -e "$TREE/selftests/cases/$name.chroot" ] || continue
		case_fits "$TREE/selftests/cases/$name" "$kernel" || continue
		out=$RUN/$kernel/$(case_tag "$TREE/selftests/cases/$name" guest main)/out/$name
		mkdir -p "$out"
		in_root "$suite" "$TREE:/tree" "$out:/out" "$(module_place "$suite" "$TREE"):/built" -- \
			env OUT=/out KVER="$(root_kver "$suite")" MAKE_WORDS="$(clang_words "$suite")" \
			bash "/tree/selftests/cases/$name.chroot" >"$out/chroot.log" 2>&1 </dev/null ||
			echo chroot >"$out/failed"
		[ -z "${LOCKDOWN:-}" ] || sign_all "$suite" "$out" || echo sign >"$out/failed"
		: >"$out/prepared"
	done
}

# guest_prepared JOB CASE...: wait for guest_prepare(). If its process, PREPARING, died,
# the case fails.
guest_prepared() {
	local job=$1 name
	shift
	for name in "$@"; do
		[ -e "$TREE/selftests/cases/$name.chroot" ] || continue
		while kill -0 "$PREPARING" 2>/dev/null && [ ! -e "$job/out/$name/prepared" ]; do
			sleep 1
		done
		[ ! -e "$job/out/$name/prepared" ] || continue
		mkdir -p "$job/out/$name"
		echo prepare >"$job/out/$name/failed"
	done
}

# Let the guest run. On a busy host a kernel may take the speed of its counter wrongly as it boots. The
# guest then says so in JOB/clock, and has run no case: it is started again.
guest_live() {
	local suite=$1 job=$2 starts status=0
	for starts in 1 2 3; do
		rm -f "$job/clock" "$job/done"
		status=0
		guest_start "$suite" "$job" || status=$?
		[ -e "$job/clock" ] || break
		say "guest $(basename "$job"): $(cat "$job/clock"), start $starts of 3 (console: $job/console.log)"
		cp "$job/console.log" "$job/console.$starts.log" 2>/dev/null || true
	done
	return $status
}

# Start the guest; tell it when the run's time is over; kill it when a case has overrun its timeout by two minutes
guest_start() {
	local suite=$1 job=$2 pid limit what age status=0 slow never looks=0
	slow=$(slowness "$suite")
	echo "$((180 * slow)) boot" >"$job/now"
	vm_run "$suite${TOOLS:-}" "$job" "$TREE" $(((7200 + $(cycles_secs)) * slow)) >"$job/qemu.log" 2>&1 &
	pid=$!
	# no process ever writes to this pipe: a second goes by without one, as a run has three guests
	exec {never}<> <(:)
	while kill -0 $pid 2>/dev/null; do
		read -rt 1 <&"$never" || true
		# the guest looks for it before each case
		! run_is_late || [ -e "$job/late" ] || echo "$LATE" >"$job/late"
		((++looks % 10 == 0)) || continue
		read -r limit what <"$job/now" || true
		age=$((EPOCHSECONDS - $(stat -c %Y "$job/now")))
		if [ "$age" -gt $((${limit:-0} + 120)) ]; then
			echo "overrun: $what" >>"$job/qemu.log"
			vm_kill "$job"
		fi
	done
	exec {never}<&-
	wait $pid || status=$?
	return $status
}

# guest_results KERNEL JOB STATUS CASE...
guest_results() {
	local kernel=$1 job=$2 status=$3 name line verdict seconds reason log
	shift 3
	touch "$job/results"
	for name in "$@"; do
		log=$job/out/$name/log
		line=$(grep -F " $name " "$job/results" | head -n 1 || true)
		if [ -z "$line" ]; then
			guest_death "$kernel" "$name" "$job" "$status"
			continue
		fi
		read -r verdict _ seconds reason <<<"$line"
		if [ -e "$job/out/$name/failed" ]; then
			result FAIL "$kernel" "$name" "$seconds" "in the release's root" \
				"$job/out/$name/chroot.log"
		elif [ "$verdict" = ok ] && ! guest_hostpart "$job" "$name"; then
			result FAIL "$kernel" "$name" "$seconds" "on the host" \
				"$job/out/$name/host.log"
		else
			result "$verdict" "$kernel" "$name" "$seconds" "$reason" "$log"
		fi
	done
}

# guest_death KERNEL CASE JOB STATUS: report a case without a result, with the reason
# and the kernel's last complaints
guest_death() {
	local kernel=$1 name=$2 job=$3 how="qemu: $4" now
	now=$(cut -d' ' -f2- "$job/now" 2>/dev/null || true)
	if [ -e "$job/clock" ]; then
		how=$(cat "$job/clock")
	elif grep -q '^overrun: ' "$job/qemu.log" 2>/dev/null; then
		how="no response"
	elif grep -qa 'Kernel panic' "$job/console.log"; then
		how="its kernel panicked"
	fi
	if [ "$now" = "$name" ] || [ "${now:-boot}" = boot ]; then
		{
			# only since the last case began
			tac "$job/console.log" | sed '/iobtest: begin/q' | tac |
				"$IOB_SELFTESTS/vm/dmesg-bad" | head -n 12 || true
			tail -n 3 "$job/qemu.log" 2>/dev/null || true
			echo "console: $job/console.log"
		} >"$job/death"
		result FAIL "$kernel" "$name" - "the guest died in ${now:-its preparation} ($how)" "$job/death"
	else
		result FAIL "$kernel" "$name" - \
			"not run: the guest died in $now ($how; $job/console.log)"
	fi
}

guest_hostpart() {
	local job=$1 name=$2 image variables=()
	[ -e "$TREE/selftests/cases/$name.host" ] || return 0
	for image in "$job"/disks/*.img; do
		[ ! -e "$image" ] || variables+=("IMG_$(basename "$image" .img)=$image")
	done
	env OUT="$job/out/$name" "${variables[@]}" timeout 600 \
		"$TREE/selftests/cases/$name.host" >"$job/out/$name/host.log" 2>&1 </dev/null
}

# What the kernel printed outside of any case: while booting or shutting down
guest_console() {
	local kernel=$1 guest=$2 job=$3 bad
	if [ ! -s "$job/done" ]; then
		# where it died in a case, that case has failed
		[ "$(wc -l <"$job/results")" -lt "$(wc -l <"$job/cases")" ] ||
			result FAIL "$kernel" "console/$guest" 0 \
				"the guest died in $(cut -d' ' -f2- "$job/now") after its last case" "$job/console.log"
		return 0
	fi
	if bad=$(sed '/iobtest: begin /,/iobtest: end /d' "$job/console.log" |
		"$IOB_SELFTESTS/vm/dmesg-bad"); then
		result ok "$kernel" "console/$guest" 0
	else
		printf '%s\n' "$bad" >"$job/console.bad"
		result FAIL "$kernel" "console/$guest" 0 "the kernel complains" "$job/console.bad"
	fi
}

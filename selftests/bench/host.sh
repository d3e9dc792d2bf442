# What the bench and its profiler share on the host: a root with the bench's own
# tools, a job, and a guest whose clock counts instructions.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
for part in roots tools build; do
	. "$IOB_SELFTESTS/lib/$part.sh"
done
. "$IOB_SELFTESTS/vm/disks.sh"
. "$IOB_SELFTESTS/vm/qemu.sh"

# One CPU, one nanosecond of its clock an instruction; it never sleeps, so what
# waits for a timer jumps there
# A string instruction counts once for each element: a processor that moves
# bytes would make a page cost 4096 to copy, and all that is added look small.
# Without these two features kernels move words, 512 a page.
BENCH_CPU=max,erms=off,fsrm=off
# arm64's counter: a tick each ns, not each 16th
if [ -n "$IOB_FOREIGN" ]; then BENCH_CPU=$VM_CPU_ARM64,cntfrq=1000000000; fi
BENCH_COUNTING='-icount shift=0,align=off,sleep=off'
# The page cache has a zone of its own, which can be put in order (settle() in
# prog/benchwork.c): for ./guest
BENCH_MOVABLE=movablecore=2G

# bench_suites KERNEL...: the suites of these kernels, SUITE a line
bench_suites() {
	local kernel
	for kernel; do
		suite_of_kernel "$kernel" || die "no kernel '$kernel' (have: $(kernels_known))"
	done
}

# bench_root SUITE: the name of the root in which the bench's tools are. arm64 has none.
bench_root() { [ -n "$IOB_FOREIGN" ] && echo "$1" || echo "$1.bench"; }

# bench_name SUITE: how its figures are called: 6.12, 6.12-arm64
bench_name() { echo "$(root_kernel "$1")${IOB_FOREIGN:+-$IOB_ARCH}"; }

# bench_needs SUITE: what it runs on
bench_needs() {
	host_needs "$(vm_qemu)" cpio=cpio git=git python3=python3
	if [ -z "$IOB_FOREIGN" ]; then
		tools_root "$1"
		return
	fi
	foreign_needs
	"$IOB_SELFTESTS/vm/make-root" "$1"
	exec {lock}<>"$(root_lock "$1")"
	flock -s "$lock"
	cross_root "$1"
}

# bench_job FOLDER SUITE NAME=VALUE...: a fresh job with the module and the
# programs in it; the pairs are the guest's environment. BENCH_GUEST is the script
# that the guest runs.
bench_job() {
	local job=$1 suite=$2 kernel
	shift 2
	kernel=$(root_kernel "$suite")
	rm -rf --one-file-system "$job"
	mkdir -p "$job"/{bin,out,disks}
	tree_snapshot "$job/tree"
	build_module "$suite" "$job/tree" "$job/bin" ||
		die "the module does not build for $kernel: see $job/bin/module.log"
	build_programs "$suite" "$job/tree" "$job/bin" ||
		die "the programs do not build for $kernel: see $job/bin/programs.log"
	[ -n "$IOB_FOREIGN" ] || bench_modules "$suite" "$job" ||
		die "the bench's modules do not build for $kernel: see $job/bin/modules.log"
	{
		vm_env "$suite"
		[ $# -eq 0 ] || printf 'export %q\n' "$@"
	} >"$job/env"
	cat >"$job/start" <<-END
		. /tree/selftests/vm/guest-setup.sh
		guest_setup || guest_off 1
		export OUT=/job/out
		bash /tree/selftests/bench/${BENCH_GUEST:-guest} </dev/null >/job/log 2>&1
		guest_off \$?
	END
}

# The bench's own modules
bench_modules() {
	local suite=$1 job=$2
	cp -r "$job/tree/selftests/bench/modules" "$job/modules"
	in_root "$suite" "$job/modules:/build" -- make \
		-C "/lib/modules/$(root_kver "$suite")/build" M=/build modules \
		>"$job/bin/modules.log" 2>&1 || return 1
	cp "$job/modules"/*.ko "$job/bin"
}

# bench_plugin JOB NAME: a plugin of QEMU's, as JOB/NAME.so
bench_plugin() {
	host_needs gcc=gcc /usr/include/stdio.h=libc6-dev
	gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o "$1/$2.so" "$1/tree/selftests/bench/$2.c"
}

# While a guest waits for its host its clock runs on, for hours on a busy one: no task hangs
BENCH_PATIENT=sysctl.kernel.hung_task_timeout_secs=0

# bench_guest SUITE JOB [WORD...]: boot it, the words being QEMU's, and see that
# all went well. How many CPUs there are, and how they are emulated, is
# IOB_SMP's and IOB_ACCEL's to say.
bench_guest() {
	local suite=$1 job=$2 bad status=0
	shift 2
	IOB_SMP=${IOB_SMP:-1} IOB_ACCEL=${IOB_ACCEL:-tcg,thread=single} IOB_SLUB_DEBUG='' IOB_CPU=$BENCH_CPU \
		IOB_MEM=${BENCH_MEM:-5G} IOB_QEMU="$*" \
		IOB_CMDLINE="nokaslr nowatchdog nosoftlockup $BENCH_PATIENT ${BENCH_CMDLINE:-}" \
		vm_run "$(bench_root "$suite")" "$job" "$job/tree" "${BENCH_LIMIT:-7200}" >"$job/qemu.log" 2>&1 || status=$?
	if [ ! -s "$job/done" ]; then
		tail -n 20 "$job/console.log" "$job/qemu.log" >&2 2>/dev/null || true
		say "the guest did not end by itself (status $status): see $job/console.log"
		return 1
	fi
	if [ "$(cat "$job/done")" != 0 ]; then
		tail -n 20 "$job/log" >&2
		say "the guest failed: see $job/log and $job/console.log"
		return 1
	fi
	if ! bad=$("$IOB_SELFTESTS/vm/dmesg-bad" <"$job/console.log"); then
		printf '%s\n' "$bad" >&2
		say "the guest's kernel complains: see $job/console.log"
		return 1
	fi
}

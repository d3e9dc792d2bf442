# Start one guest and wait until it ends.
#
# A guest is a job folder: it runs `start`, its disks are `disks/NAME.img`, and
# `console.log` is its kernel's log. Kernel and root are Debian's. KVM is used where it
# works, and never needed.
# shellcheck shell=bash

# vm_accel SUITE: kvm if a kernel really runs under it, else tcg. On some hosts /dev/kvm
# opens, but the guest never runs. So this starts a kernel without a root and waits for its
# panic, once per boot of the host.
# TCG has one thread for both CPUs: kernels patch their running code, and two threads do not
# always see that. They may execute an int3 again that is no longer in memory, which kills the
# guest or loops for ever, with our module or without (seen from 6.1 on).
vm_accel() {
	local root answer said
	root=$(root_dir "$1")
	answer=$IOB_CACHE/accelerator-$(cat /proc/sys/kernel/random/boot_id)
	if [ -n "${IOB_ACCEL:-}" ]; then
		echo "$IOB_ACCEL"
		return
	elif [ -n "$IOB_FOREIGN" ]; then
		echo tcg,thread=single
		return
	elif [[ $(flavour_of "$1") =~ debug|kcsan && $(vm_accel "$(suite_base "$1")") != kvm ]]; then
		# KCSAN finds no race of two CPUs that never run at once, and the others are slow
		echo tcg,thread=multi
		return
	elif [ ! -s "$answer" ]; then
		echo tcg,thread=single >"$answer.$$"
		if [ -w /dev/kvm ]; then
			said=$(timeout 20 qemu-system-x86_64 -accel kvm -machine q35 -cpu max -m 256M \
				-nodefaults -no-user-config -display none -no-reboot -serial stdio \
				-kernel "$root/boot/vmlinuz-$(root_kver "$1")" \
				-append "console=ttyS0 panic=-1" </dev/null 2>/dev/null || true)
			[[ $said != *"Kernel panic"* ]] || echo kvm >"$answer.$$"
		fi
		mv "$answer.$$" "$answer"
	fi
	cat "$answer"
}

# oops=panic, panic=-1 and -no-reboot: an oops ends the guest at once. slab_nomerge and
# slub_debug: our slab caches have red zones and poison (not in the bench). The stall limits
# fit two loaded cores without KVM.
# norandmaps: QEMU finds translated code again only at the same address. A library at a new
# address costs three times as much as starting a program does otherwise.
# memhp_default_state: newer kernels of Debian's else use a memory module at once.
# tsc=reliable: it is with one thread for all CPUs. Some kernels else use the HPET, of which
# each read is an exit.
vm_cmdline() { # SUITE
	local stall=120
	[ -z "$(flavour_of "$1")" ] || stall=300
	echo "console=$([ -n "$IOB_FOREIGN" ] && echo ttyAMA0 || echo ttyS0) panic=-1 oops=panic ignore_loglevel log_buf_len=16M" \
		"printk.devkmsg=on slab_nomerge ${IOB_SLUB_DEBUG-slub_debug=FZP,iob_*}" \
		"rcupdate.rcu_cpu_stall_timeout=$stall nmi_watchdog=0 no_timer_check" \
		"mitigations=off norandmaps memhp_default_state=offline tsc=reliable random.trust_cpu=on net.ifnames=0" \
		"$(vm_words "$(flavour_of "$1")") ${IOB_CMDLINE:-}"
}

# vm_words FLAVOUR: kernels that look for mistakes tell of each, not only of the first. KCSAN
# looks at more accesses than by default, and for longer: emulated CPUs are slow.
vm_words() {
	case $1 in
	debug) echo "kasan_multi_shot page_poison=1" ;;
	kcsan) echo "kcsan.skip_watch=1000 kcsan.udelay_task=200 kcsan.udelay_interrupt=50" ;;
	esac
}

# vm_memory SUITE: what KASAN and its like keep is a multiple of what a guest needs else
vm_memory() {
	[ "$(flavour_of "$1")" ] && echo 4G || echo 1G
}

# vm_memory_args SUITE JOB: how much memory, and the module beside it that JOB/memory asks for
vm_memory_args() {
	local memory=${IOB_MEM:-$(vm_memory "$1")}
	if [ ! -s "$2/memory" ]; then
		printf '%s\n' -m "$memory"
		return
	fi
	printf '%s\n' -m "$memory,slots=1,maxmem=64G" \
		-object "memory-backend-ram,id=module,size=$(cat "$2/memory")" \
		-device pc-dimm,id=dimm0,memdev=module
}

# vm_boot_args SUITE JOB: what boots. QEMU itself loads the kernel, or firmware does (vm/efi.sh).
vm_boot_args() {
	if [ -e "$2/esp.img" ]; then
		efi_boot_args "$2"
		return
	fi
	printf '%s\n' -machine "$([ -n "$IOB_FOREIGN" ] && echo virt || echo q35)" -kernel "$(root_dir "$1")/boot/vmlinuz-$(root_kver "$1")" \
		-initrd "$("$IOB_SELFTESTS/vm/make-initramfs" "$1")" -append "$(vm_cmdline "$1")"
}

# vm_disk_args JOB: the -drive and -device words of its disks. The guest finds a disk by
# its serial number. nvme* is an NVMe disk, nvmp* a namespace of two NVMe controllers, port* an NVMe
# disk in a slot of its own, whose power the guest can cut, scsi* a virtio-scsi disk, and all others
# are virtio-blk.
vm_disk_args() {
	local image name scsi=no slots=0
	for image in "$1"/disks/*.img; do
		[ -e "$image" ] || continue
		name=$(basename "$image" .img)
		printf '%s\n' -drive "file=$image,format=raw,if=none,id=$name,cache=unsafe,aio=threads,discard=unmap"
		case $name in
		nvmp*)	# a namespace of two controllers
			printf '%s\n' -device "nvme-subsys,id=$name-both" \
				-device "nvme,subsys=$name-both,serial=iob-$name" \
				-device "nvme,subsys=$name-both,serial=iob-$name,id=$name-other" \
				-device "nvme-ns,bus=$name-other,drive=$name,shared=on"
			;;
		nvme*) printf '%s\n' -device "nvme,drive=$name,serial=iob-$name" ;;
		port*)	# the kernel, not ACPI, sees to the slot
			slots=$((slots + 1))
			[ -n "$IOB_FOREIGN" ] ||
				printf '%s\n' -global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off
			printf '%s\n' -device "pcie-root-port,id=$name-slot,chassis=1,slot=$slots" \
				-device "nvme,bus=$name-slot,drive=$name,serial=iob-$name"
			;;
		scsi*)
			[ $scsi = yes ] || printf '%s\n' -device virtio-scsi-pci,id=scsi0
			scsi=yes
			printf '%s\n' -device "scsi-hd,bus=scsi0.0,drive=$name,serial=iob-$name"
			;;
		*) printf '%s\n' -device "virtio-blk-pci,drive=$name,serial=iob-$name" ;;
		esac
	done
}

# vm_env SUITE DISK...: what a guest is told, as lines for JOB/env. To it the kernel's name is
# that of its release: 6.12, not debug-6.12.
vm_env() {
	local suite=$1 kernel
	kernel=$(root_kernel "$suite")
	shift
	printf 'IOB_DISKS="%s"\nIOB_KERNEL=%s\nIOB_SLOWNESS=%s\n' "$*" "${kernel##*-}" \
		"$(slowness "$suite")"
	[ -z "${IOB_MOUNTED:-}" ] || echo 'IOB_MOUNTED=yes'
	[ -z "${IOB_PARAMETERS:-}" ] || printf 'IOB_PARAMETERS=%q\n' "$IOB_PARAMETERS"
	[ -z "${IOB_PLACES:-}" ] || echo "IOB_PLACES=$IOB_PLACES"
	[ -z "${IOB_CYCLES:-}" ] ||
		printf 'IOB_CYCLES=%s\nIOB_CYCLES_SECS=%s\n' "$IOB_CYCLES" "${IOB_CYCLES_SECS:-86400}"
}

# Without these features a guest does a quarter less work under TCG: the kernel else copies
# byte by byte (erms, fsrm), has one more level of page tables (la57), saves wide registers
# (xsave, avx) and switches access to user memory on and off (smap)
VM_CPU=max,-erms,-fsrm,-la57,-xsave,-avx,-avx2,-smap,-smep,-umip,-pku

# Likewise on arm64: pointers are not signed, and there are no wide registers to save
VM_CPU_ARM64=max,pauth=off,sve=off,sme=off

# vm_qemu: QEMU, as host_needs() wants it
vm_qemu() {
	[ -n "$IOB_FOREIGN" ] && echo qemu-system-aarch64=qemu-system-arm ||
		echo qemu-system-x86_64=qemu-system-x86
}

# vm_cpu: the model of the guest's CPUs
vm_cpu() { echo "${IOB_CPU:-$([ -n "$IOB_FOREIGN" ] && echo "$VM_CPU_ARM64" || echo "$VM_CPU")}"; }

# vm_run SUITE JOB TREE SECONDS: 0 if the guest turned itself off in time.
# IOB_SMP: how many CPUs; IOB_CPU: their model; IOB_QEMU: more words for QEMU.
vm_run() {
	local suite=$1 job=$2 tree=$3 limit=$4 root devices accel more
	accel=$(vm_accel "$suite")
	root=$(root_dir "$suite")
	mapfile -t devices < <(
		vm_boot_args "$suite" "$job"
		vm_memory_args "$suite" "$job"
		vm_disk_args "$job"
		if vm_has_9p "$suite"; then
			vm_share root "$root" ,readonly=on
			vm_share tree "$tree" ,readonly=on
			vm_share job "$job"
		else
			virtiofs_share "$job" root "$root"
			virtiofs_share "$job" tree "$tree"
			virtiofs_share "$job" job "$job"
			virtiofs_memory_args "$suite"
		fi
	)
	read -ra more <<<"${IOB_QEMU:-}"
	timeout --foreground -k 10 "$limit" "$(vm_qemu | cut -d= -f1)" \
		-accel "$accel" -cpu "$(vm_cpu)" \
		-smp "${IOB_SMP:-2}" -nodefaults -no-user-config \
		-display none -no-reboot -pidfile "$job/qemu.pid" -serial "${IOB_SERIAL:-file:$job/console.log}" \
		-device virtio-rng-pci "${devices[@]}" "${more[@]}"
}

# vm_kill JOB: end a guest at once
vm_kill() {
	[ ! -s "$1/qemu.pid" ] || kill "$(cat "$1/qemu.pid")" 2>/dev/null || true
}

# vm_has_9p SUITE: true if the guest can mount 9p shares. Cloud flavours cannot, but have virtiofs.
vm_has_9p() {
	local root
	root=$(root_dir "$1")
	chroot "$root" modprobe -S "$(root_kver "$1")" -a --show-depends 9pnet_virtio 9p >/dev/null 2>&1
}

# vm_share TAG FOLDER [,OPTION]
vm_share() {
	printf '%s\n' -fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}" \
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
}

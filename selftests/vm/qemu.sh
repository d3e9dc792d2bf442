# Start one guest and see it to its end.
#
# A guest is a job folder: `start` is what it runs, `disks/NAME.img` its disks,
# `console.log` what its kernel said. The guest is real Debian: its kernel, its
# root. Nothing here may need KVM; where KVM works it is used.
# shellcheck shell=bash

# kvm if a kernel really runs under it, else tcg. That /dev/kvm opens says little:
# there are hosts where the guest then never runs. So start a kernel without a
# root, which speaks and panics; asked once per boot of the host.
# One TCG thread for both CPUs: kernels patch their code while it runs, and two
# threads do not always follow. An int3 that is gone from memory is executed again
# then, and kills the guest or keeps a CPU for ever, with our module or without
# (seen from 6.1 on).
vm_accel() {
	local root answer said
	root=$(root_dir "$1")
	answer=$IOB_CACHE/accelerator-$(cat /proc/sys/kernel/random/boot_id)
	if [ -n "${IOB_ACCEL:-}" ]; then
		echo "$IOB_ACCEL"
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

# oops=panic, panic=-1 and -no-reboot: a kernel that breaks ends the guest at
# once. Own slab caches are not merged and carry red zones and poison. The stall
# limits are what two loaded cores without KVM need. (The bench has no such caches.)
# norandmaps: what QEMU has translated it finds again only at the same address, so
# each new place of a library costs three times what beginning a program costs.
# tsc=reliable: with one thread for all CPUs it is, and every look at the HPET, which
# some kernels take instead, costs an exit.
vm_cmdline() {
	echo "console=ttyS0 panic=-1 oops=panic ignore_loglevel log_buf_len=16M" \
		"printk.devkmsg=on slab_nomerge ${IOB_SLUB_DEBUG-slub_debug=FZP,iob_*}" \
		"rcupdate.rcu_cpu_stall_timeout=120 nmi_watchdog=0 no_timer_check" \
		"mitigations=off norandmaps tsc=reliable random.trust_cpu=on net.ifnames=0 ${IOB_CMDLINE:-}"
}

# The -drive and -device words for a job's disks; the serial number names one
# in the guest. nvme* is an NVMe disk, nvmp* one of two controllers, scsi* a
# virtio-scsi one, all others virtio-blk.
vm_disk_args() {
	local image name scsi=no
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
		scsi*)
			[ $scsi = yes ] || printf '%s\n' -device virtio-scsi-pci,id=scsi0
			scsi=yes
			printf '%s\n' -device "scsi-hd,bus=scsi0.0,drive=$name,serial=iob-$name"
			;;
		*) printf '%s\n' -device "virtio-blk-pci,drive=$name,serial=iob-$name" ;;
		esac
	done
}

# With these the kernel copies byte by byte, which is slow where each is emulated,
# looks up pages in a level more, and saves wide registers and opens and closes the
# user's memory all the time: a quarter of a guest's work
VM_CPU=max,-erms,-fsrm,-la57,-xsave,-avx,-avx2,-smap,-smep,-umip,-pku

# vm_run SUITE JOB TREE SECONDS: 0 when the guest turned itself off in time.
# IOB_SMP: how many CPUs; IOB_CPU: their model; IOB_QEMU: more words for QEMU.
vm_run() {
	local suite=$1 job=$2 tree=$3 limit=$4 root initramfs disks accel more
	accel=$(vm_accel "$suite")
	root=$(root_dir "$suite")
	initramfs=$("$IOB_SELFTESTS/vm/make-initramfs" "$suite")
	mapfile -t disks < <(
		vm_disk_args "$job"
		vm_share root "$root" ,readonly=on
		vm_share tree "$tree" ,readonly=on
		vm_share job "$job"
	)
	read -ra more <<<"${IOB_QEMU:-}"
	timeout --foreground -k 10 "$limit" qemu-system-x86_64 \
		-accel "$accel" -machine q35 -cpu "${IOB_CPU:-$VM_CPU}" \
		-smp "${IOB_SMP:-2}" -m "${IOB_MEM:-1G}" -nodefaults -no-user-config \
		-display none -no-reboot -pidfile "$job/qemu.pid" -serial "${IOB_SERIAL:-file:$job/console.log}" \
		-kernel "$root/boot/vmlinuz-$(root_kver "$suite")" \
		-initrd "$initramfs" -append "$(vm_cmdline)" \
		-device virtio-rng-pci "${disks[@]}" "${more[@]}"
}

# vm_kill JOB: end a guest at once
vm_kill() {
	[ ! -s "$1/qemu.pid" ] || kill "$(cat "$1/qemu.pid")" 2>/dev/null || true
}

# vm_share TAG FOLDER [,OPTION]
vm_share() {
	printf '%s\n' -fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}" \
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
}

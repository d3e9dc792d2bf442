# Guests with Secure Boot: UEFI firmware that has Microsoft's keys, then the release's shim, grub
# and kernel, as Debian signs them.
#
# JOB/esp.img is the disk that the firmware boots, which the guest's kernel does not see: it
# loads no driver for it. JOB/vars.fd is what the firmware keeps, MOK keys among it. The guest's
# root is the same as without (vm/init).
# shellcheck shell=bash

EFI_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
EFI_VARS=/usr/share/OVMF/OVMF_VARS_4M.ms.fd

efi_needs() {
	host_needs $EFI_CODE=ovmf mcopy=mtools openssl=openssl
}

# efi_kit SUITE: print a folder with the release's shimx64.efi, its MokManager and grubx64.efi
efi_kit() {
	local suite=$1 kit
	kit=$IOB_CACHE/efi/$suite-2-$(cat "$(root_dir "$suite")/.ioblame-key")
	mkdir -p "$IOB_CACHE/efi" "$IOB_CACHE/log"
	(
		flock 9
		[ -d "$kit" ] || building "$kit" efi_kit_make "$suite" 2>&1
	) 9>"$IOB_CACHE/efi/.$suite.lock" >"$IOB_CACHE/log/efi-$suite"
	[ -d "$kit" ] || die "no shim and grub of $suite; see $IOB_CACHE/log/efi-$suite"
	echo "$kit"
}

efi_kit_make() {
	local suite=$1 new=$2
	cp -L /etc/resolv.conf "$new/resolv.conf" 2>/dev/null || true
	# shellcheck disable=SC2016 # the root's shell expands it
	in_root "$suite" "$new:/kit" -- bash -c '
		set -e
		cp /kit/resolv.conf /etc/ 2>/dev/null || true
		mkdir -p /kit/efi
		cd /kit/efi
		apt-get -o Acquire::Check-Valid-Until=false update
		apt-get download shim-signed shim-helpers-amd64-signed grub-efi-amd64-signed
		for deb in *.deb; do dpkg -x "$deb" /tmp/x; done
		cp /tmp/x/usr/lib/shim/shimx64.efi.signed /kit/shimx64.efi
		cp /tmp/x/usr/lib/shim/mmx64.efi.signed /kit/mmx64.efi
		cp /tmp/x/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed /kit/grubx64.efi
		rm -rf /kit/efi /kit/resolv.conf'
}

# efi_key: print a folder with a key of the tests, mok.key and mok.pub, made once
efi_key() {
	mkdir -p "$IOB_CACHE/efi"
	(
		flock 9
		[ -d "$IOB_CACHE/efi/key" ] || building "$IOB_CACHE/efi/key" efi_key_make ioblame-tests
	) 9>"$IOB_CACHE/efi/.key.lock" >/dev/null 2>&1
	echo "$IOB_CACHE/efi/key"
}

efi_key_make() { # NAME FOLDER
	openssl req -new -x509 -nodes -days 36500 -subj "/CN=$1" -newkey rsa:2048 \
		-keyout "$2/mok.key" -outform DER -out "$2/mok.pub"
}

# efi_sign SUITE MODULE: sign it by the tests' key. Root and headers are the release's.
efi_sign() {
	local suite=$1 module=$2 key
	key=$(efi_key)
	in_root "$suite" "$key:/key" "${module%/*}:/bin2sign" -- \
		"/lib/modules/$(root_kver "$suite")/build/scripts/sign-file" sha256 \
		/key/mok.key /key/mok.pub "/bin2sign/${module##*/}"
}

# efi_make SUITE JOB [CERTIFICATE]: the firmware's disk and variables; the CERTIFICATE is enrolled
efi_make() {
	local suite=$1 job=$2 certificate=${3:-} kit root esp=$2/esp.img
	kit=$(efi_kit "$suite")
	root=$(root_dir "$suite")
	printf '%s\n' "set timeout=0" "linux /vmlinuz $(vm_cmdline "$suite")" "initrd /initrd" boot \
		>"$job/grub.cfg"
	cp $EFI_VARS "$job/vars.fd"
	[ -z "$certificate" ] || "$IOB_SELFTESTS/vm/efi-enrol" "$job/vars.fd" "$certificate"
	rm -f "$esp"
	truncate -s 64M "$esp"
	mformat -i "$esp" -F ::
	mmd -i "$esp" ::/EFI ::/EFI/BOOT ::/EFI/debian
	mcopy -i "$esp" "$kit/shimx64.efi" ::/EFI/BOOT/BOOTX64.EFI
	mcopy -i "$esp" "$kit/mmx64.efi" "$kit/grubx64.efi" ::/EFI/BOOT
	mcopy -i "$esp" "$job/grub.cfg" ::/EFI/debian
	mcopy -i "$esp" "$root/boot/vmlinuz-$(root_kver "$suite")" ::/vmlinuz
	mcopy -i "$esp" "$("$IOB_SELFTESTS/vm/make-initramfs" "$suite")" ::/initrd
}

# efi_boot_args JOB: QEMU's words. Only System Management Mode can write the firmware's
# variables.
efi_boot_args() {
	printf '%s\n' -machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on \
		-global ICH9-LPC.disable_s3=1 \
		-drive "if=pflash,unit=0,format=raw,readonly=on,file=$EFI_CODE" \
		-drive "if=pflash,unit=1,format=raw,file=$1/vars.fd" \
		-drive "file=$1/esp.img,format=raw,if=none,id=esp" \
		-device ide-hd,bus=ide.0,drive=esp,bootindex=0
}

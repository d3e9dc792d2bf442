# SPDX-License-Identifier: GPL-2.0
#
# The commands to type. Kbuild says what is built, and how: the kernel's build
# system, called with M=, reads that file and never this one. dkms.conf has the
# version.
#
#	KVER=...	the kernel to build and install for (default: the running one)
#	KDIR=...	its headers (default: /lib/modules/KVER/build)
#	DESTDIR=...	"make install" writes below this folder only, and runs no dkms: for packages

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
DKMS ?= $(shell command -v dkms 2>/dev/null)
PREFIX ?= /usr
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin

# The kernel's build system does not ask which compiler made the kernel. gcc's code has none of
# the checks of calls that a kernel of clang's expects (CONFIG_CFI_CLANG), and other layouts of
# structs (CONFIG_RANDSTRUCT). LLVM=... or CC=... on the command line goes first.
config := $(KDIR)/include/config/auto.conf
configured = $(shell sed -n 's/^CONFIG_$(1)=//p' $(config) 2>/dev/null)
ifeq ($(call configured,CC_IS_CLANG)$(LLVM)$(findstring command line,$(origin CC)),y)
# where there are several: clang-19 of LLVM=-19
suffix := -$(shell echo $$(($(call configured,CLANG_VERSION) / 10000)))
suffix := $(and $(shell command -v clang$(suffix)),$(shell command -v ld.lld$(suffix)),$(suffix))
ifeq ($(call configured,LD_IS_LLD),y)
compiler := LLVM=$(or $(suffix),1)
else
compiler := CC=clang$(suffix)
endif
endif

here := $(CURDIR)
version := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)
dkms_source := $(DESTDIR)/usr/src/ioblame-$(version)
modules := /lib/modules
# the kernels but KVER for which DKMS has this version installed; before 3.0 it prints "ioblame, VERSION"
had = $(DKMS) status -m ioblame -v $(version) 2>/dev/null | \
	sed -nE 's,^ioblame(/|\, )[^ ]*\, ([^ ]+)\, [^ ]+: installed( .*)?$$,\2,p' | grep -vxF '$(KVER)'
shipped := $(wildcard Kbuild Makefile dkms.conf COPYING src include)
command := tools/ioblame/ioblame
page := Documentation/ioblame.8
completion := tools/ioblame/ioblame.bash
schema := Documentation/reference/ioblame.schema.json
daemon := tools/ioblamed/ioblamed

all: module command daemon

module:
	$(MAKE) -C $(KDIR) M=$(here) $(compiler) modules

# Where its libraries are missing, this says so and builds nothing
command:
	@$(MAKE) --no-print-directory -C tools/ioblame LENIENT=1 all

# It takes the command's objects
daemon: command
	@$(MAKE) --no-print-directory -C tools/ioblamed LENIENT=1 all

clean:
	$(MAKE) -C $(KDIR) M=$(here) clean
	@$(MAKE) -s -C tools/ioblame LENIENT=1 clean
	@$(MAKE) -s -C tools/ioblamed LENIENT=1 clean
	@[ ! -e selftests/unit/Makefile ] || $(MAKE) -s -C selftests/unit clean

ifneq ($(DESTDIR),)
# A package's scripts run dkms where it is installed
install: install-files install-source

uninstall: uninstall-files uninstall-source
else ifneq ($(DKMS),)
# DKMS rebuilds the module for each new kernel. It has one source for all of them: to replace that takes
# the module from each kernel that has it. Those get it again, but one without headers, which is named.
# (make -n runs a line in which $(MAKE) is written, with all that is in it)
again = $(MAKE) --no-print-directory
install: install-files
	@had=$$($(had)); \
	$(DKMS) remove -m ioblame -v $(version) --all >/dev/null 2>&1; \
	$(again) install-source || exit 1; \
	status=0; \
	for kernel in $(KVER) $$had; do \
		if [ $$kernel = $(KVER) ] || [ -e $(modules)/$$kernel/build ]; then \
			echo "$(DKMS) install -m ioblame -v $(version) -k $$kernel"; \
			$(DKMS) install -m ioblame -v $(version) -k $$kernel || status=1; \
		elif [ -e $(modules)/$$kernel ]; then \
			echo "ioblame: left out $$kernel, whose headers are missing:" \
				"apt install linux-headers-$$kernel && dkms autoinstall -k $$kernel" >&2; \
		fi; \
	done; exit $$status

uninstall: uninstall-files
	-$(DKMS) remove -m ioblame -v $(version) --all
	@$(MAKE) --no-print-directory uninstall-source
else
install: module install-files
	$(MAKE) -C $(KDIR) M=$(here) $(compiler) INSTALL_MOD_DIR=updates modules_install
	depmod -a $(KVER)

uninstall: uninstall-files
	rm -f /lib/modules/$(KVER)/updates/ioblame.ko*
	-rmdir --ignore-fail-on-non-empty /lib/modules/$(KVER)/updates
	depmod -a $(KVER)
endif

# The source that DKMS builds, without what was built here
install-source:
	rm -rf $(dkms_source)
	mkdir -p $(dkms_source)
	cp -r $(shipped) $(dkms_source)
	find $(dkms_source) \( -name '*.o' -o -name '*.ko' -o -name '*.mod*' -o -name '.*.cmd' \) -delete

uninstall-source:
	rm -rf $(dkms_source)

# The command, if it was built, with its manual page, completion and the schema of its JSON
# Users run it, too, whose PATH has no sbin
bin := $(DESTDIR)$(BINDIR)/ioblame
# where it was before; both are one folder on some distributions
sbin := $(DESTDIR)$(SBINDIR)/ioblame
man := $(DESTDIR)$(PREFIX)/share/man/man8/ioblame.8
bash := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ioblame
json := $(DESTDIR)$(PREFIX)/share/ioblame/ioblame.schema.json
# for Prometheus and Grafana, see Documentation/reference/metrics.rst
fleet := $(DESTDIR)$(PREFIX)/share/ioblame/fleet
folders := DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) SBINDIR=$(SBINDIR)

install-files: command daemon
	@[ ! -e $(command) ] || rm -f $(sbin)
	@[ ! -e $(command) ] || install -D -m 755 $(command) $(bin)
	@[ ! -e $(command) ] || install -D -m 644 $(completion) $(bash)
	@[ ! -e $(command) ] || install -D -m 644 $(schema) $(json)
	install -D -m 644 $(page) $(man)
	install -d $(fleet)
	install -m 644 tools/ioblamed/fleet/* $(fleet)
	@[ ! -e $(daemon) ] || $(MAKE) -s --no-print-directory -C tools/ioblamed $(folders) install

uninstall-files: stop-daemon
	rm -f $(bin) $(sbin) $(man) $(bash) $(json)
	rm -rf $(fleet)
	@$(MAKE) -s --no-print-directory -C tools/ioblamed $(folders) uninstall
	@[ ! -d $(dir $(json)) ] || rmdir --ignore-fail-on-non-empty $(dir $(json))
	-@[ ! -d $(if $(DESTDIR),/nonexistent,/run/systemd/system) ] || systemctl daemon-reload

# Its program and units go: one that runs would go on without them. What one has set that was killed is put
# back while the program is there
stop-daemon:
	-@[ ! -d $(if $(DESTDIR),/nonexistent,/run/systemd/system) ] || \
		! systemctl cat ioblamed.service >/dev/null 2>&1 || \
		systemctl disable --now ioblamed.service ioblamed.socket ioblamed-namer.socket
	-@[ ! -d $(if $(DESTDIR),/nonexistent,/run/systemd/system) ] || \
		! systemctl cat ioblamed-restore.service >/dev/null 2>&1 || \
		systemctl stop ioblamed-restore.service

# These install through apt what the host lacks, and boot guests, which need no KVM
check:
	@selftests/run

# The same on kernels that look for mistakes, which it compiles once. Takes hours.
check-debug:
	@selftests/run --debug

# Interface, command and truth/ext4 under Secure Boot, in guests whose firmware has the module's key
check-lockdown:
	@selftests/run --lockdown

# DKMS' key: refused, enrolled by MokManager, accepted; in guests with Secure Boot
check-secureboot:
	@selftests/secureboot/run

# A dozen cases on one kernel, the unit tests and the lint
quick:
	@selftests/run --quick

demo:
	@selftests/demo/run

# Counts instructions for each IO, page and file, with ioblame and without
bench:
	@selftests/bench/run

# A million files, a hundred thousand processes, an hour and more of the guest's time
soak:
	@selftests/soak/run

# For a day: 10,000 loads and unloads under IO, readers and tracers. No memory is missing then
soak-cycles:
	@IOB_CYCLES=$${IOB_CYCLES:-10000} KERNEL=$${KERNEL:-7.2} CASE=lifetime/cycles selftests/run

# The table of Documentation/reference/accuracy.rst: all file systems and stacks
accuracy:
	@KERNEL="$${KERNEL:-5.10 6.1 6.12 newest}" CASE='accuracy/*' selftests/run

# Each place of the module that needs memory goes without; check has every eighth one
check-places:
	@IOB_PLACES=all KERNEL=$${KERNEL:-7.2} CASE=failure/allocations selftests/run

# The source of this version, out of its tag
dist:
	@git show v$(version):dkms.conf 2>/dev/null | grep -q '^PACKAGE_VERSION="$(version)"$$' || { \
		echo "no tag v$(version) of this version: Documentation/how-to/make-a-release.rst" >&2; \
		exit 1; }
	@# (git's own compression differs from release to release)
	git archive --prefix=ioblame-$(version)/ --format=tar v$(version) | gzip -cn >ioblame-$(version).tar.gz
	@sha256sum ioblame-$(version).tar.gz

# The packages of each release, built in its root: debian/output, rpm/output
deb:
	@selftests/packages/run --keep deb

rpm:
	@selftests/packages/run --keep rpm

# Builds the packages, installs, upgrades and purges them; with another kernel beside
check-packages:
	@selftests/packages/run

# The cloud flavours and the kernels of backports: builds, loads and follows some IO
check-kernels:
	@selftests/kernels/run

# A million malformed and random writes, and afl++ on the parsers
fuzz:
	@selftests/fuzz/run

# Whether Prometheus, node_exporter and PCP read what ioblamed serves; it installs them
check-fleet:
	@selftests/fleet/run

# xfstests, blktests, LTP and others, with ioblame and without: whether they notice it
peers:
	@selftests/peers/run

lint:
	@CASE='lint/*' selftests/run

# Builds the documents by Sphinx; fails on any warning
htmldocs:
	@Documentation/build

help:
	@echo 'make             build ioblame.ko for KVER ($(KVER)), the command and the daemon'
	@echo 'make install     install it: by DKMS where there is dkms'
	@echo 'make uninstall   remove what "make install" installed'
	@echo 'make demo        boot a guest, run programs in it, show who caused which IO'
	@echo 'make check       all tests; KERNEL="6.1 7.2" and CASE="truth/*" run a part'
	@echo 'make check-debug the same on kernels with KASAN, lockdep, kmemleak, KCSAN (takes hours)'
	@echo 'make check-lockdown  a part of check under Secure Boot, where debugfs is closed'
	@echo 'make check-secureboot  whether a key of DKMS is enrolled as the manual says'
	@echo 'make quick       unit tests, checks of the source and a dozen cases on one kernel'
	@echo 'make bench       what ioblame costs, in instructions; KERNEL="6.1": one kernel only'
	@echo 'make soak        whether blame holds for an hour and a million files (takes hours)'
	@echo 'make soak-cycles 10,000 loads and unloads (takes a day)'
	@echo 'make accuracy    how much is charged right, on all file systems and stacks'
	@echo 'make check-places  each place that needs memory goes without (check: every eighth)'
	@echo 'make deb         Debian packages of each release; KERNEL="6.1": of one release only'
	@echo 'make rpm         RPM packages of the same'
	@echo 'make dist        the source of this version, out of its tag'
	@echo 'make check-packages  whether these build, install, upgrade and go'
	@echo 'make check-kernels  whether other kernels of Debian take the module'
	@echo 'make check-fleet whether Prometheus, Grafana, PCP get what ioblamed serves'
	@echo 'make fuzz        a million malformed writes, and afl++ on the parsers (takes long)'
	@echo 'make peers       suites of others, with ioblame and without (takes hours)'
	@echo 'make lint        only the checks of the source'
	@echo 'make htmldocs    the documents as HTML, in Documentation/output'
	@echo 'make clean       remove what was built here'

.SUFFIXES:

.PHONY: all module command daemon clean install uninstall install-files uninstall-files stop-daemon check \
	check-debug check-lockdown check-secureboot quick demo bench soak soak-cycles check-places accuracy \
	peers lint help htmldocs install-source uninstall-source \
	check-packages check-kernels check-fleet deb rpm dist fuzz

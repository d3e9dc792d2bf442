# SPDX-License-Identifier: GPL-2.0
#
# What people type. What is built, and how, is Kbuild's to say: the kernel's
# build system, called with M=, reads that and never this file. The version is
# dkms.conf's.
#
#	KVER=...	the kernel to build and install for (default: the running one)
#	KDIR=...	its headers (default: /lib/modules/KVER/build)

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
DKMS ?= $(shell command -v dkms 2>/dev/null)
PREFIX ?= /usr

here := $(CURDIR)
version := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)
dkms_source := /usr/src/ioblame-$(version)
shipped := $(wildcard Kbuild Makefile dkms.conf COPYING src include)
command := tools/ioblame/ioblame
page := Documentation/ioblame.8
completion := tools/ioblame/ioblame.bash

all: module command

module:
	$(MAKE) -C $(KDIR) M=$(here) modules

# Says what is missing and does nothing where its libraries are not there
command:
	@$(MAKE) --no-print-directory -C tools/ioblame LENIENT=1 all

clean:
	$(MAKE) -C $(KDIR) M=$(here) clean
	@$(MAKE) -s -C tools/ioblame LENIENT=1 clean
	@[ ! -e selftests/unit/Makefile ] || $(MAKE) -s -C selftests/unit clean

ifneq ($(DKMS),)
# dkms builds it again for each kernel that comes
install: install-files
	-$(DKMS) remove -m ioblame -v $(version) --all >/dev/null 2>&1
	rm -rf $(dkms_source)
	mkdir -p $(dkms_source)
	cp -r $(shipped) $(dkms_source)
	find $(dkms_source) \( -name '*.o' -o -name '*.ko' -o -name '*.mod*' -o -name '.*.cmd' \) -delete
	$(DKMS) install -m ioblame -v $(version) -k $(KVER)

uninstall: uninstall-files
	-$(DKMS) remove -m ioblame -v $(version) --all
	rm -rf $(dkms_source)
else
install: module install-files
	$(MAKE) -C $(KDIR) M=$(here) INSTALL_MOD_DIR=updates modules_install
	depmod -a $(KVER)

uninstall: uninstall-files
	rm -f /lib/modules/$(KVER)/updates/ioblame.ko*
	-rmdir --ignore-fail-on-non-empty /lib/modules/$(KVER)/updates
	depmod -a $(KVER)
endif

# The command, where it could be built, with its page and completion
sbin := $(DESTDIR)$(PREFIX)/sbin/ioblame
man := $(DESTDIR)$(PREFIX)/share/man/man8/ioblame.8
bash := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ioblame

install-files: command
	@[ ! -e $(command) ] || install -D -m 755 $(command) $(sbin)
	@[ ! -e $(command) ] || install -D -m 644 $(completion) $(bash)
	install -D -m 644 $(page) $(man)

uninstall-files:
	rm -f $(sbin) $(man) $(bash)

# Both install what they lack through apt, and boot guests that need no KVM
check:
	@selftests/run

demo:
	@selftests/demo/run

# Instructions for each IO, page and file, with ioblame and without
bench:
	@selftests/bench/run

lint:
	@CASE='lint/*' selftests/run

# Builds the documents by Sphinx; fails on any warning
.PHONY: htmldocs
htmldocs:
	@Documentation/build

help:
	@echo 'make             build ioblame.ko for KVER ($(KVER)), and the command'
	@echo 'make install     install it: by DKMS where there is dkms'
	@echo 'make uninstall   remove what install installed'
	@echo 'make demo        boot a guest, run programs in it, show who caused which IO'
	@echo 'make check       all tests; KERNEL="6.1 7.2" and CASE="truth/*" run a part'
	@echo 'make bench       what ioblame costs, in instructions; KERNEL="6.1": one kernel only'
	@echo 'make lint        only the checks of the source'
	@echo 'make htmldocs    the documents as HTML, in Documentation/output'
	@echo 'make clean       remove what was built here'

.PHONY: all module command clean install uninstall install-files uninstall-files check demo bench lint help
.SUFFIXES:

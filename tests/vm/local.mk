# SPDX-License-Identifier: GPL-2.0-or-later
# Limits and older kernels, in a virtual machine. `make check` runs it where qemu and a kernel are there; `make check-vm` runs it alone,
# and gets the kernel first.
TESTS += tests/vm/vm.sh
check_PROGRAMS += tests/vm/tool
tests_vm_tool_SOURCES = tests/vm/tool.c
tests_vm_tool_CFLAGS = -std=gnu17 $(WARN_CFLAGS)
tests_vm_tool_LDFLAGS = $(probe_static)

EXTRA_DIST += \
	tests/vm/asroot.sh \
	tests/vm/escape.sh \
	tests/vm/guest-lib.sh \
	tests/vm/guest.sh \
	tests/vm/init.sh \
	tests/vm/kernel.sh \
	tests/vm/nolsm.sh \
	tests/vm/run.sh \
	tests/vm/systemd.sh \
	tests/vm/units/dbus.service \
	tests/vm/units/dbus.socket \
	tests/vm/units/default.target \
	tests/vm/units/jail-root.service \
	tests/vm/units/jail-test.service \
	tests/vm/units/user@.service \
	tests/vm/vm.sh

vm-kernel:
	@$(MKDIR_P) tests/vm
	@$(srcdir)/tests/vm/kernel.sh '$(abs_top_builddir)/tests/vm/kernel' --fetch

check-vm: vm-kernel
	JAIL_VM_ROWS=all JAIL_VM_LIMIT=1800 $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/vm/vm.sh

clean-local: clean-vm
clean-vm:
	-rm -rf tests/vm/work
distclean-local: distclean-vm
distclean-vm:
	-rm -rf tests/vm/kernel
.PHONY: vm-kernel check-vm clean-vm distclean-vm

# SPDX-License-Identifier: GPL-2.0
#
# The one entry. `make` builds the module for the running kernel; the targets
# with the emulated pair of HFIs make their own lab first. `make help` lists all.

include build/module.mk

KERNEL ?= 7.3
export KERNEL MIRROR SECURITY_MIRROR

.PHONY: setup lab demo check check-all model faults scenario clean distclean help

setup:
	@tests/lab/setup $(KERNEL)

lab:
	@tests/lab/shell --kernel $(KERNEL)

demo:
	@tests/lab/demo --kernel $(KERNEL)

check:
	@tests/check

check-all:
	@tests/check --all

model:
	@tests/check 25-model

faults:
	@tests/faults/run

scenario:
	@test -n "$(NAME)" || { echo "usage: make scenario NAME=$(firstword $(SCENARIOS)) [KERNEL=6.12]; NAME is one of:" $(SCENARIOS) >&2; exit 2; }
	@tests/lab/run $(NAME) --kernel $(KERNEL)

SCENARIOS = $(sort $(patsubst tests/scenarios/%.sh,%,$(wildcard tests/scenarios/*.sh)))

clean: module-clean
	@tests/lab/clean

distclean: module-clean
	@tests/lab/clean all

help:
	@echo "make                    build hfi1_tid_wait.ko for the running kernel (KVER=, KDIR= for another)"
	@echo "make demo               ib_read_bw over TID RDMA on an emulated pair of HFIs, with the module at work"
	@echo "make lab                a shell in that guest, both ports ACTIVE"
	@echo "make check              every test; the last line counts them"
	@echo "make check-all          that and what takes hours: all of it on debug kernels, long runs, large models"
	@echo "make model              the models of the wait queues alone (MODEL=large: the big ones too)"
	@echo "make faults             the in-tree faults alone: each on the stock driver and with the module"
	@echo "make scenario NAME=link one scenario of tests/scenarios"
	@echo "make setup              only download and prepare what the above need"
	@echo "make clean              remove what was built; make distclean: the lab's cache folder too"
	@echo
	@echo "demo, lab, check, scenario and setup need root and Debian 12 or 13. Variables:"
	@echo "  KERNEL=7.3|6.12|6.1   kernel of the guest, or an exact release (not for check);"
	@echo "         7.3-debug      built here, with lockdep, KASAN, kmemleak and others; 7.3-kcsan: data races"
	@echo "  XDG_CACHE_HOME=DIR    where the lab's folder hfi1-tid-wait goes (~/.cache)"
	@echo "  MIRROR=URL            Debian mirror (default: the one of this machine)"

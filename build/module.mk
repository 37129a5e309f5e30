# SPDX-License-Identifier: GPL-2.0
#
# The module. Included by the Makefile; scripts/inputs.sh says what these mean.

export KVER KDIR HFI1_KO BTF_BASE HFI1_SRC CC W SPARSE

# make's own default is no choice of the user's
ifeq ($(origin CC),default)
unexport CC
endif

.PHONY: module module-build module-clean layout-check

# Build here, for the running kernel or KVER= or KDIR=.
module:
	@scripts/build-module . .

# Build in DIR=; with TEST=1 the unit test module too, in DIR/test.
module-build:
	@test -n "$(DIR)" || { echo "give DIR=<folder to build in>" >&2; exit 2; }
	@scripts/build-module . "$(DIR)"
ifdef TEST
	@UNIT_TEST=1 scripts/build-module . "$(DIR)/test"
endif

# Types and constants against those of HFI1_SRC=, the kernel's source tree.
layout-check:
	@test -n "$(HFI1_SRC)" || { echo "give HFI1_SRC=<source tree of the kernel>" >&2; exit 2; }
	@scripts/layout-check

module-clean:
	@scripts/clean-module

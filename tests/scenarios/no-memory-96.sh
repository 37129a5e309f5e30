#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  mappings and allocations fail at random, with 96 TIDs for 16 QPs: each request ends once, and right
#: hfisim --rcv-array 512
#: timeout 400
. /lab/lib.sh
. /lab/traffic.sh
. /lab/inject.sh

begin
failures_under_load
nothing_left
no_late_write
tell_figures

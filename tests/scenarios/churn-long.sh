#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  10 000 pairs of QPs are ended at random moments, with 96 TIDs for all that live at once
#: hfisim --rcv-array 512
#: timeout 5400
#: long yes
. /lab/lib.sh
. /lab/traffic.sh
. /lab/churn.sh

churning 6000 3500 500

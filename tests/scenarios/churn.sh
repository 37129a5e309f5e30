#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs are made, used and ended at random moments, processes killed, the link bounced; others go on
#: hfisim --rcv-array 1024
#: timeout 600
. /lab/lib.sh
. /lab/traffic.sh
. /lab/churn.sh

churning 500 300 150

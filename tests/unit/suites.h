/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_SUITES_H
#define TID_UNIT_SUITES_H

#include "ktap.h"

extern const struct ktap_suite tid_wait_suite;
extern const struct ktap_suite tid_flow_suite;
extern const struct ktap_suite tid_pages_suite;
extern const struct ktap_suite tid_rdma_suite;
extern const struct ktap_suite tid_map_suite;
extern const struct ktap_suite tid_release_suite;
extern const struct ktap_suite tid_retry_suite;
extern const struct ktap_suite tid_answer_suite;
extern const struct ktap_suite tid_reset_suite;
extern const struct ktap_suite tid_params_suite;
extern const struct ktap_suite tid_read_suite;
extern const struct ktap_suite tid_guard_suite;
extern const struct ktap_suite tid_random_suite;
extern const struct ktap_suite tid_stress_suite;

#endif /* TID_UNIT_SUITES_H */

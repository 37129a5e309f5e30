// SPDX-License-Identifier: GPL-2.0
/* Runs all suites when it is loaded; the results are in the kernel log. */

#include <linux/module.h>
#include <linux/random.h>

#include "seeded.h"
#include "suites.h"

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "seed of the random sequences (default 0: any)");

static char *fault;
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "no tests, but a fault of seeded.c for the instruments of a debug kernel");

static const struct ktap_suite *const suites[] = {
	&tid_wait_suite,
	&tid_flow_suite,
	&tid_pages_suite,
	&tid_rdma_suite,
	&tid_map_suite,
	&tid_release_suite,
	&tid_retry_suite,
	&tid_answer_suite,
	&tid_reset_suite,
	&tid_params_suite,
	&tid_read_suite,
	&tid_guard_suite,
	&tid_random_suite,
	&tid_stress_suite,
};

static int __init tid_unit_init(void)
{
	if (fault)
		return seeded_fault(fault);
	if (!seed)
		seed = get_random_u32();
	pr_info("# hfi1_tid_wait_test: seed=%lu repeats this run\n", seed);
	ktap_run(suites, ARRAY_SIZE(suites), seed);
	/* A failure is a result, told in the log, not a failure to load. */
	return 0;
}
module_init(tid_unit_init);

static void __exit tid_unit_exit(void)
{
}
module_exit(tid_unit_exit);

MODULE_DESCRIPTION("Unit tests of hfi1_tid_wait on fake contexts and QPs");
MODULE_LICENSE("GPL");

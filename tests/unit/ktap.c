// SPDX-License-Identifier: GPL-2.0
/* Distribution kernels come without KUnit: what is needed of it, in KTAP. */

#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ktap.h"

/* A broken invariant in a random sequence would fill the log otherwise. */
#define KTAP_MAX_REPORTS 8

/**
 * ktap_expect - record one comparison of a case
 * @test: the case
 * @e: what was compared, and whether it holds
 * @left: value of the left side
 * @right: value of the right side
 *
 * Context: any.
 * Return: whether the expectation holds.
 */
bool ktap_expect(struct ktap_test *test, const struct ktap_expectation *e,
		 s64 left, s64 right)
{
	if (e->holds)
		return true;
	if (++test->failures > KTAP_MAX_REPORTS)
		return false;
	pr_err("    # %s: expectation failed at %s:%d\n",
	       test->name, kbasename(e->file), e->line);
	pr_err("    #   expected %s %s %s, got %lld (0x%llx) and %lld (0x%llx)\n",
	       e->left, e->op, e->right, left, left, right, right);
	return false;
}

/**
 * ktap_note - say something about a case in a diagnostic line
 * @test: the case
 * @fmt: printf format, no newline
 *
 * Context: any.
 */
void ktap_note(struct ktap_test *test, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	if (test->failures > KTAP_MAX_REPORTS)
		return;
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	pr_info("    # %s: %pV\n", test->name, &vaf);
	va_end(args);
}

static bool ktap_run_case(const struct ktap_suite *suite,
			  const struct ktap_case *c, u64 seed)
{
	struct ktap_test test = { .name = c->name, .seed = seed };
	int ret;

	ret = suite->init ? suite->init(&test) : 0;
	if (ret) {
		pr_err("    # %s: no fixture: error %d\n", c->name, ret);
		return false;
	}
	c->run(&test);
	if (suite->exit)
		suite->exit(&test);
	if (test.failures > KTAP_MAX_REPORTS)
		pr_err("    # %s: %u expectations failed in all\n", c->name,
		       test.failures);
	return !test.failures;
}

static unsigned int ktap_run_suite(const struct ktap_suite *suite, u64 seed)
{
	unsigned int i, failed = 0;

	pr_info("    KTAP version 1\n");
	pr_info("    # Subtest: %s\n", suite->name);
	pr_info("    1..%u\n", suite->ncases);
	for (i = 0; i < suite->ncases; i++) {
		bool ok = ktap_run_case(suite, &suite->cases[i], seed);

		failed += !ok;
		pr_info("    %sok %u %s\n", ok ? "" : "not ", i + 1,
			suite->cases[i].name);
		cond_resched();
	}
	pr_info("    # %s: pass:%u fail:%u total:%u\n", suite->name,
		suite->ncases - failed, failed, suite->ncases);
	return failed;
}

/**
 * ktap_run - run suites and report them to the kernel log
 * @suites: the suites
 * @n: how many
 * @seed: seed for random sequences
 *
 * The log then holds a KTAP report that ends with a line of totals, so that
 * a reader can tell a complete report from one that was cut short.
 *
 * Context: process; may sleep.
 * Return: the number of cases that failed.
 */
unsigned int ktap_run(const struct ktap_suite *const *suites, unsigned int n,
		      u64 seed)
{
	unsigned int i, failed = 0, total = 0;

	pr_info("KTAP version 1\n");
	pr_info("1..%u\n", n);
	for (i = 0; i < n; i++) {
		unsigned int bad = ktap_run_suite(suites[i], seed);

		pr_info("%sok %u %s\n", bad ? "not " : "", i + 1,
			suites[i]->name);
		failed += bad;
		total += suites[i]->ncases;
	}
	pr_info("# Totals: pass:%u fail:%u skip:0 total:%u\n", total - failed,
		failed, total);
	return failed;
}

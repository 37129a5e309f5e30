/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_KTAP_H
#define TID_UNIT_KTAP_H

#include <linux/types.h>

struct ktap_test;

/**
 * struct ktap_case - one behaviour
 * @name: the behaviour, a name that reads as a sentence
 * @run: expects things of the code under test
 */
struct ktap_case {
	const char *name;
	void (*run)(struct ktap_test *test);
};

/* A row of a suite's table of cases; the function's name is the case's. */
#define KTAP_CASE(function) { .name = #function, .run = function }

/**
 * struct ktap_suite - the cases of one subject
 * @name: the subject
 * @init: makes the fixture before each case and leaves it in &ktap_test.priv;
 *	a negative errno fails the case without running it
 * @exit: takes the fixture down after each case; may expect things too
 * @cases: the table
 * @ncases: its length
 */
struct ktap_suite {
	const char *name;
	int (*init)(struct ktap_test *test);
	void (*exit)(struct ktap_test *test);
	const struct ktap_case *cases;
	unsigned int ncases;
};

/**
 * struct ktap_test - the run of one case
 * @name: the case
 * @priv: the fixture
 * @seed: seed for random sequences; the same in every case of a run
 * @failures: expectations that did not hold so far
 */
struct ktap_test {
	const char *name;
	void *priv;
	u64 seed;
	unsigned int failures;
};

/**
 * struct ktap_expectation - one comparison
 * @file: source file
 * @line: its line
 * @left: text of the left side
 * @op: the relation that must hold
 * @right: text of the right side
 * @holds: whether it does
 */
struct ktap_expectation {
	const char *file;
	int line;
	const char *left;
	const char *op;
	const char *right;
	bool holds;
};

bool ktap_expect(struct ktap_test *test, const struct ktap_expectation *e,
		 s64 left, s64 right);

#define EXPECT_RELATION(test, l, relation, r) ({			\
	const s64 left_ = (s64)(l), right_ = (s64)(r);			\
									\
	ktap_expect((test), &(struct ktap_expectation) {		\
		.file = __FILE__, .line = __LINE__,			\
		.left = #l, .op = #relation, .right = #r,		\
		.holds = left_ relation right_				\
	}, left_, right_);						\
})

#define EXPECT_EQ(test, l, r)	EXPECT_RELATION(test, l, ==, r)
#define EXPECT_NE(test, l, r)	EXPECT_RELATION(test, l, !=, r)
#define EXPECT_LE(test, l, r)	EXPECT_RELATION(test, l, <=, r)
#define EXPECT_GT(test, l, r)	EXPECT_RELATION(test, l, >, r)
#define EXPECT_TRUE(test, c)	EXPECT_RELATION(test, !!(c), ==, 1)
#define EXPECT_FALSE(test, c)	EXPECT_RELATION(test, !!(c), ==, 0)
#define EXPECT_PTR_EQ(test, l, r)					\
	EXPECT_EQ(test, (unsigned long)(l), (unsigned long)(r))

__printf(2, 3) void ktap_note(struct ktap_test *test, const char *fmt, ...);

unsigned int ktap_run(const struct ktap_suite *const *suites, unsigned int n,
		      u64 seed);

#endif /* TID_UNIT_KTAP_H */

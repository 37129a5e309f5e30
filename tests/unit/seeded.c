// SPDX-License-Identifier: GPL-2.0
/*
 * Faults made on purpose, each of a kind that one instrument of a debug kernel has
 * to report. A kernel without the instrument may not survive them.
 */
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timer.h>

#include "fixture.h"
#include "seeded.h"

#define SEEDED_LEAKS	20
#define SEEDED_RACE_MS	3000

/* The compiler must not see through what is done on purpose. */
static void *seeded_alloc(size_t size)
{
	void *p = kzalloc(size, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	return p;
}

/* KASAN */
static int seeded_use_after_free(void)
{
	u8 *p = seeded_alloc(64);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	return READ_ONCE(p[8]) ? 0 : 0;
}

/* kmemleak; of one alone a copy may be left on some stack */
static int seeded_leak(void)
{
	unsigned int i;

	for (i = 0; i < SEEDED_LEAKS; i++) {
		u8 *p = seeded_alloc(1000);

		if (!p)
			return -ENOMEM;
		WRITE_ONCE(p[0], 1);
	}
	return 0;
}

/* DEBUG_LIST */
static int seeded_double_add(void)
{
	struct list_head *entry = seeded_alloc(sizeof(*entry));
	LIST_HEAD(list);

	list_add(entry, &list);
	list_add(entry, &list);
	list_del(entry);
	kfree(entry);
	return 0;
}

static void seeded_timer(struct timer_list *timer)
{
}

/* DEBUG_OBJECTS, which also stops the timer */
static int seeded_freed_timer(void)
{
	struct timer_list *timer = seeded_alloc(sizeof(*timer));

	timer_setup(timer, seeded_timer, 0);
	mod_timer(timer, jiffies + HZ * 3600);
	kfree(timer);
	return 0;
}

/* DMA_API_DEBUG */
static int seeded_unmap(void)
{
	struct platform_device *pdev =
		platform_device_register_simple("seeded", -1, NULL, 0);
	int ret;

	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (!ret)
		dma_unmap_single(&pdev->dev, PAGE_SIZE, 64, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
	return ret;
}

/* DEBUG_ATOMIC_SLEEP */
static int seeded_sleep(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
	return 0;
}

/* PROVE_RCU */
static int seeded_rcu(void)
{
	static int __rcu *pointer;

	return rcu_dereference(pointer) ? 0 : 0;
}

/* PROVE_LOCKING: s_lock, then exp_lock is the order, never the other way. */
static int seeded_lock_order(void)
{
	struct ktap_test test = { .name = "lock order", .seed = 1 };
	struct fx_qp *q;
	struct fx *fx;
	int ret;

	ret = fx_init(&test);
	if (ret)
		return ret;
	fx = test.priv;
	q = fx_qp_create(fx);
	if (!fx_take_flow(q))
		fx_give_flow(q);
	spin_lock_irq(&fx->rcd->exp_lock);
	spin_lock(&q->qp->s_lock);
	spin_unlock(&q->qp->s_lock);
	spin_unlock_irq(&fx->rcd->exp_lock);
	fx_exit(&test);
	return test.failures ? -EINVAL : 0;
}

static u32 seeded_counter;

static int seeded_racer(void *data)
{
	struct completion *done = data;
	unsigned long end = jiffies + msecs_to_jiffies(SEEDED_RACE_MS);

	while (time_before(jiffies, end)) {
		seeded_counter++;
		barrier();
		cond_resched();
	}
	complete(done);
	return 0;
}

/* KCSAN */
static int seeded_race(void)
{
	struct completion done[2];
	unsigned int i, started = 0;

	for (i = 0; i < ARRAY_SIZE(done); i++) {
		struct task_struct *task;

		init_completion(&done[i]);
		task = kthread_run(seeded_racer, &done[i], "racer/%u", i);
		if (IS_ERR(task))
			break;
		started++;
	}
	for (i = 0; i < started; i++)
		wait_for_completion(&done[i]);
	return started == ARRAY_SIZE(done) ? 0 : -ENOMEM;
}

static const struct {
	const char *name;
	int (*make)(void);
} seeded_faults[] = {
	{ "use-after-free", seeded_use_after_free },
	{ "leak", seeded_leak },
	{ "double-add", seeded_double_add },
	{ "freed-timer", seeded_freed_timer },
	{ "unmap", seeded_unmap },
	{ "sleep", seeded_sleep },
	{ "rcu", seeded_rcu },
	{ "lock-order", seeded_lock_order },
	{ "race", seeded_race },
};

/**
 * seeded_fault - make a fault
 * @name: which one
 *
 * Context: process; sleeps.
 * Return: 0 when it was made, -EINVAL if there is none of that name, or another
 * errno when it could not be made.
 */
int seeded_fault(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seeded_faults); i++)
		if (!strcmp(name, seeded_faults[i].name))
			return seeded_faults[i].make();
	return -EINVAL;
}

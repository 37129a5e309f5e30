// SPDX-License-Identifier: GPL-2.0
/* A fake HFI: device, contexts, and a work queue that can be held. */

#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

#include "checks.h"
#include "fixture.h"

/**
 * fx_of - the fake QP behind rdmavt's
 * @qp: the QP as the code under test knows it
 *
 * Context: any.
 * Return: the fake QP.
 */
struct fx_qp *fx_of(struct rvt_qp *qp)
{
	return qp->ibqp.qp_context;
}

/* Whoever holds it: lockdep, which could tell, is off in these kernels. */
static bool fx_is_held(spinlock_t *lock)
{
	return raw_spin_is_locked(spinlock_check(lock));
}

static void fx_expect_locks(struct fx_qp *q, bool s_lock)
{
	struct fx *fx = q->fx;

	if (!fx->check_locks)
		return;
	if (fx_is_held(&q->qp->s_lock) != s_lock ||
	    fx_is_held(&fx->rcd->exp_lock))
		atomic_inc(&fx->lock_errors);
}

static bool fx_schedule_send(struct rvt_qp *qp)
{
	struct fx_qp *q = fx_of(qp);

	fx_expect_locks(q, true);
	atomic_inc(&q->scheduled);
	if (q->fx->run)
		queue_work(q->fx->ppd->hfi1_wq, &q->engine);
	return true;
}

static bool fx_schedule_send_no_lock(struct rvt_qp *qp)
{
	struct fx_qp *q = fx_of(qp);

	if (q->fx->check_locks && fx_is_held(&q->fx->rcd->exp_lock))
		atomic_inc(&q->fx->lock_errors);
	atomic_inc(&q->scheduled);
	if (q->fx->run)
		queue_work(q->fx->ppd->hfi1_wq, &q->engine);
	return true;
}

static void fx_do_send(struct rvt_qp *qp)
{
	struct fx_qp *q = fx_of(qp);

	fx_expect_locks(q, false);
	atomic_inc(&q->ran);
	if (q->fx->run)
		q->fx->run(q);
}

static void fx_restart_rc(struct rvt_qp *qp, u32 psn, int wait)
{
	struct fx_qp *q = fx_of(qp);

	fx_expect_locks(q, true);
	if (!fx_is_held(&qp->r_lock))
		atomic_inc(&q->fx->lock_errors);
	q->restarts++;
	q->restart_psn = psn;
	q->restart_wait = wait;
}

static void fx_gate(struct work_struct *work)
{
	struct fx *fx = container_of(work, struct fx, gate);

	complete(&fx->gate_shut);
	wait_for_completion(&fx->gate_open);
}

/**
 * fx_shut_gate - hold the work queue: what is queued stays pending
 * @fx: the fixture
 *
 * Context: process; sleeps.
 */
void fx_shut_gate(struct fx *fx)
{
	if (fx->shut)
		return;
	reinit_completion(&fx->gate_shut);
	reinit_completion(&fx->gate_open);
	queue_work(fx->ppd->hfi1_wq, &fx->gate);
	wait_for_completion(&fx->gate_shut);
	fx->shut = true;
}

/**
 * fx_open_gate - let the work queue go on
 * @fx: the fixture
 *
 * Context: process.
 */
void fx_open_gate(struct fx *fx)
{
	if (!fx->shut)
		return;
	fx->shut = false;
	complete(&fx->gate_open);
}

/**
 * fx_settle - let all queued work happen
 * @fx: the fixture
 *
 * Context: process; sleeps.
 */
void fx_settle(struct fx *fx)
{
	fx_open_gate(fx);
	/* A wakeup may queue another one. */
	drain_workqueue(fx->ppd->hfi1_wq);
}

/**
 * fx_random - a random number of the sequence given by the seed
 * @fx: the fixture
 * @ceiling: one more than the largest, not 0
 *
 * Context: one thread at a time.
 * Return: 0 to @ceiling - 1.
 */
u32 fx_random(struct fx *fx, u32 ceiling)
{
	return prandom_u32_state(&fx->rnd) % ceiling;
}

static void fx_free_rcd(struct hfi1_ctxtdata *rcd)
{
	if (!rcd)
		return;
	kfree(rcd->groups);
	kfree(rcd);
}

static void fx_init_set(struct exp_tid_set *set)
{
	INIT_LIST_HEAD(&set->list);
	set->count = 0;
}

/**
 * fx_set_groups - give the context under test its TIDs
 * @fx: the fixture, nothing granted yet
 * @ngroups: groups of 8 TIDs
 *
 * Context: process.
 */
void fx_set_groups(struct fx *fx, u32 ngroups)
{
	struct hfi1_ctxtdata *rcd = fx->rcd;
	u32 i;

	fx_init_set(&rcd->tid_group_list);
	fx_init_set(&rcd->tid_used_list);
	fx_init_set(&rcd->tid_full_list);
	memset(rcd->groups, 0, FX_MAX_GROUPS * sizeof(*rcd->groups));
	for (i = 0; i < ngroups; i++) {
		struct tid_group *group = &rcd->groups[i];

		group->base = FX_TID_BASE + i * FAKE_GROUP;
		group->size = FAKE_GROUP;
		list_add_tail(&group->list, &rcd->tid_group_list.list);
		rcd->tid_group_list.count++;
	}
	rcd->expected_count = ngroups * FAKE_GROUP;
	rcd->rcv_array_groups = ngroups;
	fx->ngroups = ngroups;
}

static struct hfi1_ctxtdata *fx_create_rcd(struct fx *fx, u32 ctxt)
{
	struct hfi1_ctxtdata *rcd = kzalloc_obj(*rcd);
	u32 i;

	if (!rcd)
		return NULL;
	rcd->dd = fx->dd;
	rcd->ppd = fx->ppd;
	rcd->ctxt = ctxt;
	rcd->expected_base = FX_TID_BASE;
	spin_lock_init(&rcd->exp_lock);
	INIT_LIST_HEAD(&rcd->flow_queue.queue_head);
	INIT_LIST_HEAD(&rcd->rarr_queue.queue_head);
	INIT_LIST_HEAD(&rcd->qp_wait_list);
	/* Positions must not depend on where the counters start. */
	rcd->flow_queue.enqueue = U32_MAX - 1;
	rcd->flow_queue.dequeue = U32_MAX - 1;
	rcd->rarr_queue.enqueue = 70;
	rcd->rarr_queue.dequeue = 70;
	for (i = 0; i < FAKE_FLOWS; i++)
		rcd->flows[i].generation = 0x100 + i;
	rcd->groups = kcalloc(FX_MAX_GROUPS, sizeof(*rcd->groups), GFP_KERNEL);
	if (!rcd->groups) {
		kfree(rcd);
		return NULL;
	}
	return rcd;
}

/* hfi1's timer wakes QPs that wait for kernel memory; here tests do. */
static void fx_mem_timer(struct timer_list *timer)
{
}

static void fx_init_verbs(struct hfi1_ibdev *dev)
{
	dev->rdi.driver_f.schedule_send = fx_schedule_send;
	dev->rdi.driver_f.schedule_send_no_lock = fx_schedule_send_no_lock;
	dev->rdi.driver_f.do_send = fx_do_send;
	dev->rdi.driver_f.notify_restart_rc = fx_restart_rc;
	dev->rdi.dparms.nports = 1;
	INIT_LIST_HEAD(&dev->memwait);
	seqlock_init(&dev->iowait_lock);
	timer_setup(&dev->mem_timer, fx_mem_timer, 0);
}

static int fx_create_device(struct fx *fx)
{
	struct hfi1_devdata *dd;

	fx->pdev = kzalloc_obj(*fx->pdev);
	fx->dd = vzalloc(sizeof(*fx->dd));
	fx->ppd = vzalloc(sizeof(*fx->ppd));
	if (!fx->pdev || !fx->dd || !fx->ppd)
		return -ENOMEM;
	fx->dma_mask = DMA_BIT_MASK(48);
	fx->pdev->dev.dma_mask = &fx->dma_mask;
	fx->pdev->dev.coherent_dma_mask = fx->dma_mask;
	fx->pdev->dev.init_name = "fake_hfi";
	fx->hw = fake_hw_create(&fx->pdev->dev);
	if (!fx->hw)
		return -ENOMEM;

	dd = fx->dd;
	dd->pcidev = fx->pdev;
	dd->flags = HFI1_PRESENT;
	dd->kregbase1 = fx->hw->kregbase1;
	dd->kregbase2 = fx->hw->kregbase2;
	dd->base2_start = fx->hw->base2_start;
	dd->rcvarray_wc = (__force void __iomem *)fx->hw->rcvarray;
	dd->rcv_entries.group_size = FAKE_GROUP;
	dd->pport = fx->ppd;
	dd->num_pports = 1;
	dd->rcd = fx->rcds;
	fx->ppd->dd = dd;
	fx_init_verbs(&dd->verbs_dev);
	fx->ppd->hfi1_wq = alloc_ordered_workqueue("fake_hfi", 0);
	return fx->ppd->hfi1_wq ? 0 : -ENOMEM;
}

static void fx_destroy(struct fx *fx)
{
	u32 i;

	for (i = 0; i < FAKE_CTXTS; i++)
		fx_free_rcd(fx->rcds[i]);
	if (fx->ppd && fx->ppd->hfi1_wq)
		destroy_workqueue(fx->ppd->hfi1_wq);
	if (fx->hw)
		fake_hw_destroy(fx->hw);
	vfree(fx->ppd);
	vfree(fx->dd);
	kfree(fx->pdev);
	kfree(fx);
}

/**
 * fx_init - make the fixture: one device, its contexts, no QP yet
 * @test: the case; its &ktap_test.priv becomes the &struct fx
 *
 * The context under test starts with 16 groups of TIDs.
 *
 * Context: process; sleeps.
 * Return: 0, or -ENOMEM.
 */
int fx_init(struct ktap_test *test)
{
	struct fx *fx = kzalloc_obj(*fx);
	u32 i;

	if (!fx)
		return -ENOMEM;
	fx->test = test;
	fx->check_locks = true;
	prandom_seed_state(&fx->rnd, test->seed);
	INIT_WORK(&fx->gate, fx_gate);
	init_completion(&fx->gate_shut);
	init_completion(&fx->gate_open);
	if (fx_create_device(fx))
		goto fail;
	for (i = 0; i < FAKE_CTXTS; i++) {
		fx->rcds[i] = fx_create_rcd(fx, i);
		if (!fx->rcds[i])
			goto fail;
	}
	fx->rcd = fx->rcds[FX_CTXT];
	fx_set_groups(fx, 16);
	fx_shut_gate(fx);
	test->priv = fx;
	return 0;

fail:
	fx_destroy(fx);
	return -ENOMEM;
}

/**
 * fx_exit - let all QPs leave, check that nothing is left, free the fixture
 * @test: the case
 *
 * Context: process; sleeps.
 */
void fx_exit(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u32 i;

	fx->run = NULL;
	for (i = 0; i < fx->nqps; i++)
		fx_qp_leave(fx->qps[i]);
	fx_settle(fx);
	check_quiet(fx);
	tid_wait_forget_all();
	timer_delete_sync(&fx->dd->verbs_dev.mem_timer);
	for (i = 0; i < fx->nqps; i++)
		fx_qp_destroy(fx->qps[i]);
	fx_destroy(fx);
}

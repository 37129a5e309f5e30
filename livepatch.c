// SPDX-License-Identifier: GPL-2.0
/*
 * The door: how our functions take the place of hfi1's, and how they leave.
 *
 * The door is open while the hfi1 that we were built for is loaded, and shut
 * otherwise. It is opened for a module that is there (or just coming, before
 * its first instruction runs) and shut when that module goes: an enabled
 * livepatch that waits for its object would make the kernel refuse any other
 * build of hfi1, and a user must never lose hfi1 to us.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/elf.h>
#include <linux/iopoll.h>
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "include/build_id.h"
#include "debugfs.h"
#include "tid_device.h"
#include "tid_fail.h"
#include "tid_flow.h"
#include "tid_guard.h"
#include "tid_params.h"
#include "tid_rdma.h"
#include "tid_read.h"
#include "tid_reset.h"
#include "tid_retry.h"
#include "tid_wait.h"

#define TID_OBJECT "hfi1"
#define TID_NT_GNU_BUILD_ID 3	/* linux/elf.h lacks it */
#define TID_CAPS (HFI1_CAP_TID_RDMA | HFI1_CAP_OPFN)
/* HFI1_CAP_LOCKED_SMASK of common.h: hfi1 sets it, a user does not. */
#define TID_CAP_LOCKED BIT(63)

/* How long a livepatch may take to let go of a module that is being removed. */
#define TID_SHUT_TIMEOUT_US (10 * USEC_PER_SEC)
#define TID_RETRY (HZ / 2)

#define TID_SEAM(fn) { .old_name = #fn, .new_func = fn }

static const struct klp_func tid_seam[] = {
	TID_SEAM(hfi1_kern_setup_hw_flow),
	TID_SEAM(hfi1_kern_clear_hw_flow),
	TID_SEAM(hfi1_kern_init_ctxt_generations),
	TID_SEAM(hfi1_kern_exp_rcv_setup),
	TID_SEAM(hfi1_kern_exp_rcv_clear),
	TID_SEAM(hfi1_kern_exp_rcv_clear_all),
	TID_SEAM(hfi1_qp_kern_exp_rcv_clear_all),
	TID_SEAM(__trdma_clean_swqe),
	TID_SEAM(hfi1_tid_rdma_flush_wait),
	TID_SEAM(tid_rdma_opfn_init),
	TID_SEAM(tid_rdma_conn_reply),
	TID_SEAM(tid_rdma_conn_error),
	TID_SEAM(setup_tid_rdma_wqe),
	TID_SEAM(hfi1_build_tid_rdma_read_req),
	TID_SEAM(restart_tid_rdma_read_req),
	TID_SEAM(hfi1_build_tid_rdma_read_resp),
	TID_SEAM(hfi1_build_tid_rdma_write_ack),
	TID_SEAM(tid_rdma_trigger_resume),
	TID_SEAM(hfi1_schedule_tid_send),
};

/**
 * struct tid_door - one opening of the door
 * @patch: the livepatch; the kernel wants a fresh one each time
 * @objs: hfi1, and an empty one for the end
 * @funcs: the seam, and an empty one for the end
 * @older: the opening before this one. The kernel tells nobody when it is done
 *	with a struct klp_patch, but it holds this module until then: all are
 *	freed when the module leaves.
 */
struct tid_door {
	struct klp_patch patch;
	struct klp_object objs[2];
	struct klp_func funcs[ARRAY_SIZE(tid_seam) + 1];
	struct tid_door *older;
};

static DEFINE_MUTEX(tid_door_lock);	/* guards the four below */
static struct tid_door *tid_doors;	/* the newest first */
static bool tid_door_open;		/* tid_doors is the open one */
static bool tid_door_refused;		/* the hfi1 that is loaded is not ours */
static struct module *tid_hfi1;		/* hfi1 while it is loaded */

/* Is this the hfi1 we were built for? */

static const u8 tid_build_id[] = HFI1_BUILD_ID;

/**
 * struct tid_build_note - the ELF note that the linker puts into each module
 * @head: its head: 4 bytes of name, 20 bytes of id, its type
 * @name: "GNU"
 * @id: SHA-1 of the module's contents
 */
struct tid_build_note {
	struct elf64_note head;
	char name[4];
	u8 id[sizeof(tid_build_id)];
};

/*
 * Neither struct module nor sysfs (while a module is coming) leads to the
 * note, so look for it in the module's read-only data.
 */
static const struct tid_build_note *tid_find_note(struct module *mod)
{
	static const struct tid_build_note want = {
		.head = { .n_namesz = 4, .n_descsz = sizeof(tid_build_id),
			  .n_type = TID_NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	unsigned int size, at;
	const void *base;

	base = tid_module_rodata(mod, &size);
	for (at = 0; at + sizeof(want) <= size; at += 4)
		if (!memcmp(base + at, &want,
			    offsetof(struct tid_build_note, id)))
			return base + at;
	return NULL;
}

static bool tid_has_function(struct module *mod, const char *name)
{
	struct mod_kallsyms *syms;
	bool found = false;
	unsigned int i;

	rcu_read_lock();
	syms = rcu_dereference(mod->kallsyms);
	for (i = 0; i < syms->num_symtab && !found; i++)
		found = syms->symtab[i].st_shndx != SHN_UNDEF &&
			!strcmp(syms->strtab + syms->symtab[i].st_name, name);
	rcu_read_unlock();
	return found;
}

/* Refuse an hfi1 that we do not know, with one message that says why. */
static int tid_check_hfi1(struct module *mod)
{
	const struct tid_build_note *note = tid_find_note(mod);
	int i;

	if (!note || memcmp(note->id, tid_build_id, sizeof(tid_build_id))) {
		pr_err("not active: the loaded hfi1 has build id %*phN, this module was made for %*phN (kernel %s): run make again on this system and load the result\n",
		       note ? (int)sizeof(note->id) : 0,
		       note ? note->id : NULL,
		       (int)sizeof(tid_build_id), tid_build_id,
		       HFI1_BUILD_RELEASE);
		return -ENOEXEC;
	}
	for (i = 0; i < ARRAY_SIZE(tid_seam); i++) {
		if (tid_has_function(mod, tid_seam[i].old_name))
			continue;
		pr_err("not active: the loaded hfi1 has no function %s: this module needs a newer version for it\n",
		       tid_seam[i].old_name);
		return -ENOENT;
	}
	return 0;
}

/* Without TID RDMA there is nothing to wait for: say how to switch it on. */
static void tid_check_caps(struct module *mod)
{
	unsigned long caps;
	unsigned int i;

	for (i = 0; i < mod->num_kp; i++)
		if (!strcmp(mod->kp[i].name, "cap_mask"))
			break;
	if (i == mod->num_kp)
		return;
	caps = *(unsigned long *)mod->kp[i].arg & ~TID_CAP_LOCKED;
	if ((caps & TID_CAPS) != TID_CAPS)
		pr_notice("TID RDMA is off in hfi1 (cap_mask 0x%lx), so nothing will wait here: load hfi1 with cap_mask=0x%lx to use it\n",
			  caps, caps | TID_CAPS);
}

/* Where the seam has no function to replace, listen at the door of hfi1's own. */

/* A QP goes into error. */
static int tid_error_entered(struct kprobe *probe, struct pt_regs *regs)
{
	struct rvt_qp *qp = (struct rvt_qp *)regs_get_kernel_argument(regs, 0);

	/* rvt_error_qp() holds it. */
	lockdep_assert_held(&qp->s_lock);
	tid_reset_error(qp);
	return 0;
}

/* What a handler is replaced with, for one packet. */
static noinline notrace void tid_packet_dropped(struct hfi1_packet *packet)
{
}

/* A packet of TID RDMA is handed to its handler. */
static int tid_packet_entered(struct kprobe *probe, struct pt_regs *regs)
{
	struct hfi1_packet *packet =
		(struct hfi1_packet *)regs_get_kernel_argument(regs, 0);

	/* hfi1_kdeth_eager_rcv() and hfi1_kdeth_expected_rcv() hold it. */
	lockdep_assert_held(&packet->qp->r_lock);
	if (tid_guard_passes(packet))
		return 0;
	instruction_pointer_set(regs, (unsigned long)tid_packet_dropped);
	return 1;
}

/* Only a kprobe that has this may go on elsewhere than in the function. */
static void tid_packet_after(struct kprobe *probe, struct pt_regs *regs,
			     unsigned long flags)
{
}

/**
 * struct tid_listener - where to listen
 * @symbol: hfi1's function
 * @entered: called when that is
 * @after: called when its first instruction has run; of those that skip it
 * @without: what it means if the kernel refuses
 */
struct tid_listener {
	const char *symbol;
	kprobe_pre_handler_t entered;
	kprobe_post_handler_t after;
	const char *without;
};

static const char tid_without_error[] =
	"QPs in error keep the TIDs of inbound WRITEs until they are reset";
static const char tid_without_guard[] = "forged packets can crash hfi1";

static const struct tid_listener tid_listeners[] = {
	{ "hfi1:notify_error_qp", tid_error_entered, NULL, tid_without_error },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_write_req", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_write_resp", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_write_data", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_read_req", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_resync", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
	{ "hfi1:hfi1_rc_rcv_tid_rdma_ack", tid_packet_entered,
	  tid_packet_after, tid_without_guard },
};

/* Guarded by tid_door_lock; .addr is set while one is in place. */
static struct kprobe tid_probes[ARRAY_SIZE(tid_listeners)];

static void tid_listen(void)
{
	int i, ret;

	lockdep_assert_held(&tid_door_lock);
	for (i = 0; i < ARRAY_SIZE(tid_listeners); i++) {
		/* The kernel wants a fresh one each time. */
		tid_probes[i] = (struct kprobe) {
			.symbol_name = tid_listeners[i].symbol,
			.pre_handler = tid_listeners[i].entered,
			.post_handler = tid_listeners[i].after,
		};
		ret = register_kprobe(&tid_probes[i]);
		if (!ret)
			continue;
		tid_probes[i].addr = NULL;
		pr_warn("active, but %s: no kprobe at %s (error %d)\n",
			tid_listeners[i].without, tid_listeners[i].symbol, ret);
	}
}

static void tid_stop_listening(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(tid_listeners); i++) {
		if (tid_probes[i].addr)
			unregister_kprobe(&tid_probes[i]);
		tid_probes[i].addr = NULL;
	}
}

/* In and out */

static void tid_post_patch(struct klp_object *obj)
{
	tid_device_settle();
	pr_info("active: serving the TID waits of hfi1\n");
}

static void tid_post_unpatch(struct klp_object *obj)
{
	tid_device_settle();
	tid_wait_forget_all();
	pr_info("no longer active: hfi1 serves itself\n");
}

static struct tid_door *tid_make_door(void)
{
	struct tid_door *door = kzalloc_obj(*door);

	if (!door)
		return NULL;
	memcpy(door->funcs, tid_seam, sizeof(tid_seam));
	door->objs[0].name = TID_OBJECT;
	door->objs[0].funcs = door->funcs;
	door->objs[0].callbacks.post_patch = tid_post_patch;
	door->objs[0].callbacks.post_unpatch = tid_post_unpatch;
	door->patch.mod = THIS_MODULE;
	door->patch.objs = door->objs;
	return door;
}

static int tid_open_door(struct module *mod)
{
	struct tid_door *door;
	int ret;

	lockdep_assert_held(&tid_door_lock);
	ret = tid_check_hfi1(mod);
	if (ret)
		return ret;
	door = tid_make_door();
	if (!door) {
		pr_err("not active: no memory: free some, and if this was an insmod repeat it\n");
		return -ENOMEM;
	}
	ret = klp_enable_patch(&door->patch);
	if (ret) {
		kfree(door);
		if (ret != -EBUSY)
			pr_err("not active: livepatch refused (error %d): see the lines above and check that kernel.ftrace_enabled is 1\n",
			       ret);
		return ret;
	}
	door->older = tid_doors;
	tid_doors = door;
	tid_door_open = true;
	tid_listen();
	ret = tid_device_watch();
	if (ret)
		pr_warn("active, but without figures in debugfs (error %d)\n",
			ret);
	return 0;
}

/*
 * Livepatch exports no way to disable a patch, only the file that a user
 * writes 0 to: do what that file does.
 */
static int tid_disable_patch(struct klp_patch *patch)
{
	const struct kobj_type *type = patch->kobj.ktype;
	struct attribute **attr;

	for (attr = type->default_groups[0]->attrs; *attr; attr++)
		if (!strcmp((*attr)->name, "enabled"))
			break;
	if (!*attr)
		return -EOPNOTSUPP;
	return type->sysfs_ops->store(&patch->kobj, *attr, "0", 1);
}

static bool tid_in_sysfs(struct kobject *kobj)
{
	return kobj->state_in_sysfs;
}

/* A patch is gone when its folder in /sys/kernel/livepatch is. */
static int tid_wait_for_removal(struct klp_patch *patch)
{
	bool there;

	return read_poll_timeout(tid_in_sysfs, there, !there, USEC_PER_MSEC,
				 TID_SHUT_TIMEOUT_US, false, &patch->kobj);
}

static int tid_shut_door(void)
{
	struct klp_patch *patch = &tid_doors->patch;
	int ret = 0;

	lockdep_assert_held(&tid_door_lock);
	tid_stop_listening();
	/* Not enabled: somebody has shut it by hand already. */
	if (READ_ONCE(patch->enabled))
		ret = tid_disable_patch(patch);
	if (ret == -EBUSY)
		return ret;
	if (ret < 0 || tid_wait_for_removal(patch))
		pr_warn("livepatch does not let go of hfi1 (error %d): unload this module before hfi1 is loaded again\n",
			ret);
	tid_device_unwatch();
	tid_door_open = false;
	return 0;
}

static void tid_door_retry(struct work_struct *work);
static DECLARE_DELAYED_WORK(tid_door_work, tid_door_retry);

/* Another livepatch is in transition, or there is no memory just now. */
static bool tid_door_may_open_later(int ret)
{
	return ret == -EBUSY || ret == -ENOMEM;
}

/* Bring the door into the state that hfi1's presence asks for. */
static int tid_update_door(void)
{
	int ret = 0;

	lockdep_assert_held(&tid_door_lock);
	if (tid_hfi1 && !tid_door_open && !tid_door_refused) {
		ret = tid_open_door(tid_hfi1);
		tid_door_refused = ret && !tid_door_may_open_later(ret);
	} else if (!tid_hfi1 && tid_door_open) {
		ret = tid_shut_door();
	}
	if (tid_door_may_open_later(ret))
		schedule_delayed_work(&tid_door_work, TID_RETRY);
	return ret;
}

static void tid_door_retry(struct work_struct *work)
{
	mutex_lock(&tid_door_lock);
	tid_update_door();
	mutex_unlock(&tid_door_lock);
}

/* Nothing that goes wrong here may keep hfi1 from loading: always NOTIFY_OK. */
static int tid_module_event(struct notifier_block *nb, unsigned long event,
			    void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, TID_OBJECT))
		return NOTIFY_DONE;
	mutex_lock(&tid_door_lock);
	switch (event) {
	case MODULE_STATE_COMING:
	case MODULE_STATE_LIVE:
		tid_hfi1 = mod;
		break;
	case MODULE_STATE_GOING:
		tid_hfi1 = NULL;
		tid_door_refused = false;
		break;
	}
	tid_update_door();
	/* Its parameters have their values only when it is live. */
	if (event == MODULE_STATE_LIVE && tid_door_open)
		tid_check_caps(mod);
	mutex_unlock(&tid_door_lock);
	return NOTIFY_OK;
}

static struct notifier_block tid_module_nb = {
	.notifier_call = tid_module_event,
};

/* The loaded hfi1 with a reference, or NULL. find_module() is not exported. */
static struct module *tid_get_hfi1(void)
{
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset,
					     TID_OBJECT);
	struct module *mod = NULL;

	if (kobj) {
		mod = container_of(kobj, struct module_kobject, kobj)->mod;
		if (!try_module_get(mod))
			mod = NULL;
		kobject_put(kobj);
	}
	return mod;
}

static void tid_leave(void)
{
	struct tid_door *older;

	unregister_module_notifier(&tid_module_nb);
	cancel_delayed_work_sync(&tid_door_work);
	tid_stop_listening();
	if (tid_door_open)
		tid_device_unwatch();
	tid_fail_exit();
	tid_debugfs_exit();
	tid_wait_forget_all();
	for (; tid_doors; tid_doors = older) {
		older = tid_doors->older;
		kfree(tid_doors);
	}
}

static int __init tid_init(void)
{
	struct module *mod;
	int ret;

	ret = tid_fail_init();
	if (ret)
		return ret;
	ret = register_module_notifier(&tid_module_nb);
	if (ret) {
		tid_fail_exit();
		return ret;
	}
	tid_debugfs_init();
	mod = tid_get_hfi1();
	if (!mod) {
		pr_info("hfi1 is not loaded yet: waiting for it\n");
		return 0;
	}
	mutex_lock(&tid_door_lock);
	tid_hfi1 = mod;
	ret = tid_update_door();
	if (!ret)
		tid_check_caps(mod);
	mutex_unlock(&tid_door_lock);
	module_put(mod);
	if (ret == -EBUSY)
		pr_err("another livepatch is in transition: try again when it is through\n");
	if (ret)
		tid_leave();
	return ret;
}

static void __exit tid_exit(void)
{
	tid_leave();
}

module_init(tid_init);
module_exit(tid_exit);
MODULE_DESCRIPTION("TID wait queues, flows and expected receive of hfi1, by livepatch");
MODULE_AUTHOR("The hfi1_tid_wait developers");
MODULE_LICENSE("GPL");
MODULE_VERSION("1.0");
MODULE_INFO(livepatch, "Y");

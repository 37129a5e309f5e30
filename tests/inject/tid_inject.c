// SPDX-License-Identifier: GPL-2.0
/*
 * Make chosen calls of hfi1 and of hfi1_tid_wait fail, in a kernel that is built
 * without CONFIG_FAULT_INJECTION.
 *
 * A kprobe sits on each function that can fail. It counts the calls that come
 * from the two modules, and sends the chosen ones to a function that does
 * nothing but return what a failure looks like: nothing was mapped or allocated,
 * so nothing has to be undone.
 *
 * Parameters of the module, all of them given when it is loaded:
 *	points   which functions, names of inject_points with commas between them
 *	callers  only calls made in functions in whose names, as the kernel log
 *		 has them ("function [module]"), one of these occurs
 *	from     the first call that may fail, counted from 1
 *	count    how many fail, from there on
 *	one_in   each of them fails with a chance of one in so many
 * /sys/module/tid_inject/parameters/figures has a line for each point that was
 * asked for: its name, how many calls there were, how many failed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/dma-mapping.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#define INJECT_FUNCTIONS	9
#define INJECT_CALLERS		8
#define INJECT_KNOWN		64

static noinline notrace unsigned long inject_null(void)
{
	return 0;
}

static noinline notrace unsigned long inject_unmapped(void)
{
	return DMA_MAPPING_ERROR;
}

/* Also as the error pointer of that name. */
static noinline notrace unsigned long inject_enomem(void)
{
	return -ENOMEM;
}

/* hfi1 keeps 48 bits of an address: what it has then when a mapping failed. */
static bool inject_is_unmapped(struct pt_regs *regs)
{
	u64 address = regs_get_kernel_argument(regs, 1);

	return (address & DMA_BIT_MASK(48)) == DMA_BIT_MASK(48);
}

/**
 * struct inject_point - something that can fail, or is only counted
 * @name: what it is called in the parameters
 * @fails: what takes the place of a call that fails; NULL if none ever does
 * @regards: is this one of the calls that are meant? NULL if all are
 * @functions: who does it, by the names of all kernels that we know; a kernel
 *	has some of them
 * @probes: at those functions
 * @wanted: it is named in the parameters
 * @calls: calls that came from where we look, while it was wanted
 * @failed: how many of them failed
 */
struct inject_point {
	const char *name;
	unsigned long (*fails)(void);
	bool (*regards)(struct pt_regs *regs);
	const char *functions[INJECT_FUNCTIONS];
	struct kprobe probes[INJECT_FUNCTIONS];
	bool wanted;
	atomic_t calls;
	atomic_t failed;
};

static struct inject_point inject_points[] = {
	{
		.name = "map",
		.fails = inject_unmapped,
		.functions = { "dma_map_page_attrs" },
	}, {
		.name = "unmap",
		.functions = { "dma_unmap_page_attrs" },
	}, {
		.name = "unmap_none",
		.regards = inject_is_unmapped,
		.functions = { "dma_unmap_page_attrs" },
	}, {
		.name = "memory",
		.fails = inject_null,
		.functions = {
			"__kmalloc_noprof", "__kmalloc_node_noprof",
			"__kmalloc_cache_noprof",
			"__kmalloc_cache_node_noprof",
			"__kmalloc_large_node_noprof",
			"__kmalloc", "__kmalloc_node",
			"kmalloc_trace", "kmalloc_node_trace",
		},
	}, {
		.name = "cache",
		.fails = inject_null,
		.functions = { "kmem_cache_alloc_noprof", "kmem_cache_alloc" },
	}, {
		.name = "shadow",
		.fails = inject_null,
		.functions = { "klp_shadow_get_or_alloc" },
	}, {
		.name = "debugfs",
		.fails = inject_enomem,
		.functions = {
			"debugfs_create_dir", "debugfs_create_file",
			"debugfs_create_file_full",
		},
	}, {
		.name = "livepatch",
		.fails = inject_enomem,
		.functions = { "klp_enable_patch" },
	}, {
		.name = "client",
		.fails = inject_enomem,
		.functions = { "ib_register_client" },
	}, {
		.name = "notifier",
		.fails = inject_enomem,
		.functions = { "register_module_notifier" },
	}, {
		.name = "kprobe",
		.fails = inject_enomem,
		.functions = { "register_kprobe" },
	},
};

static char *points[ARRAY_SIZE(inject_points)];
static unsigned int n_points;
module_param_array(points, charp, &n_points, 0444);
MODULE_PARM_DESC(points, "what is to fail: map, memory, cache, shadow, debugfs, livepatch, client, notifier, kprobe; what is only counted: unmap, unmap_none");

static char *callers[INJECT_CALLERS];
static unsigned int n_callers;
module_param_array(callers, charp, &n_callers, 0444);
MODULE_PARM_DESC(callers, "parts of the names of functions whose calls fail (default: all of hfi1 and hfi1_tid_wait)");

static unsigned int from = 1;
module_param(from, uint, 0444);
MODULE_PARM_DESC(from, "the first call that may fail (default: 1)");

static unsigned int count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "how many calls fail at each point (default: 1)");

static unsigned int one_in = 1;
module_param(one_in, uint, 0444);
MODULE_PARM_DESC(one_in, "chance of a call to fail, one in so many (default: 1)");

static int inject_show_figures(char *buffer, const struct kernel_param *unused)
{
	int i, len = 0;

	for (i = 0; i < ARRAY_SIZE(inject_points); i++) {
		struct inject_point *point = &inject_points[i];

		if (point->wanted)
			len += sysfs_emit_at(buffer, len, "%s %u %u\n",
					     point->name,
					     atomic_read(&point->calls),
					     atomic_read(&point->failed));
	}
	return len;
}

static const struct kernel_param_ops inject_figures_ops = {
	.get = inject_show_figures,
};
module_param_cb(figures, &inject_figures_ops, NULL, 0444);
MODULE_PARM_DESC(figures, "a line for each point: its name, calls, how many failed");

/*
 * Where the last calls came from, and whether those are to fail: to look up a
 * function's name takes long.
 */
static unsigned long inject_known[2][INJECT_KNOWN];

static bool inject_look_up(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];
	int i;

	sprint_symbol_no_offset(name, address);
	if (!strstr(name, " [hfi1]") && !strstr(name, " [hfi1_tid_wait]"))
		return false;
	for (i = 0; i < n_callers; i++)
		if (strstr(name, callers[i]))
			return true;
	return !n_callers;
}

static bool inject_is_caller(unsigned long address)
{
	u32 slot = hash_long(address, ilog2(INJECT_KNOWN));
	bool is;

	if (address < MODULES_VADDR || address >= MODULES_END)
		return false;
	if (READ_ONCE(inject_known[false][slot]) == address)
		return false;
	if (READ_ONCE(inject_known[true][slot]) == address)
		return true;
	is = inject_look_up(address);
	WRITE_ONCE(inject_known[is][slot], address);
	return is;
}

/* Other functions come to be at the addresses that we know. */
static int inject_forget(struct notifier_block *nb, unsigned long event,
			 void *data)
{
	int i;

	for (i = 0; i < INJECT_KNOWN; i++) {
		WRITE_ONCE(inject_known[0][i], 0);
		WRITE_ONCE(inject_known[1][i], 0);
	}
	return NOTIFY_OK;
}

static struct notifier_block inject_module_nb = {
	.notifier_call = inject_forget,
};

static bool inject_now(struct inject_point *point)
{
	if (atomic_inc_return(&point->calls) < from || !point->fails)
		return false;
	if (one_in > 1 && get_random_u32() % one_in)
		return false;
	return atomic_add_unless(&point->failed, 1, count);
}

static struct inject_point *inject_point_of(struct kprobe *probe)
{
	int i = 0;

	while (probe < inject_points[i].probes ||
	       probe >= inject_points[i].probes + INJECT_FUNCTIONS)
		i++;
	return &inject_points[i];
}

static int inject_called(struct kprobe *probe, struct pt_regs *regs)
{
	struct inject_point *point = inject_point_of(probe);

	/* nothing is pushed yet: the top of the stack is where it returns to */
	if (!inject_is_caller(regs_get_kernel_stack_nth(regs, 0)) ||
	    (point->regards && !point->regards(regs)) || !inject_now(point))
		return 0;
	instruction_pointer_set(regs, (unsigned long)point->fails);
	return 1;
}

/* The kernel lets only a kprobe that has one of these change where it goes on. */
static void inject_passed(struct kprobe *probe, struct pt_regs *regs,
			  unsigned long flags)
{
}

static void inject_remove(void)
{
	int i, j;

	unregister_module_notifier(&inject_module_nb);
	for (i = 0; i < ARRAY_SIZE(inject_points); i++)
		for (j = 0; j < INJECT_FUNCTIONS; j++)
			if (inject_points[i].probes[j].addr)
				unregister_kprobe(&inject_points[i].probes[j]);
}

static int inject_put(struct inject_point *point)
{
	int i, ret = -ENOENT, put = 0;

	for (i = 0; i < INJECT_FUNCTIONS && point->functions[i]; i++) {
		struct kprobe *probe = &point->probes[i];

		probe->symbol_name = point->functions[i];
		probe->pre_handler = inject_called;
		probe->post_handler = inject_passed;
		ret = register_kprobe(probe);
		if (ret)
			probe->addr = NULL;
		else
			put++;
	}
	point->wanted = put;
	return put ? 0 : ret;
}

static int inject_put_named(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(inject_points); i++)
		if (!strcmp(inject_points[i].name, name))
			return inject_put(&inject_points[i]);
	return -EINVAL;
}

static int __init inject_init(void)
{
	int i, ret;

	if (!one_in || !n_points)
		return -EINVAL;
	ret = register_module_notifier(&inject_module_nb);
	if (ret)
		return ret;
	for (i = 0; i < n_points && !ret; i++) {
		ret = inject_put_named(points[i]);
		if (ret)
			pr_err("cannot make %s fail (error %d)\n", points[i],
			       ret);
	}
	if (ret)
		inject_remove();
	return ret;
}
module_init(inject_init);

static void __exit inject_exit(void)
{
	inject_remove();
}
module_exit(inject_exit);

MODULE_DESCRIPTION("Failures injected into hfi1 and hfi1_tid_wait");
MODULE_AUTHOR("The hfi1_tid_wait developers");
MODULE_LICENSE("GPL");

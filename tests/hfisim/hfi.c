// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/mman.h>

#include "csr.h"

/* Two HFIs whose GUIDs differ in bit 39 only would be taken for one chip. */
#define GUID_BASE	0x0011750101000000ULL
#define GUID_STEP	0x1000ULL

struct hfi_config hfi_config_default(void)
{
	struct hfi_config config = {
		.device_id = 0x24f1,
		.icode = 1,
		.rcv_contexts = 26,
		.send_contexts = 26,
		.sdma_engines = 8,
		.rcv_array = 4096,
	};

	return config;
}

static bool in_range(const char *what, u32 value, u32 low, u32 high)
{
	if (value >= low && value <= high)
		return true;
	hfi_log(NULL, LOG_ERROR, "%u %s: use %u to %u", value, what, low, high);
	return false;
}

bool hfi_config_valid(const struct hfi_config *config)
{
	if (config->device_id != 0x24f0 && config->device_id != 0x24f1) {
		hfi_log(NULL, LOG_ERROR, "device id %04x: use 24f0 or 24f1",
			config->device_id);
		return false;
	}
	if (config->icode != 1 && config->icode != 3) {
		hfi_log(NULL, LOG_ERROR, "implementation code %u: use 1 or 3",
			config->icode);
		return false;
	}
	if (config->rcv_array % 8) {
		hfi_log(NULL, LOG_ERROR, "%u RcvArray entries: use a multiple of 8",
			config->rcv_array);
		return false;
	}
	return in_range("receive contexts", config->rcv_contexts, 1,
			RCV_CONTEXTS_MAX) &&
	       in_range("send contexts", config->send_contexts, 1,
			SEND_CONTEXTS_MAX) &&
	       in_range("SDMA engines", config->sdma_engines, 1,
			SDMA_ENGINES_MAX) &&
	       in_range("RcvArray entries", config->rcv_array, 8, RCV_ARRAY_MAX);
}

struct hfi *hfi_new(const struct hfi_config *config, struct loop *loop)
{
	struct hfi *hfi;

	if (!hfi_config_valid(config))
		return NULL;
	hfi = calloc(1, sizeof(*hfi));
	if (!hfi)
		goto no_memory;
	hfi->config = *config;
	hfi->loop = loop;
	hfi->peer = hfi;
	hfi->guid = GUID_BASE + GUID_STEP * (config->index + 1);
	interrupt_init(hfi);
	hfi->bar = mmap(NULL, BAR_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (hfi->bar == MAP_FAILED) {
		hfi->bar = NULL;
		goto no_memory;
	}
	hfi->fault = fault_new(hfi);
	hfi->ledger = ledger_new(hfi);
	hfi->lie = lie_new(hfi);
	if (!hfi->fault || !hfi->ledger || !hfi->lie)
		goto no_memory;
	pci_init(hfi);
	hfi_reset(hfi);
	return hfi;

no_memory:
	hfi_log(NULL, LOG_ERROR, "out of memory");
	hfi_free(hfi);
	return NULL;
}

void hfi_free(struct hfi *hfi)
{
	if (!hfi)
		return;
	loop_timer_cancel(hfi->loop, &hfi->link.timer);
	if (hfi->peer != hfi)
		hfi->peer->peer = hfi->peer;
	packet_purge(&hfi->port.waiting);
	fault_free(hfi->fault);
	ledger_free(hfi->ledger);
	lie_free(hfi->lie);
	interrupt_close(hfi);
	mem_remove_all(hfi);
	if (hfi->bar)
		munmap(hfi->bar, BAR_SIZE);
	free(hfi);
}

void hfi_connect(struct hfi *a, struct hfi *b)
{
	a->peer = b;
	b->peer = a;
}

void hfi_reset(struct hfi *hfi)
{
	unsigned int i;

	packet_purge(&hfi->port.waiting);
	fault_reset(hfi);
	ledger_reset(hfi);
	csr_reset(hfi);
	for (i = 0; i < SEND_CONTEXTS_MAX; i++)
		pio_reset(hfi, i);
	for (i = 0; i < SDMA_ENGINES_MAX; i++)
		sdma_reset(hfi, i);
	memset(hfi->rcv, 0, sizeof(hfi->rcv));
	link_reset(hfi);
}

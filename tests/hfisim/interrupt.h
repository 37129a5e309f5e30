/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_INTERRUPT_H
#define HFISIM_INTERRUPT_H

#include "types.h"

struct hfi;

#define INTERRUPT_SOURCES	768
#define INTERRUPT_WORDS		(INTERRUPT_SOURCES / 64)
#define MSIX_VECTORS		256

/* first source of each group (chip.h, IS_*_START) */
enum interrupt_source {
	SOURCE_CCE_ERROR = 0,
	SOURCE_SDMA_ERROR = 16,		/* + engine */
	SOURCE_SEND_CONTEXT_ERROR = 32,	/* + send context */
	SOURCE_SDMA = 192,		/* + engine */
	SOURCE_PBC = 240,
	SOURCE_DCC = 248,
	SOURCE_LCB = 249,
	SOURCE_8051 = 250,
	SOURCE_RCV_AVAILABLE = 256,	/* + receive context */
	SOURCE_RCV_URGENT = 416,	/* + receive context */
	SOURCE_SEND_CREDIT = 576,	/* + send context */
};

/**
 * struct interrupt - the interrupt block; status, mask and map are registers
 * @eventfd: what QEMU gave for each MSI-X vector, -1 for none
 * @fired: how often each source made an MSI-X message
 */
struct interrupt {
	int eventfd[MSIX_VECTORS];
	u32 fired[INTERRUPT_SOURCES];
};

/**
 * interrupt_init() - no vector has an eventfd
 * @hfi: the HFI
 */
void interrupt_init(struct hfi *hfi);

/**
 * interrupt_set_eventfd() - give a vector an eventfd
 * @hfi: the HFI
 * @vector: 0 to MSIX_VECTORS - 1
 * @fd: owned and closed by the HFI from now on, -1 for none
 */
void interrupt_set_eventfd(struct hfi *hfi, unsigned int vector, int fd);

/**
 * interrupt_close() - close all eventfds
 * @hfi: the HFI
 */
void interrupt_close(struct hfi *hfi);

/**
 * interrupt_raise() - an event of a source
 * @hfi: the HFI
 * @source: below INTERRUPT_SOURCES
 *
 * Sets the status bit. A message goes out on the change from 0 to 1 if the
 * source is not masked.
 */
void interrupt_raise(struct hfi *hfi, unsigned int source);

/**
 * interrupt_levels() - raise the sources whose cause is still there
 * @hfi: the HFI
 *
 * The error sources follow "flag register and enable register".
 */
void interrupt_levels(struct hfi *hfi);

/**
 * interrupt_receive_error() - a parity error in the receive block's registers
 * @hfi: the HFI
 *
 * Freezes the send and receive blocks: one of ALL_RXE_FREEZE_ERR of chip.c.
 */
void interrupt_receive_error(struct hfi *hfi);

/**
 * interrupt_csr_write() - write a register of the interrupt block
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8
 * @value: what is written
 *
 * Return: true if the register belongs to the block and has been written.
 */
bool interrupt_csr_write(struct hfi *hfi, u32 offset, u64 value);

#endif

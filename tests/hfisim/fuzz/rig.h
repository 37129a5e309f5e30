/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_FUZZ_RIG_H
#define HFISIM_FUZZ_RIG_H

#include "csr.h"
#include "hfi.h"

#define RIG_MEMORY		0x10000000ULL
#define RIG_MEMORY_SIZE		0x100000u
#define RIG_CONTEXTS		4u
#define RIG_KDETH_PREFIX	0x80u

/**
 * struct rig - two HFIs with guest memory, cabled together, the link up
 * @loop: of both
 * @hfi: the HFIs
 * @memory: guest memory of each; a sanitizer sees a byte beyond it
 */
struct rig {
	struct loop *loop;
	struct hfi *hfi[2];
	u8 *memory[2];
};

/**
 * struct input - what the fuzzer gave, taken from the front
 * @data: next byte
 * @left: bytes left
 */
struct input {
	const u8 *data;
	size_t left;
};

/**
 * rig_start() - make the rig as good as new
 *
 * There is one rig for all inputs, because making one takes longer than most
 * inputs. Exits when memory is short.
 *
 * Return: the rig.
 */
struct rig *rig_start(void);

/**
 * rig_contexts() - set the receive contexts of HFI 0 up as a driver does
 * @rig: the rig
 * @flags: bits of RcvCtxtCtrl to add
 */
void rig_contexts(struct rig *rig, u64 flags);

/**
 * rig_drain() - take everything out of the header queues of HFI 0
 * @rig: the rig
 */
void rig_drain(struct rig *rig);

/**
 * input_number() - take a little endian number
 * @input: where from; what is missing is 0
 * @bytes: 1 to 8
 * Return: the number.
 */
u64 input_number(struct input *input, unsigned int bytes);

/**
 * fuzz_input() - run one input; libFuzzer calls it by its own name for it
 * @data: the input
 * @size: its length
 * Return: 0.
 */
int fuzz_input(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif

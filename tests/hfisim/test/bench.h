/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_TEST_BENCH_H
#define HFISIM_TEST_BENCH_H

/* cmocka.h wants these four first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csr.h"
#include "hfi.h"
#include "regs.h"

/*
 * Two HFIs, cabled together and with the link up. Each has its own guest
 * memory, which begins at MEMORY, ends at MEMORY + MEMORY_SIZE and has
 * nothing around it. HFI 1 sends, HFI 0 receives.
 */

#define MEMORY		0x10000000ULL
#define MEMORY_SIZE	0x100000u

/* where a test finds what in guest memory */
#define HEADER_QUEUE	(MEMORY + 0x00000)
#define HEADER_TAIL	(MEMORY + 0x08000)
#define CREDITS		(MEMORY + 0x09000)
#define DMA_HEAD	(MEMORY + 0x0a000)
#define DMA_RING	(MEMORY + 0x0b000)
#define DMA_DATA	(MEMORY + 0x10000)
#define EAGER_BUFFERS	(MEMORY + 0x20000)
#define PAGES		(MEMORY + 0x40000)

/* the receive context that bench_context() sets up */
#define CONTEXT		3
#define QUEUE_ENTRIES	32u
#define ENTRY_DWORDS	32u
#define EAGER_FIRST	64u
#define EAGER_COUNT	8u
#define EAGER_SIZE	4096u
#define TID_FIRST	128u
#define TID_COUNT	64u
#define FLOW		5u
#define KDETH_PREFIX	0x80u
#define KDETH_HEADER	56u

/**
 * struct bench - what a test works with
 * @loop: of both HFIs
 * @hfi: the HFIs
 * @memory: their guest memory
 */
struct bench {
	struct loop *loop;
	struct hfi *hfi[2];
	u8 *memory[2];
};

/**
 * struct expected_args - an expected packet to make
 * @opcode: of the BTH
 * @flow: in the destination QP
 * @psn: generation and sequence
 * @kdeth: first KDETH dword
 * @payload: bytes, filled with a pattern that starts with @fill
 * @fill: see @payload
 */
struct expected_args {
	u8 opcode;
	u32 flow;
	u32 psn;
	u32 kdeth;
	u32 payload;
	u8 fill;
};

/**
 * bench_setup() - a cmocka fixture: makes a struct bench
 * @state: set to it
 * Return: 0, or -1.
 */
int bench_setup(void **state);

/**
 * bench_teardown() - the end of the fixture
 * @state: from bench_setup()
 * Return: 0.
 */
int bench_teardown(void **state);

/**
 * bench_context() - set receive context CONTEXT of HFI 0 up and enable it
 * @bench: the bench
 * @control: more bits of RcvCtxtCtrl
 */
void bench_context(struct bench *bench, u64 control);

/**
 * bench_memory() - guest memory of HFI 0
 * @bench: the bench
 * @address: bus address
 * Return: the byte there.
 */
u8 *bench_memory(struct bench *bench, u64 address);

/**
 * bench_tid() - program an entry of the context's share in HFI 0
 * @bench: the bench
 * @index: in the share
 * @address: bus address
 * @order: 0 invalid, 1 for 4 KiB, 2 for 8 KiB ...
 */
void bench_tid(struct bench *bench, u32 index, u64 address, u32 order);

/**
 * bench_flow() - program flow FLOW of the context
 * @bench: the bench
 * @generation: of the flow
 * @sequence: next one
 * @flags: FLOW_VALID and the like
 */
void bench_flow(struct bench *bench, u32 generation, u32 sequence, u64 flags);

/**
 * bench_flow_row() - read flow FLOW of the context
 * @bench: the bench
 * Return: the row.
 */
u64 bench_flow_row(struct bench *bench);

/**
 * expected_packet() - make a parsed expected packet
 * @args: what it shall be
 * Return: the packet, to be freed with packet_free().
 */
struct packet *expected_packet(const struct expected_args *args);

/**
 * kdeth_word() - make the first KDETH dword
 * @control: TID control
 * @tid: pair of entries
 * @offset: in @unit bytes
 * @unit: 4 or 64
 * Return: the dword.
 */
u32 kdeth_word(u32 control, u32 tid, u32 offset, u32 unit);

/**
 * ib_packet() - make a parsed plain RC packet
 * @opcode: of the BTH
 * @qpn: destination QP
 * @psn: of the BTH
 * @length: bytes from the LRH on, at least 20
 * Return: the packet, to be freed with packet_free().
 */
struct packet *ib_packet(u8 opcode, u32 qpn, u32 psn, u32 length);

/**
 * pattern_at() - byte of a payload made by expected_packet()
 * @fill: its first byte
 * @index: which byte
 * Return: the byte.
 */
u8 pattern_at(u8 fill, u32 index);

/**
 * assert_pattern() - fail unless memory holds a payload
 * @data: the memory
 * @fill: first byte of the payload
 * @from: index of the first byte to look at
 * @length: number of bytes
 */
void assert_pattern(const u8 *data, u8 fill, u32 from, u32 length);

/**
 * rhf_at() - receive header flags of a header queue entry
 * @bench: the bench
 * @index: of the entry
 * Return: the flags.
 */
u64 rhf_at(struct bench *bench, u32 index);

/**
 * header_at() - the packet header in a header queue entry
 * @bench: the bench
 * @index: of the entry
 * Return: its first byte, found by the offset in the flags.
 */
const u8 *header_at(struct bench *bench, u32 index);

/**
 * payload_at() - the payload that a header queue entry says is in a buffer
 * @bench: the bench
 * @index: of the entry
 * Return: its first byte.
 */
const u8 *payload_at(struct bench *bench, u32 index);

/**
 * move_head() - the driver has taken header queue entries
 * @bench: the bench
 * @entries: head, in entries
 */
void move_head(struct bench *bench, u32 entries);

/**
 * queue_tail() - header queue tail of the context
 * @bench: the bench
 * Return: the tail, in entries.
 */
u32 queue_tail(struct bench *bench);

/**
 * psn_at() - PSN of the packet in a header queue entry
 * @bench: the bench
 * @index: of the entry
 * Return: the PSN.
 */
u32 psn_at(struct bench *bench, u32 index);

/**
 * send_expected() - HFI 1 sends 64 bytes for the first entry of the share
 * @bench: the bench
 * @psn: of the packet, and the payload's fill
 * @opcode: of the BTH
 */
void send_expected(struct bench *bench, u32 psn, u8 opcode);

/**
 * receive() - let a packet arrive at HFI 0 and free it
 * @bench: the bench
 * @packet: the packet
 */
void receive(struct bench *bench, struct packet *packet);

/* TEST_LIST - cmocka's type of a list of tests, whose name is not kernel style */
#define TEST_LIST	const struct CMU##nit##T##est

/* BENCH_TEST() - a test with a bench of its own */
#define BENCH_TEST(function) \
	cmocka_unit_test_setup_teardown(function, bench_setup, bench_teardown)

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests have in common: two HFIs, guest memory, packets
 */
#include <stdlib.h>

#include "bench.h"

#define LRH_LNH_BTH	2
#define PACKET_LID	1

static struct hfi *bench_hfi(struct bench *bench, unsigned int index)
{
	struct hfi_config config = hfi_config_default();
	struct hfi *hfi;

	config.index = index;
	config.rcv_array = 256;
	hfi = hfi_new(&config, bench->loop);
	if (!hfi)
		return NULL;
	bench->memory[index] = calloc(1, MEMORY_SIZE);
	if (mem_add_buffer(hfi, MEMORY, bench->memory[index], MEMORY_SIZE, true))
		return NULL;
	csr_set(hfi, RCV_CTRL, RCV_CTRL_RCV_PORT_ENABLE_SMASK);
	csr_set(hfi, RCV_BTH_QP, (u64)KDETH_PREFIX << RCV_BTH_QP_KDETH_QP_SHIFT);
	return hfi;
}

static void link_force_up(struct hfi *hfi)
{
	csr_set(hfi, DC_DC8051_STS_CUR_STATE, PHYSICAL_LINKUP);
}

int bench_setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	unsigned int i;

	/* what the tests provoke is not worth reading */
	if (log_open("/dev/null"))
		return -1;
	bench->loop = loop_new();
	for (i = 0; i < 2; i++) {
		bench->hfi[i] = bench_hfi(bench, i);
		if (!bench->hfi[i])
			return -1;
	}
	hfi_connect(bench->hfi[0], bench->hfi[1]);
	link_force_up(bench->hfi[0]);
	link_force_up(bench->hfi[1]);
	*state = bench;
	return 0;
}

int bench_teardown(void **state)
{
	struct bench *bench = *state;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		hfi_free(bench->hfi[i]);
		free(bench->memory[i]);
	}
	loop_free(bench->loop);
	free(bench);
	return 0;
}

static u64 rcvarray_row(u64 address, u32 order)
{
	return RCV_ARRAY_RT_WRITE_ENABLE_SMASK | (u64)order << RCV_ARRAY_RT_BUF_SIZE_SHIFT |
	       address >> 12;
}

static void write_kernel(struct hfi *hfi, u32 offset, u64 value)
{
	csr_write(hfi, offset + KERNEL_STRIDE * CONTEXT, value);
}

void bench_context(struct bench *bench, u64 control)
{
	struct hfi *hfi = bench->hfi[0];
	u32 i;

	write_kernel(hfi, RCV_HDR_ADDR, HEADER_QUEUE);
	write_kernel(hfi, RCV_HDR_TAIL_ADDR, HEADER_TAIL);
	write_kernel(hfi, RCV_HDR_CNT, QUEUE_ENTRIES / 32);
	write_kernel(hfi, RCV_HDR_ENT_SIZE, 4);
	write_kernel(hfi, RCV_HDR_SIZE, (KDETH_HEADER - 20) / 4);
	write_kernel(hfi, RCV_EGR_CTRL, EAGER_FIRST / 8 |
		     (u64)(EAGER_COUNT / 8) << RCV_EGR_CTRL_EGR_CNT_SHIFT);
	write_kernel(hfi, RCV_TID_CTRL, TID_FIRST / 8 |
		     (u64)(TID_COUNT / 8) << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	for (i = 0; i < EAGER_COUNT; i++)
		csr_write(hfi, RCV_ARRAY + 8 * (EAGER_FIRST + i),
			  rcvarray_row(EAGER_BUFFERS + i * EAGER_SIZE, 1));
	csr_write(hfi, RCV_EGR_INDEX_HEAD + USER_STRIDE * CONTEXT, EAGER_COUNT - 1);
	csr_write(hfi, RCV_QP_MAP_TABLE, (u64)CONTEXT << 8);	/* QPs 2 and 3 */
	write_kernel(hfi, RCV_CTXT_CTRL, RCV_CTXT_CTRL_ENABLE_SMASK |
		     RCV_CTXT_CTRL_INTR_AVAIL_SMASK | 1ULL << RCV_CTXT_CTRL_EGR_BUF_SIZE_SHIFT |
		     control);
}

u8 *bench_memory(struct bench *bench, u64 address)
{
	return bench->memory[0] + (address - MEMORY);
}

void bench_tid(struct bench *bench, u32 index, u64 address, u32 order)
{
	csr_write(bench->hfi[0], RCV_ARRAY + 8 * (TID_FIRST + index),
		  rcvarray_row(order ? address : 0, order));
}

static u32 flow_register(void)
{
	return RCV_TID_FLOW_TABLE + USER_STRIDE * CONTEXT + 8 * FLOW;
}

void bench_flow(struct bench *bench, u32 generation, u32 sequence, u64 flags)
{
	csr_write(bench->hfi[0], flow_register(), (u64)generation << 11 | sequence | flags);
}

u64 bench_flow_row(struct bench *bench)
{
	return csr_read(bench->hfi[0], flow_register());
}

static void put_be32(u8 *to, u32 value)
{
	to[0] = value >> 24;
	to[1] = value >> 16;
	to[2] = value >> 8;
	to[3] = value;
}

static struct packet *make_packet(const u8 *data, u32 length)
{
	struct packet packet = { .data = (u8 *)data, .length = length };

	packet.pbc = (length + 8) / 4;
	packet_parse(&packet, KDETH_PREFIX);
	return packet_copy(&packet);
}

static void fill_headers(u8 *data, u8 opcode, u32 qpn, u32 psn)
{
	data[1] = LRH_LNH_BTH;
	data[3] = PACKET_LID;
	data[7] = PACKET_LID + 1;
	data[8] = opcode;
	put_be32(data + 12, qpn);
	put_be32(data + 16, psn);
}

u8 pattern_at(u8 fill, u32 index)
{
	return fill + index + index / 251;
}

void assert_pattern(const u8 *data, u8 fill, u32 from, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (data[i] != pattern_at(fill, from + i))
			fail_msg("byte %u is %#x, not %#x", i, data[i], pattern_at(fill, from + i));
}

struct packet *expected_packet(const struct expected_args *args)
{
	u8 data[KDETH_HEADER + 10240] = { 0 };
	u32 i;

	fill_headers(data, args->opcode, KDETH_PREFIX << 16 | args->flow << 11 | CONTEXT,
		     args->psn);
	for (i = 0; i < 4; i++)
		data[20 + i] = args->kdeth >> (8 * i);
	for (i = 0; i < args->payload; i++)
		data[KDETH_HEADER + i] = pattern_at(args->fill, i);
	return make_packet(data, KDETH_HEADER + args->payload);
}

u32 kdeth_word(u32 control, u32 tid, u32 offset, u32 unit)
{
	return control << 26 | tid << 16 | (unit == 64 ? KDETH_OFFSET_BY_64 : 0) | offset;
}

struct packet *ib_packet(u8 opcode, u32 qpn, u32 psn, u32 length)
{
	u8 data[PACKET_MAX] = { 0 };
	u32 i;

	for (i = 20; i < length; i++)
		data[i] = pattern_at(opcode, i);
	fill_headers(data, opcode, qpn, psn);
	return make_packet(data, length);
}

static u8 *entry_at(struct bench *bench, u32 index)
{
	return bench_memory(bench, HEADER_QUEUE + index * ENTRY_DWORDS * 4);
}

u64 rhf_at(struct bench *bench, u32 index)
{
	return get_le64(entry_at(bench, index) + (ENTRY_DWORDS - 2) * 4);
}

const u8 *header_at(struct bench *bench, u32 index)
{
	u32 offset = rhf_at(bench, index) >> RHF_HEADER_OFFSET_SHIFT & 0x1ff;

	return entry_at(bench, index) + offset * 4;
}

const u8 *payload_at(struct bench *bench, u32 index)
{
	u64 rhf = rhf_at(bench, index);
	u32 buffer = rhf >> RHF_EAGER_INDEX_SHIFT & 0x7ff;
	u32 offset = (rhf >> RHF_EAGER_OFFSET_SHIFT & 0xfff) * 64;

	return bench_memory(bench, EAGER_BUFFERS + buffer * EAGER_SIZE + offset);
}

void move_head(struct bench *bench, u32 entries)
{
	csr_write(bench->hfi[0], RCV_HDR_HEAD + USER_STRIDE * CONTEXT, entries * ENTRY_DWORDS);
}

u32 queue_tail(struct bench *bench)
{
	return csr_read(bench->hfi[0], RCV_HDR_TAIL + USER_STRIDE * CONTEXT) / ENTRY_DWORDS;
}

u32 psn_at(struct bench *bench, u32 index)
{
	return get_be32(header_at(bench, index) + 16);
}

void send_expected(struct bench *bench, u32 psn, u8 opcode)
{
	const struct expected_args args = {
		.opcode = opcode, .flow = FLOW, .psn = psn, .payload = 64, .fill = psn,
		.kdeth = kdeth_word(1, 0, 0, 4),
	};
	struct packet *packet = expected_packet(&args);

	fabric_send(bench->hfi[1], packet);
	packet_free(packet);
}

void receive(struct bench *bench, struct packet *packet)
{
	fabric_arrive(bench->hfi[0], packet);
	packet_free(packet);
}

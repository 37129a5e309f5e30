// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the inputs that the fuzzers start from
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "types.h"

#define SEED_MAX	16384
#define MEMORY		0x10000000ULL

/**
 * struct seed - an input being made
 * @data: its bytes
 * @size: how many
 */
struct seed {
	u8 data[SEED_MAX];
	size_t size;
};

static const char *folder;

static void add(struct seed *seed, u64 value, unsigned int bytes)
{
	memcpy(seed->data + seed->size, &value, bytes);
	seed->size += bytes;
}

static void add_zeros(struct seed *seed, size_t bytes)
{
	memset(seed->data + seed->size, 0, bytes);
	seed->size += bytes;
}

static void save(const struct seed *seed, const char *fuzzer, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, fuzzer);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, fuzzer, name);
	file = fopen(path, "w");
	if (!file || fwrite(seed->data, 1, seed->size, file) != seed->size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* A packet with LRH and BTH, and a KDETH dword; zeros up to its length. */
static void add_packet(struct seed *seed, u8 pbc, u8 opcode, u32 qpn, u32 psn, u32 kdeth,
		       u32 length)
{
	size_t start;

	add(seed, length, 2);
	add(seed, pbc, 1);
	start = seed->size;
	add(seed, 0x01000200, 4);			/* LNH 2, DLID 1 */
	add(seed, 0x0200, 4);
	add(seed, opcode, 4);
	add(seed, __builtin_bswap32(qpn), 4);
	add(seed, __builtin_bswap32(psn), 4);
	add(seed, kdeth, 4);
	add_zeros(seed, length - (seed->size - start));
}

static u32 kdeth(u32 control, u32 tid, u32 offset)
{
	return control << 26 | tid << 16 | offset;
}

static void packet_seeds(void)
{
	static const u8 opcode[] = {
		0x04, 0x0a, 0x10, 0x11, 0x12, 0x13, 0x64, 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5,
		0xe6, 0xe7,
	};
	char name[32];
	u32 mode, i;

	for (mode = 0; mode < 0x100; mode += 9) {
		struct seed seed = { .size = 0 };

		add(&seed, mode, 1);
		for (i = 0; i < ARRAY_SIZE(opcode); i++)
			add_packet(&seed, 0, opcode[i], opcode[i] < 0xe0 ? 2 : 0x800001, i, 0, 100);
		for (i = 0; i < 4; i++)
			add_packet(&seed, 0, 0xe5, 0x800801, 0x800 + i, kdeth(i, i, i * 16), 1080);
		add_packet(&seed, 0x10, 0, 0, 0, 0, 64);
		add_packet(&seed, 0x2f, 0x64, 1, 0, 0, 300);
		snprintf(name, sizeof(name), "mode%02x", mode);
		save(&seed, "packet", name);
	}
}

static void add_header(struct seed *seed, u16 command, u32 body, u8 how)
{
	add(seed, 16 + body, 2);
	add(seed, how, 1);
	add(seed, 1 | (u32)command << 16, 4);
	add(seed, 16 + body, 4);
	add(seed, 0, 8);
}

static void add_write(struct seed *seed, u64 offset, u64 value)
{
	add_header(seed, 10, 24, 0);
	add(seed, offset, 8);
	add(seed, 0, 4);
	add(seed, 8, 4);
	add(seed, value, 8);
}

static void add_read(struct seed *seed, u32 region, u64 offset, u32 count)
{
	add_header(seed, 9, 16, 0);
	add(seed, offset, 8);
	add(seed, region, 4);
	add(seed, count, 4);
}

static void add_map(struct seed *seed)
{
	add_header(seed, 2, 32, 2);
	add(seed, 32 | 3ULL << 32, 8);
	add(seed, 0, 8);
	add(seed, 0x40000000, 8);
	add(seed, 0x10000, 8);
}

static void protocol_seed(void)
{
	struct seed seed = { .size = 0 };
	u32 i;

	add(&seed, 1, 1);
	add_header(&seed, 1, 7, 0);			/* version */
	add(&seed, 0, 4);
	add(&seed, 0x7d7b, 3);
	add_header(&seed, 4, 0, 0);			/* device */
	for (i = 0; i < 9; i++) {
		add_header(&seed, 5, 32, 0);		/* regions */
		add(&seed, 32, 8);
		add(&seed, i, 8);
		add_zeros(&seed, 16);
	}
	add_map(&seed);
	add_header(&seed, 8, 20, 1);			/* eventfds */
	add(&seed, 20 | 0x24ULL << 32, 8);
	add(&seed, 2, 8);
	add(&seed, 1, 4);
	add_read(&seed, 7, 0, 64);
	add_read(&seed, 0, 0x110000, 8);
	add_header(&seed, 15, 32, 0);			/* several writes */
	add(&seed, 1, 8);
	add(&seed, 0x1300008, 8);
	add(&seed, 8ULL << 32, 8);
	add(&seed, 0, 8);
	add_header(&seed, 3, 24, 0);			/* unmap */
	add_zeros(&seed, 8);
	add(&seed, 0x40000000, 8);
	add(&seed, 0x10000, 8);
	add_header(&seed, 13, 0, 0);			/* reset */
	save(&seed, "vfio_user", "protocol");
}

/* Two descriptors, and the packet they are for, in guest memory. */
static void add_chain(struct seed *seed)
{
	add(seed, 4 + 32, 2);
	add(seed, 0x40, 1);
	add(seed, 0x1000, 4);
	add(seed, (MEMORY + 0x3000) | 36ULL << 48 | 1ULL << 63, 8);
	add(seed, 0, 8);
	add(seed, (MEMORY + 0x3024) | 100ULL << 48 | 1ULL << 62, 8);
	add(seed, 0, 8);
	add(seed, 4 + 136, 2);
	add(seed, 0x40, 1);
	add(seed, 0x3000, 4);
	add(seed, 136 / 4, 8);				/* PBC */
	add(seed, 0x01000200, 4);
	add(seed, 0x0200, 4);
	add(seed, 0x04, 4);
	add(seed, 0x02000000, 4);
	add_zeros(seed, 136 - 24);
}

/* A packet by PIO, one by SDMA, from HFI 1. */
static void send_seed(void)
{
	struct seed seed = { .size = 0 };
	u32 i;

	add(&seed, 3, 1);
	add_write(&seed, 0x1900000, 16ULL << 48 | 1);	/* send context 0 */
	add_write(&seed, 0x1900020, MEMORY);
	for (i = 0; i < 8; i++)
		add_write(&seed, 0x3000000 + 8 * i, i ? i : 16);
	add_chain(&seed);
	add_write(&seed, 0x1a00010, MEMORY + 0x1000);	/* SDMA engine 0 */
	add_write(&seed, 0x1a00018, 64);
	add_write(&seed, 0x1a00030, MEMORY + 0x2000);
	add_write(&seed, 0x1a00000, 9);
	add_write(&seed, 0x1a00020, 2);
	save(&seed, "vfio_user", "send");
}

static void register_seed(void)
{
	static const u32 offset[] = {
		0x110000, 0x110900, 0x110a00, 0x110b00, 0x110500, 0x1100000, 0x1100018,
		0x1200000, 0x1300008, 0x1300018, 0x1300800, 0x600000, 0x1000000, 0x1800000,
		0x1900028, 0x1a00070, 0x1000028,
	};
	struct seed seed = { .size = 0 };
	size_t i;

	add(&seed, 1, 1);
	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		add_read(&seed, 0, offset[i], 8);
		add_write(&seed, offset[i], ~0ULL >> i);
	}
	save(&seed, "vfio_user", "registers");
}

static void control_seeds(void)
{
	static const char lines[] =
		"a counters\nb counters 0 kinds.expected\nc hold 0 read_resp\nd release 0 1\n"
		"e release 0\nf discard 0\ng fault 0 drop 3 4 write_data\n"
		"h fault 1 delay 2 delay=5\ni fault 0 off\nj opfn 0 max_len=4096 jkey=0x20\n"
		"k opfn 1 raw=0xffffffffffffffff\nl opfn 0 off\nm link 0 down\nn link 0 up\n"
		"o ledger 0\np sizes\nq counters 0 rnr_nak.3\nr counters 1 rcvarray_valid.2\n"
		"s lie 0 5 every=2 seed=7 from=real way=eager qp=1-3,9 opcode=0xe0-0xe7 hits\n"
		"t lie 1 3\nu lie 1 off\nv counters 0 lies.told\n";
	struct seed seed = { .size = sizeof(lines) - 1 };

	memcpy(seed.data, lines, seed.size);
	save(&seed, "control", "lines");
}

/**
 * main() - make the seeds
 * @argc: number of words
 * @argv: the folder to put them in, made if need be
 * Return: 0 done, 1 not, 2 wrong usage.
 */
int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("Usage: seeds FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	mkdir(folder, 0755);
	packet_seeds();
	protocol_seed();
	send_seed();
	register_seed();
	control_seeds();
	return 0;
}

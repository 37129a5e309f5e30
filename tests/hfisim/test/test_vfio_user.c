// SPDX-License-Identifier: GPL-2.0
/*
 * vfio-user messages, well formed and not
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "vfio_user.h"

#define VERSION		1
#define DMA_MAP		2
#define DMA_UNMAP	3
#define GET_INFO	4
#define REGION_INFO	5
#define SET_IRQS	8
#define REGION_READ	9
#define REGION_WRITE	10
#define RESET		13
#define WRITE_MULTI	15
#define NO_REPLY	0x10
#define REPLY		0x01
#define ERROR		0x20
#define HEADER		16u
#define CONFIG_REGION	7
#define MSIX		2
#define EVENTFD		0x24	/* data is eventfds, action trigger */
#define AREA		0x40000000ULL

/**
 * struct request - a message being made
 * @data: header and body
 * @size: bytes so far
 */
struct request {
	u8 data[8192];
	u32 size;
};

static struct vfio_user_message answer;

static void add(struct request *request, const void *data, u32 size)
{
	memcpy(request->data + request->size, data, size);
	request->size += size;
}

static void add32(struct request *request, u32 value)
{
	add(request, &value, sizeof(value));
}

static void add64(struct request *request, u64 value)
{
	add(request, &value, sizeof(value));
}

static struct request start(u16 command, u32 flags)
{
	struct request request = { .size = 0 };

	add32(&request, 7 | (u32)command << 16);
	add32(&request, 0);
	add32(&request, flags);
	add32(&request, 0);
	return request;
}

/* Hands a request of that size over in memory of exactly that size. */
static int handle_size(struct bench *bench, struct request *request, u32 size, int fd)
{
	u8 *copy = malloc(size ? size : 1);
	int ret;

	memcpy(request->data + 4, &size, sizeof(size));
	memcpy(copy, request->data, size);
	answer = (struct vfio_user_message){ .data = copy, .size = size };
	answer.fd[0] = fd;
	answer.fds = fd >= 0;
	ret = vfio_user_handle(bench->hfi[0], &answer);
	free(copy);
	return ret;
}

static int handle(struct bench *bench, struct request *request)
{
	return handle_size(bench, request, request->size, -1);
}

static u32 reply32(u32 offset)
{
	return get_le32(answer.reply + offset);
}

static void assert_refused(struct bench *bench, struct request *request, int error)
{
	assert_int_equal(handle(bench, request), 0);
	assert_int_equal(answer.reply_size, HEADER);
	assert_int_equal(reply32(8), REPLY | ERROR);
	assert_int_equal(reply32(12), error);
}

static void assert_done(struct bench *bench, struct request *request)
{
	assert_int_equal(handle(bench, request), 0);
	assert_int_equal(reply32(8), REPLY);
	assert_int_equal(reply32(4), answer.reply_size);
}

static struct request access_request(u16 command, u32 region, u64 offset, u32 count)
{
	struct request request = start(command, 0);

	add64(&request, offset);
	add32(&request, region);
	add32(&request, count);
	return request;
}

static void reply_has_the_id_and_command_of_the_request(void **state)
{
	struct request request = start(GET_INFO, 0);

	assert_done(*state, &request);
	assert_int_equal(reply32(0), 7 | GET_INFO << 16);
}

static void version_gets_json_that_ends_in_nul(void **state)
{
	struct request request = start(VERSION, 0);

	add32(&request, 0);
	add(&request, "{}", 3);
	assert_done(*state, &request);
	assert_int_equal(answer.reply[answer.reply_size - 1], 0);
	assert_non_null(strstr((char *)answer.reply + HEADER + 4, "\"write_multiple\":true"));
}

static void unknown_major_version_is_refused(void **state)
{
	struct request request = start(VERSION, 0);

	add32(&request, 1);
	assert_refused(*state, &request, EINVAL);
}

static void register_is_read_and_written(void **state)
{
	struct bench *bench = *state;
	struct request request = access_request(REGION_WRITE, 0, RCV_HDR_ADDR, 8);

	add64(&request, 0x123456789a00ULL);
	assert_done(bench, &request);
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR) == 0x123456789a00ULL);
	request = access_request(REGION_READ, 0, RCV_HDR_ADDR, 8);
	assert_done(bench, &request);
	assert_int_equal(answer.reply_size, HEADER + 16 + 8);
	assert_true(get_le64(answer.reply + HEADER + 16) == 0x123456789a00ULL);
}

static void posted_write_gets_no_reply(void **state)
{
	struct bench *bench = *state;
	struct request request = access_request(REGION_WRITE, 0, RCV_HDR_ADDR, 8);
	u32 flags = NO_REPLY;

	memcpy(request.data + 8, &flags, sizeof(flags));
	add64(&request, 0x1000);
	assert_int_equal(handle(bench, &request), 0);
	assert_int_equal(answer.reply_size, 0);
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR) == 0x1000);
}

static void refused_posted_write_gets_no_reply_either(void **state)
{
	struct bench *bench = *state;
	struct request request = access_request(REGION_WRITE, 0, BAR_SIZE, 8);
	u32 flags = NO_REPLY;

	memcpy(request.data + 8, &flags, sizeof(flags));
	add64(&request, 1);
	assert_int_equal(handle(bench, &request), 0);
	assert_int_equal(answer.reply_size, 0);
	assert_int_equal(bench->hfi[0]->counters.protocol_errors, 1);
}

static void access_outside_the_bar_is_refused(void **state)
{
	static const u64 offset[] = { BAR_SIZE, BAR_SIZE - 4, ~0ULL, ~0ULL - 7, 1ULL << 32 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		struct request request = access_request(REGION_READ, 0, offset[i], 8);

		assert_refused(*state, &request, EINVAL);
		request = access_request(REGION_WRITE, 0, offset[i], 8);
		add64(&request, 1);
		assert_refused(*state, &request, EINVAL);
	}
}

static void access_outside_config_space_is_refused(void **state)
{
	struct request request = access_request(REGION_READ, CONFIG_REGION, 4093, 4);

	assert_refused(*state, &request, EINVAL);
	request = access_request(REGION_READ, CONFIG_REGION, 0, 4);
	assert_done(*state, &request);
	assert_int_equal(reply32(HEADER + 16), 0x24f18086);
	request = access_request(REGION_READ, CONFIG_REGION, ~0ULL, 4);
	assert_refused(*state, &request, EINVAL);
	request = access_request(REGION_WRITE, CONFIG_REGION, 4096, 1);
	add32(&request, 0);
	assert_refused(*state, &request, EINVAL);
}

static void read_of_more_than_a_reply_holds_is_refused(void **state)
{
	struct request request = access_request(REGION_READ, CONFIG_REGION, 0, 4097);

	assert_refused(*state, &request, EINVAL);
	request = access_request(REGION_READ, CONFIG_REGION, 0, ~0u);
	assert_refused(*state, &request, EINVAL);
	request = access_request(REGION_READ, CONFIG_REGION, 0, 4096);
	assert_done(*state, &request);
}

static void write_that_announces_more_than_it_brings_is_refused(void **state)
{
	struct request request = access_request(REGION_WRITE, 0, RCV_HDR_ADDR, 8);

	add32(&request, 1);
	assert_refused(*state, &request, EINVAL);
}

static void unknown_region_is_refused(void **state)
{
	struct request request = access_request(REGION_READ, 3, 0, 8);

	assert_refused(*state, &request, EINVAL);
	request = start(REGION_INFO, 0);
	add32(&request, 32);
	add32(&request, 0);
	add32(&request, 9);
	add32(&request, 0);
	add64(&request, 0);
	add64(&request, 0);
	assert_refused(*state, &request, EINVAL);
}

static void multi_write_writes_all(void **state)
{
	struct bench *bench = *state;
	struct request request = start(WRITE_MULTI, 0);
	u64 i;

	add64(&request, 2);
	for (i = 0; i < 2; i++) {
		add64(&request, RCV_HDR_ADDR + i * KERNEL_STRIDE);
		add32(&request, 0);
		add32(&request, 8);
		add64(&request, 0x1000 * (i + 1));
	}
	assert_done(bench, &request);
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR) == 0x1000);
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR + KERNEL_STRIDE) == 0x2000);
}

static void multi_write_of_more_than_it_brings_is_refused(void **state)
{
	static const u64 count[] = { 2, 1ULL << 32, ~0ULL, 0x0aaaaaaaaaaaaaabULL };
	struct bench *bench = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(count); i++) {
		struct request request = start(WRITE_MULTI, 0);

		add64(&request, count[i]);
		add64(&request, RCV_HDR_ADDR);
		add32(&request, 0);
		add32(&request, 8);
		add64(&request, 0x1000);
		assert_refused(bench, &request, EINVAL);
	}
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR) == 0);
}

static void multi_write_entry_of_more_than_8_bytes_is_refused(void **state)
{
	struct request request = start(WRITE_MULTI, 0);

	add64(&request, 1);
	add64(&request, RCV_HDR_ADDR);
	add32(&request, 0);
	add32(&request, 9);
	add64(&request, 0);
	assert_refused(*state, &request, EINVAL);
}

static void every_cut_of_every_request_is_survived(void **state)
{
	struct bench *bench = *state;
	struct request request;
	u16 command;
	u32 size;

	for (command = 0; command < 20; command++) {
		request = start(command, 0);
		request.size = HEADER + 80;
		for (size = HEADER; size <= request.size; size++)
			assert_int_equal(handle_size(bench, &request, size, -1), 0);
	}
}

static void size_that_is_not_the_message_ends_the_connection(void **state)
{
	struct bench *bench = *state;
	struct request request = start(GET_INFO, 0);
	u32 size = HEADER + 4;

	answer = (struct vfio_user_message){ .data = request.data, .size = HEADER };
	memcpy(request.data + 4, &size, sizeof(size));
	assert_int_equal(vfio_user_handle(bench->hfi[0], &answer), -EPROTO);
	assert_int_equal(handle_size(bench, &request, HEADER - 1, -1), -EPROTO);
	assert_int_equal(handle_size(bench, &request, 0, -1), -EPROTO);
}

static void reply_that_nobody_asked_for_is_ignored(void **state)
{
	struct request request = start(GET_INFO, REPLY);

	assert_int_equal(handle(*state, &request), 0);
	assert_int_equal(answer.reply_size, 0);
}

static void unknown_command_is_refused(void **state)
{
	struct request request = start(99, 0);

	assert_refused(*state, &request, EOPNOTSUPP);
}

static int memory_file(u32 size)
{
	int fd = memfd_create("guest", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static struct request map_request(u64 address, u64 size, u64 offset)
{
	struct request request = start(DMA_MAP, 0);

	add32(&request, 32);
	add32(&request, 3);
	add64(&request, offset);
	add64(&request, address);
	add64(&request, size);
	return request;
}

static void mapped_memory_can_be_written_and_unmapped(void **state)
{
	struct bench *bench = *state;
	struct request request = map_request(AREA, 8192, 4096);
	int fd = memory_file(12288);
	u64 word;

	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY);
	assert_int_equal(mem_write64(bench->hfi[0], AREA + 8, 0x1234), 0);
	assert_int_equal(pread(fd, &word, 8, 4096 + 8), 8);
	assert_true(word == 0x1234);
	close(fd);
	request = start(DMA_UNMAP, 0);
	add32(&request, 24);
	add32(&request, 0);
	add64(&request, AREA);
	add64(&request, 8192);
	assert_done(bench, &request);
	assert_null(mem_read_ptr(bench->hfi[0], AREA, 8));
	/* what was there before is still there */
	assert_non_null(mem_read_ptr(bench->hfi[0], MEMORY, 8));
}

static void unmap_all_forgets_all_memory(void **state)
{
	struct bench *bench = *state;
	struct request request = start(DMA_UNMAP, 0);

	add32(&request, 24);
	add32(&request, 2);
	add64(&request, 0);
	add64(&request, 0);
	assert_done(bench, &request);
	assert_null(mem_read_ptr(bench->hfi[0], MEMORY, 8));
}

static void map_that_reaches_beyond_its_file_is_refused(void **state)
{
	struct bench *bench = *state;
	struct request request = map_request(AREA, 8192, 8192);
	int fd = memory_file(12288);

	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY | ERROR);
	request = map_request(AREA, 16384, 0);
	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY | ERROR);
	request = map_request(AREA, ~0xfffULL, 4096);
	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY | ERROR);
	request = map_request(~0xfffULL, 8192, 0);
	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY | ERROR);
	close(fd);
}

static void map_over_other_memory_is_refused(void **state)
{
	struct bench *bench = *state;
	struct request request = map_request(MEMORY + MEMORY_SIZE - 4096, 8192, 0);
	int fd = memory_file(8192);

	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY | ERROR);
	close(fd);
}

static struct request irq_request(u32 start_vector, u32 count)
{
	struct request request = start(SET_IRQS, 0);

	add32(&request, 20);
	add32(&request, EVENTFD);
	add32(&request, MSIX);
	add32(&request, start_vector);
	add32(&request, count);
	return request;
}

static void eventfd_is_taken_over(void **state)
{
	struct bench *bench = *state;
	struct request request = irq_request(9, 1);
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(handle_size(bench, &request, request.size, fd), 0);
	assert_int_equal(reply32(8), REPLY);
	assert_int_equal(answer.fd[0], -1);
	assert_int_equal(bench->hfi[0]->interrupt.eventfd[9], fd);
}

static void vectors_out_of_range_are_refused(void **state)
{
	struct request request = irq_request(256, 1);

	assert_refused(*state, &request, EINVAL);
	request = irq_request(255, 2);
	assert_refused(*state, &request, EINVAL);
	request = irq_request(1, ~0u);
	assert_refused(*state, &request, EINVAL);
	request = irq_request(~0u, 2);
	assert_refused(*state, &request, EINVAL);
}

static void vectors_without_descriptors_have_none(void **state)
{
	struct bench *bench = *state;
	struct request request = irq_request(0, 256);

	assert_done(bench, &request);
	assert_int_equal(bench->hfi[0]->interrupt.eventfd[255], -1);
}

static void reset_resets(void **state)
{
	struct bench *bench = *state;
	struct request request = start(RESET, 0);

	csr_write(bench->hfi[0], RCV_HDR_ADDR, 0x1000);
	assert_done(bench, &request);
	assert_true(csr_read(bench->hfi[0], RCV_HDR_ADDR) == 0);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(reply_has_the_id_and_command_of_the_request),
		BENCH_TEST(version_gets_json_that_ends_in_nul),
		BENCH_TEST(unknown_major_version_is_refused),
		BENCH_TEST(register_is_read_and_written),
		BENCH_TEST(posted_write_gets_no_reply),
		BENCH_TEST(refused_posted_write_gets_no_reply_either),
		BENCH_TEST(access_outside_the_bar_is_refused),
		BENCH_TEST(access_outside_config_space_is_refused),
		BENCH_TEST(read_of_more_than_a_reply_holds_is_refused),
		BENCH_TEST(write_that_announces_more_than_it_brings_is_refused),
		BENCH_TEST(unknown_region_is_refused),
		BENCH_TEST(multi_write_writes_all),
		BENCH_TEST(multi_write_of_more_than_it_brings_is_refused),
		BENCH_TEST(multi_write_entry_of_more_than_8_bytes_is_refused),
		BENCH_TEST(every_cut_of_every_request_is_survived),
		BENCH_TEST(size_that_is_not_the_message_ends_the_connection),
		BENCH_TEST(reply_that_nobody_asked_for_is_ignored),
		BENCH_TEST(unknown_command_is_refused),
		BENCH_TEST(mapped_memory_can_be_written_and_unmapped),
		BENCH_TEST(unmap_all_forgets_all_memory),
		BENCH_TEST(map_that_reaches_beyond_its_file_is_refused),
		BENCH_TEST(map_over_other_memory_is_refused),
		BENCH_TEST(eventfd_is_taken_over),
		BENCH_TEST(vectors_out_of_range_are_refused),
		BENCH_TEST(vectors_without_descriptors_have_none),
		BENCH_TEST(reset_resets),
	};

	return cmocka_run_group_tests_name("vfio_user", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tag.h"

static const struct tag tag = {
	.kind = TAG_DATA,
	.run = 0xab,
	.flow = 0x01020304,
	.sequence = 0xfffefdfc,
	.time_ns = 0x112233445566,
};

/* The layout is a contract: another program may read it. */
static void
test_bytes_on_the_wire(void **state)
{
	const uint8_t want[TAG_LEN] = {0x9d, 0x17, 0x10, 0xab, 1, 2, 3, 4, 0xc3, 0xab, 0xf7, 0xc0,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66};
	uint8_t got[TAG_LEN];
	uint32_t head = tag_head(TAG_DATA, 0xab);

	(void)state;
	tag_write(got, &tag);
	assert_memory_equal(got, want, TAG_LEN);
	assert_memory_equal(&head, want, sizeof(head));
	assert_int_equal(TAG_MIN_FRAME, 60);
}

static void
test_read_what_was_written(void **state)
{
	uint8_t wire[TAG_LEN];
	struct tag got;

	(void)state;
	tag_write(wire, &tag);
	assert_true(tag_read(wire, &got));
	assert_int_equal(got.kind, tag.kind);
	assert_int_equal(got.run, tag.run);
	assert_int_equal(got.flow, tag.flow);
	assert_int_equal(got.sequence, tag.sequence);
	assert_int_equal(got.time_ns, tag.time_ns);
}

/* Another program's payload, another version, a kind that is not known. */
static void
test_what_is_no_tag(void **state)
{
	uint8_t wire[TAG_LEN];
	struct tag got;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		tag_write(wire, &tag);
		wire[i] ^= i == 2 ? 0x04 : 0x80;
		assert_false(tag_read(wire, &got));
	}
	tag_write(wire, &tag);
	wire[2] = 0x20;
	assert_false(tag_read(wire, &got));
	memset(wire, 0, sizeof(wire));
	assert_false(tag_read(wire, &got));
}

/* The sums of the fields are those of their bytes in the frame. */
static void
test_sums(void **state)
{
	uint8_t wire[TAG_LEN], rest[TAG_LEN];
	uint64_t sum;

	(void)state;
	tag_write(wire, &tag);
	memcpy(rest, wire, sizeof(rest));
	memset(rest + 8, 0, sizeof(rest) - 8);
	sum = frame_sum(rest, sizeof(rest), 0) + tag_sum32(tag.sequence + tag_start(tag.flow)) +
	      tag_sum48(tag.time_ns);
	assert_int_equal(frame_fold(sum), frame_fold(frame_sum(wire, sizeof(wire), 0)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_on_the_wire),
		cmocka_unit_test(test_read_what_was_written),
		cmocka_unit_test(test_what_is_no_tag),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

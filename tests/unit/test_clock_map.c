/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* One second at 2.5 GHz: 2 ns are 5 cycles. */
static struct clock_map
map_2500mhz(void)
{
	struct clock_map m;
	struct clock_anchor start = {.tsc = 5000000000, .mono_ns = 1000000000};
	struct clock_anchor end = {.tsc = 7500000000, .mono_ns = 2000000000};

	assert_int_equal(clock_map_init(&m, start, end), 0);
	return m;
}

static void
test_between_the_anchors(void **state)
{
	struct clock_map m = map_2500mhz();

	(void)state;
	assert_int_equal(clock_map_ns(&m, 5000000000), 1000000000);
	assert_int_equal(clock_map_ns(&m, 5000000005), 1000000002);
	assert_int_equal(clock_map_ns(&m, 6250000000), 1500000000);
	assert_int_equal(clock_map_ns(&m, 7500000000), 2000000000);
}

static void
test_beyond_the_anchors(void **state)
{
	struct clock_map m = map_2500mhz();

	(void)state;
	assert_int_equal(clock_map_ns(&m, 10000000000), 3000000000);
	assert_int_equal(clock_map_ns(&m, 2500000000), 0);
	assert_int_equal(clock_map_ns(&m, 4999999995), 999999998);
	/* Before time began. */
	assert_int_equal(clock_map_ns(&m, 0), 0);
}

static void
test_far_stamps_do_not_overflow(void **state)
{
	struct clock_map m;
	struct clock_anchor start = {.tsc = 1, .mono_ns = 1};
	/* A year at 5 GHz: the products need more than 64 bits. */
	struct clock_anchor end = {.tsc = 1 + UINT64_C(157680000000000000),
		.mono_ns = 1 + UINT64_C(31536000000000000)};

	(void)state;
	assert_int_equal(clock_map_init(&m, start, end), 0);
	assert_int_equal(
		clock_map_ns(&m, 1 + UINT64_C(78840000000000000)), 1 + UINT64_C(15768000000000000));
	assert_int_equal(clock_map_ns(&m, UINT64_MAX), 1 + (UINT64_MAX - 1) / 5);
	/* A clock of 1 Hz against nanoseconds: the result itself has no room. */
	assert_int_equal(clock_map_init(&m, (struct clock_anchor){.tsc = 1, .mono_ns = 0},
				 (struct clock_anchor){.tsc = 2, .mono_ns = 1000000000}),
		0);
	assert_true(clock_map_ns(&m, UINT64_MAX) == UINT64_MAX);
}

static void
test_clock_that_stands_is_refused(void **state)
{
	struct clock_map m;
	struct clock_anchor a = {.tsc = 10, .mono_ns = 10};

	(void)state;
	assert_int_equal(clock_map_init(&m, a, a), -1);
	assert_int_equal(
		clock_map_init(&m, a, (struct clock_anchor){.tsc = 11, .mono_ns = 10}), -1);
	assert_int_equal(
		clock_map_init(&m, a, (struct clock_anchor){.tsc = 10, .mono_ns = 11}), -1);
	assert_int_equal(clock_map_init(&m, a, (struct clock_anchor){.tsc = 9, .mono_ns = 11}), -1);
}

static void
test_J4_announced_2_0_for_2_9_ghz(void **state)
{
	struct clock_map m;
	char note[256];

	(void)state;
	assert_int_equal(clock_map_init(&m, (struct clock_anchor){.tsc = 0, .mono_ns = 0},
				 (struct clock_anchor){.tsc = 29000000000, .mono_ns = 10000000000}),
		0);
	assert_true(fabs(clock_map_hz(&m) - 2.9e9) < 1);
	assert_true(fabs(clock_map_deviation(&m, 2000000000) + 0.310345) < 1e-6);
	assert_true(clock_map_note(&m, 2000000000, note, sizeof(note)));
	assert_non_null(strstr(note, "2.0000 GHz"));
	assert_non_null(strstr(note, "2.9000 GHz"));
	assert_non_null(strstr(note, "-31.03 %"));
	/* What is announced plays no part in the time. */
	assert_int_equal(clock_map_ns(&m, 2900000000), 1000000000);
}

static void
test_J4_small_deviations_are_silent(void **state)
{
	struct clock_map m = map_2500mhz();
	char note[256] = "old";

	(void)state;
	assert_false(clock_map_note(&m, 2500000000, note, sizeof(note)));
	assert_string_equal(note, "");
	assert_false(clock_map_note(&m, 2502400000, note, sizeof(note)));
	assert_true(clock_map_note(&m, 2502600000, note, sizeof(note)));
	assert_false(clock_map_note(&m, 2497600000, note, sizeof(note)));
	assert_true(clock_map_note(&m, 2497400000, note, sizeof(note)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_the_anchors),
		cmocka_unit_test(test_beyond_the_anchors),
		cmocka_unit_test(test_far_stamps_do_not_overflow),
		cmocka_unit_test(test_clock_that_stands_is_refused),
		cmocka_unit_test(test_J4_announced_2_0_for_2_9_ghz),
		cmocka_unit_test(test_J4_small_deviations_are_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

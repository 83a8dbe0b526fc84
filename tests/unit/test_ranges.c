/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
fill(struct ranges *r, char *buf, size_t len, const unsigned *number, size_t n)
{
	ranges_init(r, buf, len);
	for (size_t i = 0; i < n; i++)
		ranges_add(r, number[i]);
	ranges_end(r);
}

static void
test_single_numbers_and_ranges(void **state)
{
	const unsigned number[] = {0, 3, 8, 9, 10, 11, 13};
	struct ranges r;
	char buf[64];

	(void)state;
	fill(&r, buf, sizeof(buf), number, 7);
	assert_string_equal(buf, "0, 3, 8-11, 13");
	assert_int_equal(r.count, 7);
	assert_int_equal(r.unnamed, 0);
}

static void
test_nothing_is_empty(void **state)
{
	struct ranges r;
	char buf[4] = "xyz";

	(void)state;
	fill(&r, buf, sizeof(buf), NULL, 0);
	assert_string_equal(buf, "");
	assert_int_equal(r.count, 0);
}

static void
test_range_at_the_end_is_written(void **state)
{
	const unsigned number[] = {1022, 1023};
	struct ranges r;
	char buf[16];

	(void)state;
	fill(&r, buf, sizeof(buf), number, 2);
	assert_string_equal(buf, "1022-1023");
}

static void
test_what_finds_no_room_is_counted(void **state)
{
	const unsigned number[] = {1, 10, 11, 12, 3, 5};
	struct ranges r;
	char buf[5];

	(void)state;
	/* "1, 10-12" does not fit; "1, 3" would, but stands after a gap. */
	fill(&r, buf, sizeof(buf), number, 6);
	assert_string_equal(buf, "1");
	assert_int_equal(r.count, 6);
	assert_int_equal(r.unnamed, 5);
}

static void
test_text_that_just_fits(void **state)
{
	const unsigned number[] = {1, 3};
	struct ranges r;
	char buf[5];

	(void)state;
	fill(&r, buf, sizeof(buf), number, 2);
	assert_string_equal(buf, "1, 3");
	assert_int_equal(r.unnamed, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_numbers_and_ranges),
		cmocka_unit_test(test_nothing_is_empty),
		cmocka_unit_test(test_range_at_the_end_is_written),
		cmocka_unit_test(test_what_finds_no_room_is_counted),
		cmocka_unit_test(test_text_that_just_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hist.h"

static struct hist h; /* large */

static int
clear(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	return 0;
}

static void
test_buckets_are_in_order_and_without_gaps(void **state)
{
	unsigned last = 0;

	(void)state;
	for (uint64_t v = 1; v < 100000; v++) {
		unsigned i = hist_index(v);

		assert_true(i == last || i == last + 1);
		last = i;
	}
	assert_int_equal(hist_index(0), 0);
	assert_int_equal(hist_index(255), 255);
	assert_int_equal(hist_index(256), 256);
	assert_int_equal(hist_index(257), 256);
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
}

static void
test_percentiles_of_a_line(void **state)
{
	(void)state;
	for (uint64_t v = 1; v <= 200; v++)
		hist_record(&h, v, 1);
	assert_int_equal(hist_percentile(&h, 50), 100);
	assert_int_equal(hist_percentile(&h, 99), 198);
	assert_int_equal(hist_percentile(&h, 100), 200);
	assert_int_equal(hist_percentile(&h, 0), 1);
	assert_int_equal(h.count, 200);
}

/* Within 1/128 of a sorted list's, over twelve decades. */
static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
test_against_a_sorted_list(void **state)
{
	static uint64_t list[20000];
	const double percent[] = {1, 25, 50, 90, 99, 99.9, 99.99};
	const size_t n = sizeof(list) / sizeof(list[0]);

	(void)state;
	srand(7);
	for (size_t i = 0; i < n; i++) {
		list[i] = ((uint64_t)rand() << 20 ^ (uint64_t)rand()) >> rand() % 50;
		hist_record(&h, list[i], 1);
	}
	qsort(list, n, sizeof(list[0]), compare);
	for (size_t i = 0; i < sizeof(percent) / sizeof(percent[0]); i++) {
		size_t rank = (size_t)(percent[i] / 100 * (double)n + 0.9999999);
		uint64_t want = list[rank > 0 ? rank - 1 : 0],
			 got = hist_percentile(&h, percent[i]);

		assert_true(got >= want && got - want <= want / 128);
	}
	assert_int_equal(hist_percentile(&h, 100), list[n - 1]);
}

static void
test_sums_and_times(void **state)
{
	static struct hist other;

	(void)state;
	assert_int_equal(hist_percentile(&h, 99), 0);
	hist_record(&h, 0, 98);
	hist_record(&other, 1000000, 2);
	hist_add(&h, &other);
	assert_int_equal(h.count, 100);
	assert_int_equal(hist_percentile(&h, 98), 0);
	assert_int_equal(hist_percentile(&h, 98.5), 1000000);
	assert_int_equal(h.max, 1000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_buckets_are_in_order_and_without_gaps, clear),
		cmocka_unit_test_setup(test_percentiles_of_a_line, clear),
		cmocka_unit_test_setup(test_against_a_sorted_list, clear),
		cmocka_unit_test_setup(test_sums_and_times, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "thin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t
item(const struct thin *t, size_t i)
{
	return *(uint64_t *)thin_at(t, i);
}

static void
add_up_to(struct thin *t, uint64_t n)
{
	for (uint64_t i = t->seen; i < n; i++)
		thin_add(t, &i);
}

static void
test_keeps_all_until_full(void **state)
{
	struct thin t;

	(void)state;
	assert_int_equal(thin_init(&t, sizeof(uint64_t), 8), 0);
	add_up_to(&t, 8);
	assert_int_equal(t.n, 8);
	assert_int_equal(t.stride, 1);
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(item(&t, i), i);
	thin_fini(&t);
}

static void
test_then_keeps_every_second(void **state)
{
	struct thin t;

	(void)state;
	assert_int_equal(thin_init(&t, sizeof(uint64_t), 8), 0);
	add_up_to(&t, 9);
	assert_int_equal(t.stride, 2);
	assert_int_equal(t.n, 5);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(item(&t, i), 2 * i);
	add_up_to(&t, 17);
	assert_int_equal(t.stride, 4);
	assert_int_equal(t.n, 5);
	assert_int_equal(item(&t, 4), 16);
	thin_fini(&t);
}

static void
test_stays_even_and_bounded_for_ever(void **state)
{
	struct thin t;

	(void)state;
	/* Larger than the first allocation, so that growing is covered too. */
	assert_int_equal(thin_init(&t, sizeof(uint64_t), 4096), 0);
	add_up_to(&t, 1000000);
	assert_int_equal(t.seen, 1000000);
	assert_in_range(t.n, 2048, 4096);
	for (size_t i = 0; i < t.n; i++)
		assert_int_equal(item(&t, i), i * t.stride);
	thin_fini(&t);
}

static void
test_last_item_is_kept_even_when_full(void **state)
{
	struct thin t;
	uint64_t last = 99;

	(void)state;
	assert_int_equal(thin_init(&t, sizeof(uint64_t), 4), 0);
	add_up_to(&t, 4);
	thin_add_last(&t, &last);
	assert_int_equal(t.n, 5);
	assert_int_equal(item(&t, 3), 3);
	assert_int_equal(item(&t, 4), 99);
	thin_fini(&t);
}

static void
test_bound_rounds_up_to_a_power_of_two(void **state)
{
	struct thin t;

	(void)state;
	assert_int_equal(thin_init(&t, 1, 0), 0);
	assert_int_equal(t.max, 2);
	thin_fini(&t);
	assert_int_equal(thin_init(&t, 1, 5), 0);
	assert_int_equal(t.max, 8);
	thin_fini(&t);
	thin_fini(&t); /* twice is safe */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_all_until_full),
		cmocka_unit_test(test_then_keeps_every_second),
		cmocka_unit_test(test_stays_even_and_bounded_for_ever),
		cmocka_unit_test(test_last_item_is_kept_even_when_full),
		cmocka_unit_test(test_bound_rounds_up_to_a_power_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpuset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const unsigned counts[] = {1, 31, 32, 33, 63, 64, 65, 127, 128};

enum {
	NB_COUNTS = sizeof(counts) / sizeof(counts[0]),
};

/* A mask of n ones: for n = 33 "1ffffffff". */
static void
ones(char *text, unsigned n)
{
	size_t len = 0;

	if (n % 4 != 0)
		text[len++] = "0137"[n % 4];
	for (unsigned i = 0; i < n / 4; i++)
		text[len++] = 'f';
	text[len] = '\0';
}

static void
test_E3_mask_of_each_count(void **state)
{
	(void)state;
	for (unsigned c = 0; c < NB_COUNTS; c++) {
		char mask[64], list[64], text[64];
		struct cpuset a, b;
		struct err e;

		ones(mask, counts[c]);
		snprintf(list, sizeof(list), counts[c] == 1 ? "0" : "0-%u", counts[c] - 1);
		assert_int_equal(cpuset_parse_mask(&a, mask, &e), 0);
		assert_int_equal(cpuset_parse(&b, list, &e), 0);
		assert_int_equal(cpuset_count(&a), counts[c]);
		assert_true(cpuset_equal(&a, &b));
		assert_true(cpuset_has(&a, counts[c] - 1));
		assert_false(cpuset_has(&a, counts[c]));
		assert_string_equal(cpuset_format(&a, text, sizeof(text)), list);
	}
}

static void
test_E3_mask_of_exactly_32(void **state)
{
	struct cpuset set;
	struct err e;
	unsigned visited = 0;
	int id;

	(void)state;
	assert_int_equal(cpuset_parse_mask(&set, "0xffffffff", &e), 0);
	CPUSET_FOREACH (id, &set)
		assert_int_equal(id, visited++);
	assert_int_equal(visited, 32);
}

static void
test_E3_each_single_id(void **state)
{
	(void)state;
	for (unsigned c = 0; c < NB_COUNTS; c++) {
		struct cpuset set = {0};

		cpuset_add(&set, counts[c]);
		assert_int_equal(cpuset_count(&set), 1);
		assert_int_equal(cpuset_next(&set, 0), counts[c]);
		assert_int_equal(cpuset_next(&set, counts[c]), counts[c]);
		assert_int_equal(cpuset_next(&set, counts[c] + 1), -1);
		cpuset_remove(&set, counts[c]);
		assert_true(cpuset_empty(&set));
	}
}

static void
test_edges_of_the_range(void **state)
{
	struct cpuset set = {0};

	(void)state;
	cpuset_add(&set, CPUSET_MAX - 1);
	cpuset_add(&set, CPUSET_MAX);
	assert_int_equal(cpuset_count(&set), 1);
	assert_int_equal(cpuset_next(&set, 0), CPUSET_MAX - 1);
	assert_int_equal(cpuset_next(&set, CPUSET_MAX), -1);
	assert_false(cpuset_has(&set, CPUSET_MAX));
	cpuset_remove(&set, CPUSET_MAX);
	cpuset_zero(&set);
	assert_true(cpuset_empty(&set));
	assert_int_equal(cpuset_next(&set, 0), -1);
}

static void
test_parse_lists(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"0-3,8\n", "0-3,8"},
		{"", ""},
		{"\n", ""},
		{" 1 , 3 - 5 ", "1,3-5"},
		{"5-3", "3-5"},
		{"7,6,5,1", "1,5-7"},
		{"1023", "1023"},
		{"4094-4095", "4094-4095"},
		{"2,2,2", "2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpuset set;
		struct err e;
		char text[64];

		assert_int_equal(cpuset_parse(&set, rows[i].text, &e), 0);
		assert_string_equal(cpuset_format(&set, text, sizeof(text)), rows[i].canonical);
	}
}

static void
test_refused_texts(void **state)
{
	static const char *const lists[] = {
		"a",
		"1,",
		",1",
		"1,,2",
		"1-",
		"-1",
		"1-2-3",
		"1 2",
		"4096",
		"0-4096",
		"99999999999",
		"0x3",
		"1;2",
	};
	static const char *const masks[] = {"", "0x", "0", "0000", "xyz", "0xfg", "f f", "-1"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cpuset set;
		struct err e = {0};

		assert_int_equal(cpuset_parse(&set, lists[i], &e), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		assert_non_null(strstr(e.msg, lists[i]));
		assert_true(cpuset_empty(&set));
	}
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct cpuset set;
		struct err e = {0};

		assert_int_equal(cpuset_parse_mask(&set, masks[i], &e), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		assert_true(cpuset_empty(&set));
	}
}

static void
test_mask_lengths(void **state)
{
	char mask[CPUSET_MAX / 4 + 8];
	struct cpuset set;
	struct err e;

	(void)state;
	assert_int_equal(cpuset_parse_mask(&set, " 0XaA ", &e), 0);
	assert_int_equal(cpuset_count(&set), 4);
	assert_true(cpuset_has(&set, 1) && cpuset_has(&set, 3) && cpuset_has(&set, 5) &&
		    cpuset_has(&set, 7));
	/* Zeros in front make no id; the highest digit there is does. */
	memset(mask, '0', sizeof(mask));
	mask[sizeof(mask) - 1] = '\0';
	mask[sizeof(mask) - 2] = '1';
	assert_int_equal(cpuset_parse_mask(&set, mask, &e), 0);
	assert_int_equal(cpuset_count(&set), 1);
	mask[sizeof(mask) - 1 - CPUSET_MAX / 4] = '8';
	assert_int_equal(cpuset_parse_mask(&set, mask, &e), 0);
	assert_true(cpuset_has(&set, CPUSET_MAX - 1));
	mask[sizeof(mask) - 2 - CPUSET_MAX / 4] = '1';
	assert_int_equal(cpuset_parse_mask(&set, mask, &e), -1);
}

static void
test_and_or(void **state)
{
	struct cpuset a, b, both;
	struct err e;
	char text[64];

	(void)state;
	assert_int_equal(cpuset_parse(&a, "0-70", &e), 0);
	assert_int_equal(cpuset_parse(&b, "60-130", &e), 0);
	both = a;
	cpuset_and(&both, &b);
	assert_string_equal(cpuset_format(&both, text, sizeof(text)), "60-70");
	cpuset_or(&a, &b);
	assert_string_equal(cpuset_format(&a, text, sizeof(text)), "0-130");
}

static void
test_format_says_when_it_is_cut(void **state)
{
	struct cpuset set = {0};
	char text[CPUSET_TEXT_MAX];

	(void)state;
	for (unsigned id = 0; id < CPUSET_MAX; id += 2)
		cpuset_add(&set, id);
	assert_string_equal(cpuset_format(&set, text, 8), "0,2,...");
	assert_string_equal(cpuset_format(&set, text, 9), "0,2,...");
	assert_string_equal(cpuset_format(&set, text, 10), "0,2,4,...");
	cpuset_format(&set, text, sizeof(text));
	assert_string_equal(text + strlen(text) - 9, "4092,4094");
	/* The last item needs the room of the dots as well, unless it is the only one left. */
	cpuset_zero(&set);
	cpuset_add(&set, 10);
	cpuset_add(&set, 12);
	assert_string_equal(cpuset_format(&set, text, 7), "10,12");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_E3_mask_of_each_count),
		cmocka_unit_test(test_E3_mask_of_exactly_32),
		cmocka_unit_test(test_E3_each_single_id),
		cmocka_unit_test(test_edges_of_the_range),
		cmocka_unit_test(test_parse_lists),
		cmocka_unit_test(test_refused_texts),
		cmocka_unit_test(test_mask_lengths),
		cmocka_unit_test(test_and_or),
		cmocka_unit_test(test_format_says_when_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lcores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

static struct topology topo; /* large */

static struct lcores
parse(const char *text)
{
	struct lcores lcores = {.main_id = -1};
	struct err e = {0};

	if (lcores_parse(&lcores, text, &e) < 0)
		fail_msg("%s", e.msg);
	return lcores;
}

static void
assert_format(const struct lcores *lcores, const char *expected)
{
	char *text = lcores_format(lcores);

	assert_string_equal(text, expected);
	free(text);
}

static void
assert_cpus(const struct lcores *lcores, unsigned id, const char *expected)
{
	char text[64];

	assert_non_null(lcores_find(lcores, id));
	assert_string_equal(
		cpuset_format(&lcores_find(lcores, id)->cpus, text, sizeof(text)), expected);
}

static void
test_grammar_in_full(void **state)
{
	struct lcores lcores = parse("1,2@(5-7),(3-5)@(0,2),(0,6),7-8");

	(void)state;
	assert_int_equal(lcores.nb, 9);
	assert_cpus(&lcores, 0, "0,6");
	assert_cpus(&lcores, 1, "1");
	assert_cpus(&lcores, 2, "5-7");
	assert_cpus(&lcores, 3, "0,2");
	assert_cpus(&lcores, 4, "0,2");
	assert_cpus(&lcores, 5, "0,2");
	assert_cpus(&lcores, 6, "0,6");
	assert_cpus(&lcores, 7, "7");
	assert_cpus(&lcores, 8, "8");
	assert_int_equal(lcores_main(&lcores), 0);
	assert_null(lcores_find(&lcores, 9));
	lcores_free(&lcores);
	assert_int_equal(lcores_main(&lcores), -1);
}

static void
test_format_is_read_back(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"0-3", "0-3"},
		{"3,1,0", "0-1,3"},
		{"0,4@130,1-2", "0-2,4@130"},
		{"0@0,1@0", "0,1@0"},
		{"(0,6)", "0@(0,6),6@(0,6)"},
		{" ( 1 - 2 ) @ ( 4 , 6 - 7 ) , 9 ", "1@(4,6-7),2@(4,6-7),9"},
		{"5-3", "3-5"},
		{"1,1", "1"},
		{"1023", "1023"},
		{"2@5-7", "2@(5-7)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lcores lcores = parse(rows[i].text);
		struct lcores again = parse(rows[i].canonical);

		assert_format(&lcores, rows[i].canonical);
		assert_format(&again, rows[i].canonical);
		lcores_free(&lcores);
		lcores_free(&again);
	}
}

static void
test_malformed(void **state)
{
	static const char *const rows[] = {
		"",
		",",
		"1,",
		"1@",
		"@1",
		"(1",
		"1)",
		"()",
		"1@()",
		"1@(2",
		"(1)2",
		"1@2@3",
		"a",
		"1@x",
		"1,2@3,2@4",
		"1-2,2@0",
		"4096",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lcores lcores = {.main_id = -1};
		struct err e = {0};

		assert_int_equal(lcores_parse(&lcores, rows[i], &e), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		assert_non_null(strstr(e.msg, "(valid: "));
		assert_int_equal(lcores.nb, 0);
	}
}

static void
test_E3_masks(void **state)
{
	struct lcores lcores = {.main_id = -1};
	struct err e = {0};

	(void)state;
	assert_int_equal(lcores_parse_mask(&lcores, "0xffffffff", &e), 0);
	assert_format(&lcores, "0-31");
	lcores_free(&lcores);
	assert_int_equal(lcores_parse_mask(&lcores, "1ffffffffffffffff", &e), 0);
	assert_int_equal(lcores.nb, 65);
	assert_format(&lcores, "0-64");
	lcores_free(&lcores);
	assert_int_equal(lcores_parse_mask(&lcores, "0", &e), -1);
}

static void
test_E1_only_main(void **state)
{
	struct lcores lcores = parse("1");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 1, 4, 1);
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.msg, "need at least one worker lcore besides main"));
	lcores_free(&lcores);
	/* A main that floats or shares a CPU with the worker is fine. */
	lcores = parse("0@1,1@1");
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_int_equal(notes.nb, 0);
	lcores_free(&lcores);
}

static void
test_E2_192_cpus(void **state)
{
	struct lcores lcores = parse("2,126-131");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 2, 96, 1);
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_format(&lcores, "0@128,1@129,2,3@130,4@131,126-127");
	/* The lowest id that the user gave stays main. */
	assert_int_equal(lcores_main(&lcores), 2);
	assert_int_equal(notes.nb, 1);
	assert_false(notes.note[0].warning);
	assert_string_equal(notes.note[0].text, "4 lcore ids from 128 up, which this DPDK cannot "
						"have, are mapped: 0-1 are 128-129, "
						"3-4 are 130-131");
	lcores_free(&lcores);
}

static void
test_E2_main_moves_with_its_lcore(void **state)
{
	struct lcores lcores = parse("0,150,191@7");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 2, 96, 1);
	lcores.main_id = 191;
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_format(&lcores, "0,1@150,2@7");
	assert_int_equal(lcores_main(&lcores), 2);
	assert_string_equal(notes.note[0].text,
		"2 lcore ids from 128 up, which this DPDK cannot have, are mapped: 1 is 150 (CPU "
		"150), 2 is 191 (CPU 7)");
	lcores_free(&lcores);
}

static void
test_E2_nothing_to_map_up_to_the_limit(void **state)
{
	struct lcores lcores = parse("0-127");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 2, 96, 1);
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_format(&lcores, "0-127");
	assert_int_equal(notes.nb, 0);
	lcores_free(&lcores);
	lcores = parse("64-191");
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_int_equal(lcores.nb, 128);
	assert_cpus(&lcores, 0, "128");
	assert_cpus(&lcores, 63, "191");
	assert_cpus(&lcores, 64, "64");
	assert_int_equal(lcores_main(&lcores), 64);
	lcores_free(&lcores);
	lcores = parse("0-128");
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.msg, "129 lcores are given; this DPDK can have at most 128"));
	lcores_free(&lcores);
}

static void
test_E6_cpu_that_is_not_there(void **state)
{
	struct lcores lcores = parse("0-5");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 1, 4, 1);
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, "CPU 4 is not there (absent or offline): the CPUs this process "
				   "may use are 0-3 (4), "
				   "asked for are 0-5 (6)");
	lcores_free(&lcores);
}

static void
test_E6_cpu_outside_the_affinity(void **state)
{
	struct lcores lcores = parse("0,1@(2-3)");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 1, 4, 1);
	machine_allow(&topo, "0,2");
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), -1);
	assert_non_null(strstr(e.msg, "CPU 3 is closed to this process"));
	assert_non_null(strstr(e.msg, "may use are 0,2 (2)"));
	lcores_free(&lcores);
}

static void
test_main_not_among_them(void **state)
{
	struct lcores lcores = parse("0-1");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 1, 4, 1);
	lcores.main_id = 3;
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.msg, "--main-lcore=3"));
	lcores_free(&lcores);
}

static void
test_two_workers_on_one_cpu(void **state)
{
	struct lcores lcores = parse("0@2,1@2,2@2,3");
	struct notes notes = {0};
	struct err e = {0};

	(void)state;
	machine_make(&topo, 1, 4, 1);
	assert_int_equal(lcores_check(&lcores, &topo, 128, &notes, &e), 0);
	assert_int_equal(notes.nb, 1);
	assert_true(notes.note[0].warning);
	assert_non_null(strstr(notes.note[0].text, "lcores 1 and 2 are workers on the same CPU 2"));
	lcores_free(&lcores);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar_in_full),
		cmocka_unit_test(test_format_is_read_back),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_E3_masks),
		cmocka_unit_test(test_E1_only_main),
		cmocka_unit_test(test_E2_192_cpus),
		cmocka_unit_test(test_E2_main_moves_with_its_lcore),
		cmocka_unit_test(test_E2_nothing_to_map_up_to_the_limit),
		cmocka_unit_test(test_E6_cpu_that_is_not_there),
		cmocka_unit_test(test_E6_cpu_outside_the_affinity),
		cmocka_unit_test(test_main_not_among_them),
		cmocka_unit_test(test_two_workers_on_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

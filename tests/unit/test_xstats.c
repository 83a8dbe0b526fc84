/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "xstats.h"

static struct xstat before[] = {
	{"rx_good_packets", 100},
	{"tx_good_packets", 7},
	{"pps_allowance_exceeded", 40},
	{"bw_out_allowance_exceeded", 0},
	{"rx_q0_errors", 9},
};
static const struct xstats base = {before, 5};

static void
test_what_grew_by_how_much(void **state)
{
	struct xstat list[] = {
		{"rx_good_packets", 100},
		{"tx_good_packets", 1007},
		{"pps_allowance_exceeded", 2540},
		{"bw_out_allowance_exceeded", 0},
		{"rx_q0_errors", 9},
	};
	const struct xstats now = {list, 5};
	struct xstats grown = xstats_grown(&base, &now);

	(void)state;
	assert_int_equal(grown.n, 2);
	assert_string_equal(grown.list[0].name, "tx_good_packets");
	assert_int_equal(grown.list[0].value, 1000);
	assert_string_equal(grown.list[1].name, "pps_allowance_exceeded");
	assert_int_equal(grown.list[1].value, 2500);
	xstats_free(&grown);
	assert_null(grown.list);
	assert_int_equal(grown.n, 0);
}

/* Another order, some that are new or gone, one that somebody reset. */
static void
test_counters_are_matched_by_name(void **state)
{
	struct xstat list[] = {
		{"rx_q0_errors", 10},
		{"rx_q1_errors", 3},
		{"rx_good_packets", 4},
		{"tx_good_packets", 7},
	};
	const struct xstats now = {list, 4};
	struct xstats grown = xstats_grown(&base, &now);

	(void)state;
	assert_int_equal(grown.n, 2);
	assert_string_equal(grown.list[0].name, "rx_q0_errors");
	assert_int_equal(grown.list[0].value, 1);
	assert_string_equal(grown.list[1].name, "rx_q1_errors");
	assert_int_equal(grown.list[1].value, 3);
	xstats_free(&grown);
}

static void
test_nothing_there(void **state)
{
	const struct xstats none = {0};
	struct xstats grown = xstats_grown(&base, &none);

	(void)state;
	assert_int_equal(grown.n, 0);
	xstats_free(&grown);
	grown = xstats_grown(&none, &base);
	assert_int_equal(grown.n, 4); /* those that are not 0 */
	xstats_free(&grown);
}

/* K1: names that ENA's driver gives. A counter of what is left is none of what was exceeded. */
static void
test_K1_limits_of_an_instance(void **state)
{
	struct xstat list[] = {
		{"tx_good_packets", 1000},
		{"pps_allowance_exceeded", 2500},
		{"bw_in_allowance_exceeded", 1},
		{"conntrack_allowance_available", 5000},
	};
	const struct xstats grown = {list, 4};
	struct notes notes = {0};

	(void)state;
	xstats_note_limits(&grown, 3, &notes);
	assert_int_equal(notes.nb, 2);
	assert_true(notes.note[0].warning);
	assert_string_equal(notes.note[0].text,
		"port 3: this instance reached its limit of packets a second: the cloud queued or "
		"dropped 2500 frames (pps_allowance_exceeded), so the figures are the instance's "
		"and not the NIC's");
	assert_non_null(strstr(notes.note[1].text, "limit of inbound bandwidth"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_grew_by_how_much),
		cmocka_unit_test(test_counters_are_matched_by_name),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_K1_limits_of_an_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "units.h"

static void
test_durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"0", 0},
		{"1", 1000000000},
		{"3s", 3000000000},
		{"500ms", 500000000},
		{"250us", 250000},
		{"7ns", 7},
		{"10m", 600000000000},
		{"1h", 3600000000000},
		{"1.5", 1500000000},
		{"0.001ms", 1000},
		{"0.000000001s", 1},
		{"1.0000000000h", 3600000000000},
		{"18446744073709551615ns", UINT64_MAX},
		{"18446744073.709551615s", UINT64_MAX},
		{"007", 7000000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t ns = 12345;

		assert_int_equal(units_parse_duration(good[i].text, &ns), 0);
		assert_true(ns == good[i].ns);
	}
}

static void
test_what_is_not_a_duration_is_refused(void **state)
{
	static const char *const malformed[] = {
		"",
		"s",
		"-1",
		"+1",
		"1 s",
		" 1",
		"1s ",
		"1S",
		"1sec",
		"1e3",
		"nan",
		"inf",
		"0x10",
		"1.",
		".5",
		"1..5",
		"1.5.5",
		"1,5",
		"0.5ns",
		"abc",
		"1s1",
		"1m30s",
		"0.0000000000000000001h",
	};
	static const char *const too_large[] = {
		"18446744073709551616ns",
		"18446744074s",
		"18446744073709551615h",
		"99999999999999999999999",
		"5124096h",
	};
	uint64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		if (units_parse_duration(malformed[i], &ns) != -EINVAL)
			fail_msg("'%s' is not -EINVAL", malformed[i]);
	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++)
		if (units_parse_duration(too_large[i], &ns) != -ERANGE)
			fail_msg("'%s' is not -ERANGE", too_large[i]);
	assert_int_equal(ns, 7);
}

static void
test_rates(void **state)
{
	static const struct {
		const char *text;
		enum units_rate_kind kind;
		uint64_t value;
	} good[] = {
		{"10Mpps", UNITS_PPS, 10000000},
		{"100kpps", UNITS_PPS, 100000},
		{"5Gbps", UNITS_BPS, 5000000000},
		{"99pps", UNITS_PPS, 99},
		{"0bps", UNITS_BPS, 0},
		{"14.88Mpps", UNITS_PPS, 14880000},
		{"1.5Kpps", UNITS_PPS, 1500},
		{"0.4Tbps", UNITS_BPS, 400000000000},
		{"18446744073709551615pps", UNITS_PPS, UINT64_MAX},
	};
	static const char *const bad[] = {
		"",
		"10",
		"10M",
		"pps",
		"Mpps",
		"-1pps",
		"1 Mpps",
		"1Mpp",
		"1Mppss",
		"1mpps",
		"1Mps",
		"0.5pps",
		"nanpps",
		"1e6pps",
		"10%",
		"1Mpps,",
	};
	struct units_rate rate = {UNITS_BPS, 7};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (units_parse_rate(bad[i], &rate) != -EINVAL)
			fail_msg("'%s' is not -EINVAL", bad[i]);
	assert_int_equal(units_parse_rate("18446744073709551616pps", &rate), -ERANGE);
	assert_int_equal(units_parse_rate("18446744073709551615kpps", &rate), -ERANGE);
	assert_int_equal(rate.kind, UNITS_BPS);
	assert_int_equal(rate.value, 7);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(units_parse_rate(good[i].text, &rate), 0);
		assert_int_equal(rate.kind, good[i].kind);
		assert_true(rate.value == good[i].value);
	}
}

static void
test_shares(void **state)
{
	static const char *const bad[] = {
		"", "%", "40", "40 %", "-1%", "1e1%", "40%%", "0.00001%", "40pct"};
	uint64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (units_parse_percent(bad[i], &n) != -EINVAL)
			fail_msg("'%s' is not -EINVAL", bad[i]);
	assert_int_equal(n, 7);
	assert_int_equal(units_parse_percent("40%", &n), 0);
	assert_int_equal(n, 400000);
	assert_int_equal(units_parse_percent("0.0001%", &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(units_parse_percent("18446744073709551615%", &n), -ERANGE);
}

static void
test_counts(void **state)
{
	static const char *const bad[] = {
		"", "-1", "+1", "1k", "1.0", "0x1", " 1", "1 ", "abc", "1e3"};
	uint64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (units_parse_count(bad[i], &n) != -EINVAL)
			fail_msg("'%s' is not -EINVAL", bad[i]);
	assert_int_equal(units_parse_count("18446744073709551616", &n), -ERANGE);
	assert_int_equal(n, 7);
	assert_int_equal(units_parse_count("18446744073709551615", &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(units_parse_count("0", &n), 0);
	assert_int_equal(n, 0);
}

static void
test_E3_masks_up_to_64_bits(void **state)
{
	static const char *const bad[] = {"", "0x", "x1", "-1", "0xg", "1 ", " 1", "0x0x1", "1.0"};
	uint64_t mask = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (units_parse_hex(bad[i], &mask) != -EINVAL)
			fail_msg("'%s' is not -EINVAL", bad[i]);
	assert_int_equal(units_parse_hex("10000000000000000", &mask), -ERANGE);
	assert_int_equal(mask, 7);
	assert_int_equal(units_parse_hex("10", &mask), 0);
	assert_int_equal(mask, 16);
	assert_int_equal(units_parse_hex("0xffffffff", &mask), 0);
	assert_true(mask == UINT32_MAX);
	assert_int_equal(units_parse_hex("0X1aBcdEF00", &mask), 0);
	assert_true(mask == UINT64_C(0x1abcdef00));
	assert_int_equal(units_parse_hex("0000000000000000000ffffffffffffffff", &mask), 0);
	assert_true(mask == UINT64_MAX);
}

static void
test_J3_rates_beyond_64_bits_of_bytes_times_ns(void **state)
{
	const uint64_t day = 86400 * UNITS_NS_PER_S;
	char buf[UNITS_LEN];

	(void)state;
	/* 5e10 B/s for a day: bytes x 1e9 needs 82 bits. */
	assert_true(units_per_second(UINT64_C(50000000000) * 86400, day) == 5e10);
	assert_string_equal(units_format_bps(5e10 * 8, buf), "400.000 Gbit/s");
	assert_true(units_per_second(UINT64_MAX, UNITS_NS_PER_S) == 0x1p64);
	assert_true(units_per_second(3, 2 * UNITS_NS_PER_S) == 1.5);
	assert_true(units_per_second(0, 5) == 0);
	assert_true(isnan(units_per_second(1, 0)));
}

static void
test_durations_are_written_exactly(void **state)
{
	char buf[UNITS_LEN];

	(void)state;
	assert_string_equal(units_format_duration(0, buf), "0s");
	assert_string_equal(units_format_duration(500000000, buf), "500ms");
	assert_string_equal(units_format_duration(1500000000, buf), "1500ms");
	assert_string_equal(units_format_duration(90 * UNITS_NS_PER_S, buf), "90s");
	assert_string_equal(units_format_duration(600 * UNITS_NS_PER_S, buf), "10m");
	assert_string_equal(units_format_duration(3600 * UNITS_NS_PER_S, buf), "1h");
	assert_string_equal(units_format_duration(UINT64_MAX, buf), "18446744073709551615ns");
	assert_string_equal(units_format_seconds(0, buf), "0");
	assert_string_equal(units_format_seconds(500000000, buf), "0.5");
	assert_string_equal(units_format_seconds(100 * UNITS_NS_PER_S, buf), "100");
	assert_string_equal(units_format_seconds(1, buf), "0.000000001");
	assert_string_equal(units_format_seconds(UINT64_MAX, buf), "18446744073.709551615");
}

static void
test_rates_are_written_with_the_unit_that_fits(void **state)
{
	char buf[UNITS_LEN];

	(void)state;
	assert_string_equal(units_format_mpps(14880952.4, buf), "14.881");
	assert_string_equal(units_format_mpps(0, buf), "0.000");
	assert_string_equal(units_format_gbps(9999e6, buf), "9.999");
	assert_string_equal(units_format_pps(0, buf), "0 pps");
	assert_string_equal(units_format_pps(99.6, buf), "100 pps");
	assert_string_equal(units_format_pps(999.4, buf), "999 pps");
	assert_string_equal(units_format_pps(999.5, buf), "1.000 kpps");
	assert_string_equal(units_format_pps(12500, buf), "12.500 kpps");
	assert_string_equal(units_format_pps(999999.4, buf), "999.999 kpps");
	assert_string_equal(units_format_pps(999999.6, buf), "1.000 Mpps");
	assert_string_equal(units_format_pps(1234000, buf), "1.234 Mpps");
	assert_string_equal(units_format_pps(5e12, buf), "5000.000 Gpps");
	assert_string_equal(units_format_bps(64, buf), "64 bit/s");
	assert_string_equal(units_format_bps(81.92e9, buf), "81.920 Gbit/s");
	assert_string_equal(units_format_bps(1.6e12, buf), "1.600 Tbit/s");
}

static void
test_a_rate_that_is_none_is_not_available(void **state)
{
	char buf[UNITS_LEN];

	(void)state;
	assert_string_equal(units_format_mpps(NAN, buf), "n/a");
	assert_string_equal(units_format_pps(NAN, buf), "n/a");
	assert_string_equal(units_format_pps(-1, buf), "n/a");
	assert_string_equal(units_format_bps(INFINITY, buf), "n/a");
	assert_string_equal(units_format_gbps(-INFINITY, buf), "n/a");
	assert_string_equal(units_format_mpps(1e300, buf), "n/a");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_what_is_not_a_duration_is_refused),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_E3_masks_up_to_64_bits),
		cmocka_unit_test(test_J3_rates_beyond_64_bits_of_bytes_times_ns),
		cmocka_unit_test(test_durations_are_written_exactly),
		cmocka_unit_test(test_rates_are_written_with_the_unit_that_fits),
		cmocka_unit_test(test_a_rate_that_is_none_is_not_available),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

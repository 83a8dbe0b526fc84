/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "option.h"

static union option_field field;
static char text[256];

/* What parse says, NULL for good. */
static const char *
parse(const struct option *o, const char *value)
{
	return o->type->parse(o, value, &field);
}

static const char *
format(const struct option *o)
{
	o->type->format(o, &field, text, sizeof(text));
	return text;
}

static const char *
range(const struct option *o)
{
	option_range(o, text, sizeof(text));
	return text;
}

static void
test_flag(void **state)
{
	const struct option o = {.type = &option_flag};

	(void)state;
	assert_null(parse(&o, NULL));
	assert_true(field.flag);
	assert_null(parse(&o, "false"));
	assert_false(field.flag);
	assert_string_equal(format(&o), "false");
	assert_null(parse(&o, "true"));
	assert_string_equal(format(&o), "true");
	assert_string_equal(parse(&o, "yes"), "neither true nor false");
	assert_non_null(parse(&o, ""));
	assert_non_null(parse(&o, "1"));
	assert_non_null(parse(&o, "True"));
}

static void
test_counts_within_their_range(void **state)
{
	const struct option u16 = {
		.type = &option_u16, .min = 8, .max = UINT16_MAX, .unit = "bytes"};
	const struct option u32 = {.type = &option_u32, .max = UINT32_MAX};
	const struct option u64 = {.type = &option_u64, .max = UINT64_MAX};

	(void)state;
	assert_null(parse(&u16, "8"));
	assert_int_equal(field.u16, 8);
	assert_null(parse(&u16, "65535"));
	assert_int_equal(field.u16, 65535);
	assert_string_equal(format(&u16), "65535");
	assert_string_equal(parse(&u16, "7"), "too small");
	assert_string_equal(parse(&u16, "65536"), "too large");
	assert_string_equal(parse(&u16, "99999999999999999999"), "too large");
	assert_string_equal(parse(&u16, "-8"), "not a whole number");
	assert_string_equal(parse(&u16, ""), "not a whole number");
	assert_string_equal(range(&u16), "8 to 65535 bytes");

	assert_null(parse(&u32, "4294967295"));
	assert_string_equal(format(&u32), "4294967295");
	assert_string_equal(parse(&u32, "4294967296"), "too large");
	assert_string_equal(range(&u32), "0 to 4294967295");

	assert_null(parse(&u64, "18446744073709551615"));
	assert_string_equal(format(&u64), "18446744073709551615");
	assert_string_equal(parse(&u64, "18446744073709551616"), "too large");
}

/* Masks of 1, 31, 32, 33, 63 and 64 bits. */
static void
test_E3_masks_of_every_width(void **state)
{
	static const unsigned int widths[] = {1, 31, 32, 33, 63, 64};
	const struct option all = {.type = &option_mask, .min = 1, .max = UINT64_MAX};
	const struct option ports = {.type = &option_mask, .min = 1, .max = UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		uint64_t mask = UINT64_MAX >> (64 - widths[i]);
		char copy[sizeof(text)];

		field.u64 = mask;
		snprintf(copy, sizeof(copy), "%s", format(&all));
		field.u64 = 0;
		assert_null(parse(&all, copy));
		assert_true(field.u64 == mask);
		if (widths[i] <= 32)
			assert_null(parse(&ports, copy));
		else
			assert_string_equal(parse(&ports, copy), "too large");
	}
	assert_string_equal(parse(&all, "0"), "too small");
	assert_string_equal(parse(&all, "0x"), "not a hex number");
	assert_string_equal(parse(&all, "10000000000000000"), "too large");
	assert_null(parse(&all, "10"));
	assert_string_equal(format(&all), "0x10");
	assert_string_equal(range(&ports), "0x1 to 0xffffffff");
}

static void
test_duration(void **state)
{
	const struct option o = {.type = &option_duration, .min = 10000000, .max = 3600000000000};

	(void)state;
	assert_null(parse(&o, "1500ms"));
	assert_true(field.u64 == 1500000000);
	assert_string_equal(format(&o), "1.5");
	assert_null(parse(&o, "0"));
	assert_true(field.u64 == 0);
	assert_null(parse(&o, "10ms"));
	assert_null(parse(&o, "1h"));
	assert_string_equal(parse(&o, "9ms"), "too small");
	assert_string_equal(parse(&o, "3601"), "too large");
	assert_string_equal(parse(&o, "99999999999999999999h"), "too large");
	assert_non_null(strstr(parse(&o, "abc"), "not a duration"));
	assert_string_equal(range(&o), "10ms to 1h, or 0");
}

static void
test_strings(void **state)
{
	const struct option o = {.type = &option_file};

	(void)state;
	assert_null(parse(&o, "a b"));
	assert_string_equal(field.text, "a b");
	assert_string_equal(format(&o), "a b");
	assert_string_equal(parse(&o, ""), "empty");
	field.text = NULL;
	assert_string_equal(format(&o), "");
	assert_string_equal(range(&o), "");
}

static void
test_addresses(void **state)
{
	const struct option ip = {.type = &option_ipv4}, mac = {.type = &option_mac};

	(void)state;
	assert_null(parse(&ip, "192.0.2.1"));
	assert_int_equal(field.u32, 0xc0000201);
	assert_string_equal(format(&ip), "192.0.2.1");
	assert_non_null(strstr(parse(&ip, "192.0.2"), "not an IPv4 address"));
	assert_null(parse(&mac, "02-00-00-00-00-AA"));
	assert_int_equal(field.mac.byte[5], 0xaa);
	assert_string_equal(format(&mac), "02:00:00:00:00:aa");
	assert_non_null(strstr(parse(&mac, "02:00"), "not a MAC address"));
}

static void
test_choice(void **state)
{
	static const char *const words[] = {"software", "offload", "none", NULL};
	const struct option o = {.type = &option_choice, .words = words};

	(void)state;
	assert_null(parse(&o, "none"));
	assert_int_equal(field.choice, 2);
	assert_string_equal(format(&o), "none");
	assert_string_equal(parse(&o, "non"), "not one of the choices");
	assert_string_equal(parse(&o, ""), "not one of the choices");
	assert_string_equal(range(&o), "software, offload or none");
}

static void
test_list(void **state)
{
	const struct option o = {
		.type = &option_u16_list, .min = 1, .max = UINT16_MAX, .items = 3, .unit = "bytes"};

	(void)state;
	assert_null(parse(&o, "1,65535,3"));
	assert_int_equal(field.u16_list[1], 65535);
	assert_string_equal(format(&o), "1,65535,3");
	assert_null(parse(&o, "7"));
	assert_int_equal(field.u16_list[1], 0);
	assert_string_equal(format(&o), "7");
	assert_string_equal(parse(&o, "1,2,3,4"), "too many items");
	assert_string_equal(parse(&o, "1,0,3"), "too small");
	assert_string_equal(parse(&o, "65536"), "too large");
	assert_string_equal(parse(&o, "1,,3"), "an item is empty");
	assert_string_equal(parse(&o, "1,"), "an item is empty");
	assert_string_equal(parse(&o, ""), "an item is empty");
	assert_string_equal(parse(&o, "1, 2"), "not a whole number");
	assert_string_equal(parse(&o, "00000000000000000000000000000000000000000000000001"),
		"not a list of whole numbers");
	assert_string_equal(range(&o), "1 to 65535 bytes each, at most 3 of them");
}

static void
test_rate(void **state)
{
	const struct option o = {.type = &option_rate};

	(void)state;
	assert_null(parse(&o, "1.5Mpps"));
	assert_true(field.rate.pps == 1500000 && field.rate.bps + field.rate.millionths == 0);
	assert_string_equal(format(&o), "1500000pps");
	assert_null(parse(&o, "5Gbps"));
	assert_true(field.rate.bps == 5000000000 && field.rate.pps + field.rate.millionths == 0);
	assert_string_equal(format(&o), "5000000000bps");
	assert_null(parse(&o, "12.5%"));
	assert_true(field.rate.millionths == 125000 && field.rate.pps + field.rate.bps == 0);
	assert_string_equal(format(&o), "12.5%");
	assert_null(parse(&o, "100%"));
	assert_string_equal(parse(&o, "0%"), "not a share above 0 and up to 100%");
	assert_string_equal(parse(&o, "101%"), "not a share above 0 and up to 100%");
	assert_string_equal(parse(&o, "0pps"), "a rate is 0");
	assert_string_equal(parse(&o, "10"), "not a rate");
	assert_string_equal(parse(&o, "10Mpps,5Gbps"), "not a rate");
	assert_string_equal(parse(&o, "%"), "not a rate");
	assert_string_equal(parse(&o, "-1%"), "not a rate");
	assert_string_equal(parse(&o, "99999999999999999999Tpps"), "a rate is too large");
	assert_string_equal(range(&o), "10Mpps, 5Gbps, or 40% of a known link speed");
}

static void
test_share(void **state)
{
	const struct option o = {.type = &option_share};

	(void)state;
	assert_null(parse(&o, "0.1%"));
	assert_int_equal(field.u64, 1000);
	assert_string_equal(format(&o), "0.1%");
	assert_null(parse(&o, "0"));
	assert_int_equal(field.u64, 0);
	assert_string_equal(format(&o), "0%");
	assert_null(parse(&o, "100%"));
	assert_string_equal(parse(&o, "100.1%"), "more than 100%");
	assert_non_null(parse(&o, "1"));
	assert_non_null(parse(&o, "-1%"));
	assert_non_null(parse(&o, "0.00001%"));
	assert_string_equal(range(&o), "0% to 100%, as 0.1%");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flag),
		cmocka_unit_test(test_counts_within_their_range),
		cmocka_unit_test(test_E3_masks_of_every_width),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "addr.h"

static void
test_ipv4_is_read_in_host_byte_order(void **state)
{
	uint32_t ip;

	(void)state;
	assert_int_equal(addr_parse_ipv4("198.18.0.1", &ip), 0);
	assert_int_equal(ip, 0xc6120001);
	assert_int_equal(addr_parse_ipv4("0.0.0.0", &ip), 0);
	assert_int_equal(ip, 0);
	assert_int_equal(addr_parse_ipv4("255.255.255.255", &ip), 0);
	assert_int_equal(ip, 0xffffffff);
}

static void
test_what_is_not_a_dotted_quad_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		".",
		"1",
		"1.2.3",
		"1.2.3.",
		"1.2.3.4.",
		"1.2.3.4.5",
		"256.0.0.1",
		"1.2.3.999",
		"1..2.3",
		".1.2.3.4",
		"1.2.3.4 ",
		" 1.2.3.4",
		"1.2.3.-4",
		"1.2.3.+4",
		"01.2.3.4",
		"1.2.3.00",
		"0x1.2.3.4",
		"1.2.3.4/24",
		"1.2.3.1000",
		"a.b.c.d",
		"1,2,3,4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t ip = 7;

		if (addr_parse_ipv4(bad[i], &ip) != -EINVAL)
			fail_msg("'%s' was taken for an address", bad[i]);
		assert_int_equal(ip, 7);
	}
}

static void
test_ipv4_is_written(void **state)
{
	char buf[ADDR_IPV4_LEN];

	(void)state;
	assert_string_equal(addr_format_ipv4(0xc6120002, buf), "198.18.0.2");
	assert_string_equal(addr_format_ipv4(0, buf), "0.0.0.0");
	assert_string_equal(addr_format_ipv4(UINT32_MAX, buf), "255.255.255.255");
}

static void
test_mac_with_colons_dashes_or_nothing_between(void **state)
{
	static const char *const good[] = {
		"02:aB:00:00:10:ff", "02-ab-00-00-10-FF", "02Ab000010ff"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct mac mac;
		char buf[ADDR_MAC_LEN];

		assert_int_equal(addr_parse_mac(good[i], &mac), 0);
		assert_string_equal(addr_format_mac(&mac, buf), "02:ab:00:00:10:ff");
	}
}

static void
test_what_is_not_a_mac_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"02",
		"02:ab:00:00:10",
		"02:ab:00:00:10:f",
		"02:ab:00:00:10:fff",
		"02:ab-00:00:10:ff",
		"02ab:0000:10ff",
		"02:ab:00:00:10:fg",
		"g2ab000010ff",
		"2:ab:0:0:10:ff",
		"02:ab:00:00:10:ff ",
		"02.ab.00.00.10.ff",
		"0x2ab00010ff",
		":::::",
		"02ab000010f",
		"02ab000010ff0",
		"020ab:000:010:0ff",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mac mac = {{1, 2, 3, 4, 5, 6}};

		if (addr_parse_mac(bad[i], &mac) != -EINVAL)
			fail_msg("'%s' was taken for a MAC address", bad[i]);
		assert_true(addr_mac_equal(&mac, &(struct mac){{1, 2, 3, 4, 5, 6}}));
	}
}

static void
test_kinds_of_addresses(void **state)
{
	const struct mac zero = {{0}}, own = {{0x02, 0, 0, 0, 0, 1}};
	const struct mac multicast = {{0x01, 0, 0x5e, 0, 0, 1}};
	const struct mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

	(void)state;
	assert_false(addr_ipv4_is_multicast(0xdfffffff));
	assert_true(addr_ipv4_is_multicast(0xe0000000));
	assert_true(addr_ipv4_is_multicast(0xefffffff));
	assert_false(addr_ipv4_is_multicast(0xf0000000));

	assert_true(addr_mac_is_zero(&zero));
	assert_false(addr_mac_is_zero(&own));
	assert_true(addr_mac_is_broadcast(&broadcast));
	assert_false(addr_mac_is_broadcast(&multicast));
	assert_true(addr_mac_is_multicast(&broadcast));
	assert_true(addr_mac_is_multicast(&multicast));
	assert_false(addr_mac_is_multicast(&own));
	assert_false(addr_mac_is_multicast(&zero));
	assert_false(addr_mac_equal(&own, &zero));
}

/* The low 23 bits, after RFC 1112: 224.128.64.32 and 224.0.64.32 share a MAC. */
static void
test_mac_of_a_group(void **state)
{
	const struct mac all_hosts = {{0x01, 0x00, 0x5e, 0x00, 0x00, 0x01}};
	const struct mac high = {{0x01, 0x00, 0x5e, 0x7f, 0xfe, 0xfd}};
	struct mac mac;

	(void)state;
	mac = addr_multicast_mac(0xe0000001);
	assert_true(addr_mac_equal(&mac, &all_hosts));
	mac = addr_multicast_mac(0xeffffefd);
	assert_true(addr_mac_equal(&mac, &high));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4_is_read_in_host_byte_order),
		cmocka_unit_test(test_what_is_not_a_dotted_quad_is_refused),
		cmocka_unit_test(test_ipv4_is_written),
		cmocka_unit_test(test_mac_with_colons_dashes_or_nothing_between),
		cmocka_unit_test(test_what_is_not_a_mac_is_refused),
		cmocka_unit_test(test_kinds_of_addresses),
		cmocka_unit_test(test_mac_of_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "link_speed.h"

static void
test_real_links(void **state)
{
	(void)state;
	assert_null(link_speed_doubt("net_ice", 100000));
	assert_null(link_speed_doubt("mlx5_pci", 200000));
	assert_null(link_speed_doubt("net_e1000_em", 1000));
}

/* F4: what users saw. */
static void
test_F4_speeds_that_are_none(void **state)
{
	(void)state;
	assert_non_null(strstr(link_speed_doubt("net_ice", 0), "not known"));
	assert_non_null(strstr(link_speed_doubt("net_gve", UINT32_MAX), "not known"));
	assert_non_null(strstr(link_speed_doubt("net_ice", 935134639), "no speed"));
	assert_non_null(strstr(link_speed_doubt("net_virtio", 10000), "virtual"));
	assert_non_null(strstr(link_speed_doubt("net_null", 10000), "virtual"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_links),
		cmocka_unit_test(test_F4_speeds_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

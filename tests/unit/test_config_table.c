/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config_table.h"

static void
test_every_row_is_whole(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < config_table_len; i++) {
		const struct option *o = &config_table[i];

		assert_non_null(o->name);
		assert_non_null(o->type);
		assert_non_null(o->group);
		assert_non_null(o->help);
		assert_true(o->items <= OPTION_MAX_ITEMS);
		assert_true(o->keys == 0 || o->sep != '\0');
		if (o->parts == NULL && o->question == 0)
			assert_true(o->offset < offsetof(struct config, given));
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(o->name, config_table[j].name);
	}
}

/* options_init() trusts the defaults. */
static void
test_every_default_is_valid(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < config_table_len; i++) {
		const struct option *o = &config_table[i];
		union option_field field = {0};
		const char *wrong;

		if (o->def == NULL)
			continue;
		wrong = o->type->parse(o, o->def, &field);
		if (wrong != NULL)
			fail_msg("--%s: default %s: %s", o->name, o->def, wrong);
	}
}

/* What people already use must keep its name. */
static void
test_testpmd_names(void **state)
{
	static const char *const names[] = {
		"forward-mode",
		"txd",
		"rxd",
		"txq",
		"rxq",
		"nb-cores",
		"txpkts",
		"stats-period",
		"burst",
		"mbcache",
		"total-num-mbufs",
		"mbuf-size",
		"eth-peer",
		"tx-ip",
		"tx-udp",
		"portmask",
		"rss-udp",
		"max-pkt-len",
		"enable-rx-cksum",
	};
	const struct options s = {.table = config_table, .nb_options = config_table_len};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct option *o = option_find(&s, names[i]);

		if (o == NULL || !o->testpmd)
			fail_msg("--%s is not there", names[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_whole),
		cmocka_unit_test(test_every_default_is_valid),
		cmocka_unit_test(test_testpmd_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_table.h"

static const char *const engines[] = {"rxonly", "txonly", NULL};

static char *help;

static int
set_up(void **state)
{
	size_t len;
	FILE *out = open_memstream(&help, &len);

	(void)state;
	if (out == NULL)
		return -1;
	config_print_help(out, engines);
	return fclose(out);
}

static int
tear_down(void **state)
{
	(void)state;
	free(help);
	return 0;
}

/* A serial console has 80 columns, knows ASCII only, and some wrap at the last column. */
static void
test_D6_help_fits_80_columns_of_ascii(void **state)
{
	size_t column = 0;

	(void)state;
	for (const char *p = help; *p != '\0'; p++) {
		column = *p == '\n' ? 0 : column + 1;
		assert_true(column < 80);
		assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
		if (*p == '\n' && p > help)
			assert_true(p[-1] != ' ');
	}
	assert_int_equal(column, 0);
}

static void
test_every_option_is_listed_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < config_table_len; i++) {
		const struct option *o = &config_table[i];
		const char *arg = option_arg(o);
		char line[64];
		const char *found;

		snprintf(line, sizeof(line), "\n%c --%s%s%s", o->testpmd ? '*' : ' ', o->name,
			arg == NULL ? "" : "=", arg == NULL ? "" : arg);
		found = strstr(help, line);
		if (found == NULL)
			fail_msg("no line for%s", line);
		assert_null(strstr(found + 1, line));
	}
}

static void
test_ranges_and_defaults(void **state)
{
	(void)state;
	assert_non_null(strstr(help, "(1 to 512 frames;\n                        default: 32)"));
	assert_non_null(strstr(help, "(10ms to 1h, or"));
	assert_non_null(strstr(help, "(1 to 1024 queues; default: 1)"));
	assert_non_null(strstr(help, "Engines: rxonly txonly\n"));
}

/* The difference of L1 and L2 is explained where the user looks. */
static void
test_J5_bandwidth_is_defined(void **state)
{
	(void)state;
	assert_non_null(strstr(help, "L2 bit/s = PPS x length\nx 8."));
	assert_non_null(strstr(help, "L1 bit/s = PPS x (length + 24) x 8"));
	assert_non_null(strstr(help, "without its CRC"));
	assert_non_null(strstr(help, "Exit status: 0 done; 1 "));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_D6_help_fits_80_columns_of_ascii),
		cmocka_unit_test(test_every_option_is_listed_once),
		cmocka_unit_test(test_ranges_and_defaults),
		cmocka_unit_test(test_J5_bandwidth_is_defined),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

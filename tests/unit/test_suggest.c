/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suggest.h"

static const char *const names[] = {
	"forward-mode",
	"nb-cores",
	"rxq",
	"txq",
	"rxd",
	"txd",
	"warmup",
	"txpkts",
	"duration",
	NULL,
};

static void
test_one_wrong_letter(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("nb-core", names), "nb-cores");   /* missing */
	assert_string_equal(suggest_nearest("nb-corees", names), "nb-cores"); /* too many */
	assert_string_equal(suggest_nearest("nb_cores", names), "nb-cores");  /* another */
	assert_string_equal(suggest_nearest("txptks", names), "txpkts");      /* swapped */
}

static void
test_a_beginning_is_near(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("forward", names), "forward-mode");
	assert_string_equal(suggest_nearest("dur", names), "duration");
	assert_null(suggest_nearest("du", names));
}

static void
test_the_nearest_wins_and_the_first_of_equals(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("rxd", names), "rxd");
	assert_string_equal(suggest_nearest("rxx", names), "rxq");
	assert_string_equal(suggest_nearest("txdd", names), "txd");
}

static void
test_nothing_near(void **state)
{
	char longest[200];

	(void)state;
	assert_null(suggest_nearest("", names));
	assert_null(suggest_nearest("vdev", names));
	assert_null(suggest_nearest("zzzzzzzz", names));
	assert_null(suggest_nearest("x", (const char *const[]){NULL}));
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_null(suggest_nearest(longest, (const char *const[]){longest, NULL}));
}

static void
test_names_offered_one_by_one(void **state)
{
	struct suggest s;

	(void)state;
	suggest_init(&s, "brust");
	assert_null(s.best);
	suggest_offer(&s, "json");
	assert_null(s.best);
	suggest_offer(&s, "burst");
	assert_string_equal(s.best, "burst");
	assert_int_equal(s.distance, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_wrong_letter),
		cmocka_unit_test(test_a_beginning_is_near),
		cmocka_unit_test(test_the_nearest_wins_and_the_first_of_equals),
		cmocka_unit_test(test_nothing_near),
		cmocka_unit_test(test_names_offered_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

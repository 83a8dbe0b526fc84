/* SPDX-License-Identifier: BSD-3-Clause */
#include "notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
test_notes_and_warnings(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add(&notes, "txq %d asked, %d used", 48, 16);
	notes_warn(&notes, "slow");
	notes_setup(&notes, "%s are defaults", "addresses");
	assert_int_equal(notes.nb, 3);
	assert_string_equal(notes.note[0].text, "txq 48 asked, 16 used");
	assert_false(notes.note[0].warning);
	assert_false(notes.note[0].setup);
	assert_true(notes.note[1].warning);
	assert_false(notes.note[1].setup);
	assert_string_equal(notes.note[2].text, "addresses are defaults");
	assert_false(notes.note[2].warning);
	assert_true(notes.note[2].setup);
}

static void
test_said_once(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add(&notes, "the same");
	notes_add(&notes, "the same");
	assert_int_equal(notes.nb, 1);
	assert_int_equal(notes.lost, 0);
}

static void
test_full_list_counts_the_rest(void **state)
{
	struct notes notes = {0};

	(void)state;
	for (int i = 0; i < NOTES_MAX + 3; i++)
		notes_add(&notes, "note %d", i);
	notes_add(&notes, "note 0");
	assert_int_equal(notes.nb, NOTES_MAX);
	assert_int_equal(notes.lost, 3);
	assert_string_equal(notes.note[NOTES_MAX - 1].text, "note 63");
}

static void
test_long_text_is_cut(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add(&notes, "%*s", NOTE_TEXT + 50, "x");
	assert_int_equal(strlen(notes.note[0].text), NOTE_TEXT - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_and_warnings),
		cmocka_unit_test(test_said_once),
		cmocka_unit_test(test_full_list_counts_the_rest),
		cmocka_unit_test(test_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

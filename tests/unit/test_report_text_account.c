/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report_fixture.h"
#include "report_text.h"

/* Where lines break is another test's matter. */
static void
squeeze(char *text)
{
	char *to = text;

	for (const char *p = text; *p != '\0'; p++) {
		char c = *p == '\n' ? ' ' : *p;

		if (c != ' ' || (to > text && to[-1] != ' '))
			*to++ = c;
	}
	*to = '\0';
}

static char *
said(const struct report_account *a)
{
	static char text[8192];
	struct report_sink s = {.out = fmemopen(text, sizeof(text), "w")};

	memset(text, 0, sizeof(text));
	assert_non_null(s.out);
	report_text_account(&s, a);
	fclose(s.out);
	for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") < 80);
	squeeze(text);
	return text;
}

static void
test_two_senders(void **state)
{
	const struct report_account a = {
		.kept = true, .senders = fixture_senders, .n_senders = 2, .untagged = 11};
	const char *text = said(&a);

	(void)state;
	assert_non_null(strstr(
		text, "from 198.18.0.1 run 29: 990 frames of 16 flows, 10 lost of 1000 sent;"));
	assert_non_null(strstr(text, "3 twice, 5 out of order"));
	assert_non_null(strstr(text, "by 17 places at most "));
	assert_non_null(strstr(text, "198.18.0.9 run 7: 50 frames of 2 flows, 6 lost by the gaps"));
	assert_non_null(strstr(text, "may have"));
	assert_non_null(strstr(text, "1 flows came on more than one queue"));
	assert_non_null(strstr(text, "4 frames are of flows beyond --rx-flows"));
	assert_non_null(strstr(text, "untagged 11 frames"));
	assert_null(strstr(text, "corrupt"));
}

static void
test_nothing_kept_nothing_said(void **state)
{
	const struct report_account none = {.untagged = 5}, empty = {.kept = true};

	(void)state;
	assert_string_equal(said(&none), "");
	assert_string_equal(said(&empty), "");
}

static void
test_many_senders_are_folded(void **state)
{
	struct report_sender senders[60] = {0};
	const struct report_account a = {
		.kept = true, .senders = senders, .n_senders = 60, .corrupt = 2, .crowded = 3};
	const char *text = said(&a);

	(void)state;
	assert_non_null(strstr(text, "and 52 more senders"));
	assert_non_null(strstr(text, "corrupt 2 frames"));
	assert_non_null(strstr(text, "crowded 3 frames"));
}

/* A frame told on two queues is no gain. */
static void
test_more_than_was_sent_is_no_loss(void **state)
{
	const struct report_sender s = {
		.came = {.received = 1001}, .sent_known = true, .sent = 1000};
	const struct report_account a = {.kept = true, .senders = &s, .n_senders = 1};

	(void)state;
	assert_int_equal(report_lost(&s), 0);
	assert_true(report_sum_loss(&a).known);
	assert_false(report_sum_loss(&(struct report_account){.kept = true}).known);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_senders),
		cmocka_unit_test(test_nothing_kept_nothing_said),
		cmocka_unit_test(test_many_senders_are_folded),
		cmocka_unit_test(test_more_than_was_sent_is_no_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

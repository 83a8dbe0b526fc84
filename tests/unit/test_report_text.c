/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_text.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct report_sink sink;
static char *text;
static size_t len;

static int
setup(void **state)
{
	(void)state;
	sink = (struct report_sink){.out = open_memstream(&text, &len)};
	return sink.out == NULL;
}

static int
teardown(void **state)
{
	(void)state;
	fclose(sink.out);
	free(text);
	return 0;
}

static void
test_short_line_stays_whole(void **state)
{
	(void)state;
	report_text(&sink, 4, "  %s %d", "value", 7);
	/* Flushed without asking. */
	assert_string_equal(text, "  value 7\n");
	report_text(&sink, 4, "%s", "");
	assert_string_equal(text, "  value 7\n\n");
}

static void
test_D6_line_of_79_columns_stays_and_of_80_breaks(void **state)
{
	(void)state;
	report_text(&sink, 2, "%078d x", 0);
	assert_int_equal(strcspn(text, "\n"), 78);
	assert_string_equal(text + 78, "\n  x\n");
	rewind(sink.out);
	report_text(&sink, 2, "%077d x", 0);
	assert_int_equal(strcspn(text, "\n"), 79);
}

static void
test_D6_words_longer_than_a_line_are_cut_into_lines(void **state)
{
	(void)state;
	report_text(&sink, 2, "    %0200d", 0);
	for (char *p = text; *p != '\0'; p += strcspn(p, "\n") + 1)
		assert_in_range(strcspn(p, "\n"), 1, 79);
	/* The margin of a table row is no place to break. */
	assert_int_equal(strcspn(text, "\n"), 79);
}

static void
test_D6_only_ascii_comes_out(void **state)
{
	(void)state;
	report_text(&sink, 0, "a\tb\033[2Jc\xc3\xa9");
	assert_string_equal(text, "a?b?[2Jc??\n");
}

static void
test_D3_closed_pipe_silences(void **state)
{
	int fd[2];
	struct report_sink s = {0};

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	s.out = fdopen(fd[1], "w");
	assert_non_null(s.out);
	report_text(&s, 0, "first");
	assert_int_equal(s.write_errno, EPIPE);
	report_text(&s, 0, "second");
	assert_int_equal(s.write_errno, EPIPE);
	fclose(s.out);
}

static void
test_D5_closed_stdout_silences(void **state)
{
	struct report_sink s = {.out = fopen("/dev/null", "w")};

	(void)state;
	assert_non_null(s.out);
	close(fileno(s.out));
	report_text(&s, 0, "line");
	assert_int_equal(s.write_errno, EBADF);
	fclose(s.out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_short_line_stays_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_D6_line_of_79_columns_stays_and_of_80_breaks, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_D6_words_longer_than_a_line_are_cut_into_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_D6_only_ascii_comes_out, setup, teardown),
		cmocka_unit_test(test_D3_closed_pipe_silences),
		cmocka_unit_test(test_D5_closed_stdout_silences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

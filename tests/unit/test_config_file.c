/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config_table.h"

static char path[] = "/tmp/pmdperf-test-XXXXXX";
static struct config c;
static struct ini_eal_words eal;
static struct err e;

static int
set_up(void **state)
{
	int fd;

	(void)state;
	memset(&c, 0, sizeof(c));
	options_init(&c.given, config_table, config_table_len, &c);
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
tear_down(void **state)
{
	(void)state;
	options_free(&c.given);
	ini_eal_words_free(&eal);
	return unlink(path);
}

static int
read_bytes(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	memset(&e, 0, sizeof(e));
	return config_file_read(path, &c.given, &eal, &e);
}

static int
read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* The message is PATH:LINE: and the rest. */
static void
refused(const char *text, int line, const char *rest)
{
	char message[sizeof(e.msg)];

	assert_int_equal(read_text(text), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	snprintf(message, sizeof(message), "%s:%d: %s", path, line, rest);
	assert_string_equal(e.msg, message);
}

static void
test_options_and_words_for_eal(void **state)
{
	char origin[64], expected[64];

	(void)state;
	assert_int_equal(read_text("# a comment\n"
				   "; another\n"
				   "\n"
				   "[eal]\n"
				   "l = 0-3\n"
				   "vdev = net_null0,size=64\n"
				   "vdev=net_null1\n"
				   "no-pci = true\n"
				   "a = 0000:00:05.0\n"
				   "[pmdperf]\n"
				   "forward-mode = txonly ; a comment\n"
				   "port-mode = 1=rxonly\n"
				   "port-mode = 2=rxonly\n"
				   "[traffic]\n"
				   "burst = 64\r\n"
				   "eth-peer = 0,02:00:00:00:00:01\n"
				   "tx-ip = 192.0.2.1,192.0.2.2\n"
				   "[memory]\n"
				   "mbcache: 0\n"
				   "[output]\n"
				   "quiet = true"),
		0);
	assert_int_equal(eal.nb, 5);
	assert_string_equal(eal.word[0].name, "l");
	assert_string_equal(eal.word[0].value, "0-3");
	assert_int_equal(eal.word[0].line, 5);
	assert_string_equal(eal.word[1].value, "net_null0,size=64");
	assert_string_equal(eal.word[2].name, "vdev");
	assert_string_equal(eal.word[2].value, "net_null1");
	assert_int_equal(eal.word[2].line, 7);
	assert_string_equal(eal.word[3].name, "no-pci");
	assert_string_equal(eal.word[3].value, "true");
	assert_string_equal(eal.word[4].value, "0000:00:05.0");

	assert_string_equal(c.forward_mode, "txonly");
	assert_null(c.port_mode[0]);
	assert_string_equal(c.port_mode[1], "rxonly");
	assert_string_equal(c.port_mode[2], "rxonly");
	assert_int_equal(c.burst, 64);
	assert_int_equal(c.eth_peer[0].byte[5], 1);
	assert_int_equal(c.src_ip, 0xc0000201);
	assert_int_equal(c.mbcache, 0);
	assert_true(c.quiet);
	snprintf(expected, sizeof(expected), "%s:15", path);
	assert_string_equal(config_origin(&c, "burst", origin, sizeof(origin)), expected);
}

static void
test_an_empty_file_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(read_text(""), 0);
	assert_int_equal(read_text("\n  \n# nothing\n[run]\n"), 0);
	assert_int_equal(c.given.nb_settings, 0);
	assert_int_equal(eal.nb, 0);
}

/* Blanks in front must not make a line the continuation of the one before. */
static void
test_indented_lines_are_lines_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(read_text("[ports]\n  rxq = 4\n\ttxq = 8\n    # comment\n"), 0);
	assert_int_equal(c.rxq, 4);
	assert_int_equal(c.txq, 8);
	refused("[run]\nforward-mode = txonly\n  more\n", 3, "neither [section] nor name = value");
}

static void
test_unknown_names_are_refused_with_the_nearest(void **state)
{
	(void)state;
	refused("[pmdperf]\nrxq = 1\nbrust = 3\n", 3, "unknown key 'brust'; did you mean burst?");
	refused("[pmdperf]\n--rxq = 1\n", 2, "unknown key '--rxq'; did you mean rxq?");
	refused("[pmdperf]\nxyzzy = 1\n", 2,
		"unknown key 'xyzzy'; keys are the options of --help without their dashes");
	refused("[run]\nvdev = net_null0\n", 2, "vdev is EAL's: put it under [eal]");
	refused("[pmdperf]\nrxq = 1\n-l = 0-1\n", 3, "l is EAL's: put it under [eal]");
	refused("[pmdprf]\nrxq = 1\n", 2, "unknown section [pmdprf]; did you mean [pmdperf]?");
	refused("[trafic]\nrxq = 1\n", 2, "unknown section [trafic]; did you mean [traffic]?");
	refused("[zzz]\nrxq = 1\n", 2,
		"unknown section [zzz]; options go into [pmdperf], EAL's words into [eal]");
	refused("rxq = 1\n", 1, "no section yet; put [pmdperf] or [eal] above it");
}

static void
test_bad_lines_are_refused(void **state)
{
	(void)state;
	refused("[pmdperf]\n\nrxq\n", 3, "neither [section] nor name = value");
	refused("[pmdperf\nrxq = 1\n", 1, "neither [section] nor name = value");
	refused("nonsense\n[pmdperf]\nbrust = 1\n", 1, "neither [section] nor name = value");
	refused("[pmdperf]\nbrust = 1\nnonsense\n", 2, "unknown key 'brust'; did you mean burst?");
	refused("[eal]\n= 3\n", 2, "no name before the \"=\"");
	refused("[pmdperf]\nrxq =\n", 2, "rxq = : not a whole number; valid: 1 to 1024 queues");
	refused("[pmdperf]\nquiet =\n", 2,
		"quiet = : neither true nor false; valid: true or false");
	refused("[pmdperf]\nrxq = 4 # four\n", 2,
		"rxq = 4 # four: not a whole number; valid: 1 to 1024 queues");
}

static void
test_contradictions_are_refused_by_line(void **state)
{
	(void)state;
	refused("[ports]\nrxq = 1\nrxq = 1\n[pmdperf]\nrxq = 2\n", 5,
		"rxq = 2: contradicts \"rxq = 1\" in line 2; keep one of them");
	options_free(&c.given);
	refused("[traffic]\ntx-ip = 192.0.2.1,192.0.2.2\nsrc-ip = 192.0.2.9\n", 3,
		"src-ip = 192.0.2.9: contradicts \"tx-ip = 192.0.2.1,192.0.2.2\" in line 2; "
		"keep one of them");
}

static void
test_what_belongs_on_the_command_line(void **state)
{
	(void)state;
	refused("[run]\nconfig = other.ini\n", 2,
		"config = other.ini: belongs on the command line");
	refused("[run]\nhelp = true\n", 2, "help = true: belongs on the command line");
}

static void
test_long_lines_are_refused_not_cut(void **state)
{
	char text[4200] = "[run]\njson = ";

	(void)state;
	memset(text + strlen(text), 'a', 4000);
	assert_int_equal(read_text(text), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.msg, ":2: the line is longer than "));
}

static void
test_binary_files_are_refused(void **state)
{
	(void)state;
	assert_int_equal(read_bytes("[run]\nquiet = true\0\n", 20), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.msg, ":2: a zero byte; this is not a text file"));
}

static void
test_files_that_cannot_be_read(void **state)
{
	(void)state;
	assert_int_equal(config_file_read("/nowhere/a.ini", &c.given, &eal, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(
		e.msg, "--config=/nowhere/a.ini: cannot open the file: No such file or directory");
	assert_int_equal(config_file_read("/tmp", &c.given, &eal, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, "--config=/tmp: cannot read the file: Is a directory");
}

static void
test_no_eal_section_where_nobody_takes_it(void **state)
{
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fputs("[eal]\nl = 0\n", file);
	fclose(file);
	assert_int_equal(config_file_read(path, &c.given, NULL, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_options_and_words_for_eal),
		TEST(test_an_empty_file_changes_nothing),
		TEST(test_indented_lines_are_lines_of_their_own),
		TEST(test_unknown_names_are_refused_with_the_nearest),
		TEST(test_bad_lines_are_refused),
		TEST(test_contradictions_are_refused_by_line),
		TEST(test_what_belongs_on_the_command_line),
		TEST(test_long_lines_are_refused_not_cut),
		TEST(test_binary_files_are_refused),
		TEST(test_files_that_cannot_be_read),
		TEST(test_no_eal_section_where_nobody_takes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "option.h"

/* A small table with one row of each shape. */
struct fields {
	uint16_t burst;
	bool quiet;
	const char *json;
	uint32_t src, dst;
	const char *mode[4];
	struct mac peer[4];
	uint16_t list[3];
};

static const char *const parts[] = {"src", "dst", NULL};

static const struct option table[] = {
	{.name = "burst",
		.type = &option_u16,
		.group = "g",
		.min = 1,
		.max = 512,
		.def = "32",
		.unit = "frames",
		.offset = offsetof(struct fields, burst)},
	{.name = "quiet",
		.type = &option_flag,
		.group = "g",
		.def = "false",
		.offset = offsetof(struct fields, quiet)},
	{.name = "json",
		.type = &option_file,
		.group = "g",
		.offset = offsetof(struct fields, json)},
	{.name = "src",
		.type = &option_ipv4,
		.group = "g",
		.def = "192.0.2.1",
		.offset = offsetof(struct fields, src)},
	{.name = "dst",
		.type = &option_ipv4,
		.group = "g",
		.def = "192.0.2.2",
		.offset = offsetof(struct fields, dst)},
	{.name = "both", .arg = "SRC,DST", .type = &option_ipv4, .group = "g", .parts = parts},
	{.name = "mode",
		.arg = "PORT=NAME",
		.type = &option_name,
		.group = "g",
		.keys = 4,
		.sep = '=',
		.offset = offsetof(struct fields, mode)},
	{.name = "peer",
		.arg = "PORT,MAC",
		.type = &option_mac,
		.group = "g",
		.keys = 4,
		.sep = ',',
		.offset = offsetof(struct fields, peer)},
	{.name = "list",
		.type = &option_u16_list,
		.group = "g",
		.min = 1,
		.max = 9,
		.items = 3,
		.def = "1,2",
		.offset = offsetof(struct fields, list)},
	{.name = "once",
		.type = &option_file,
		.group = "g",
		.argv_only = true,
		.offset = offsetof(struct fields, json)},
	{.name = "help", .type = &option_flag, .group = "g", .question = 1},
};

static const struct option_place argv_place = {.source = OPTION_ARGV};
static const struct option_place file_place = {.source = OPTION_FILE, .file = "a.ini", .line = 3};

static struct fields f;
static struct options s;
static struct err e;

static int
set_up(void **state)
{
	(void)state;
	memset(&f, 0xff, sizeof(f));
	memset(&e, 0, sizeof(e));
	options_init(&s, table, sizeof(table) / sizeof(table[0]), &f);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	options_free(&s);
	return 0;
}

static int
from_argv(const char *name, const char *text)
{
	return option_set(&s, option_find(&s, name), text, &argv_place, &e);
}

static int
from_file(const char *name, const char *text, int line)
{
	const struct option_place place = {.source = OPTION_FILE, .file = "a.ini", .line = line};

	return option_set(&s, option_find(&s, name), text, &place, &e);
}

static void
refused(int rc, const char *message)
{
	assert_int_equal(rc, -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, message);
}

static void
test_defaults(void **state)
{
	(void)state;
	assert_int_equal(f.burst, 32);
	assert_false(f.quiet);
	assert_null(f.json);
	assert_int_equal(f.src, 0xc0000201);
	for (int i = 0; i < 4; i++) {
		assert_null(f.mode[i]);
		assert_true(addr_mac_is_zero(&f.peer[i]));
	}
	assert_int_equal(f.list[0], 1);
	assert_int_equal(f.list[1], 2);
	assert_int_equal(f.list[2], 0);
}

static void
test_values_reach_their_fields(void **state)
{
	char copy[] = "out.json";

	(void)state;
	assert_int_equal(from_argv("burst", "64"), 0);
	assert_int_equal(from_argv("quiet", NULL), 0);
	assert_int_equal(from_argv("json", copy), 0);
	memset(copy, 'x', sizeof(copy) - 1); /* strings are kept, not borrowed */
	assert_int_equal(from_argv("list", "9"), 0);
	assert_int_equal(f.burst, 64);
	assert_true(f.quiet);
	assert_string_equal(f.json, "out.json");
	assert_int_equal(f.list[0], 9);
	assert_int_equal(f.list[1], 0);
}

static void
test_messages_name_the_place_the_text_and_the_range(void **state)
{
	(void)state;
	refused(from_argv("burst", "513"), "--burst=513: too large; valid: 1 to 512 frames");
	refused(from_argv("burst", NULL), "--burst: needs a value; valid: 1 to 512 frames");
	refused(from_file("burst", "x", 12),
		"a.ini:12: burst = x: not a whole number; valid: 1 to 512 frames");
	refused(from_argv("json", ""), "--json=: empty");
	refused(from_argv("quiet", "no"),
		"--quiet=no: neither true nor false; valid: true or false");
	assert_int_equal(f.burst, 32);
	assert_int_equal(s.nb_settings, 0);
}

static void
test_the_same_value_twice_is_fine(void **state)
{
	(void)state;
	assert_int_equal(from_argv("burst", "64"), 0);
	assert_int_equal(from_argv("burst", "064"), 0);
	assert_int_equal(from_argv("json", "a"), 0);
	assert_int_equal(from_argv("json", "a"), 0);
	assert_int_equal(from_argv("quiet", NULL), 0);
	assert_int_equal(from_argv("quiet", "true"), 0);
	assert_int_equal(f.burst, 64);
}

static void
test_another_value_contradicts(void **state)
{
	(void)state;
	assert_int_equal(from_argv("burst", "64"), 0);
	refused(from_argv("burst", "32"), "--burst=32: contradicts --burst=64; keep one of them");
	assert_int_equal(from_argv("json", "a"), 0);
	refused(from_argv("json", "b"), "--json=b: contradicts --json=a; keep one of them");
	assert_int_equal(from_argv("quiet", NULL), 0);
	refused(from_argv("quiet", "false"),
		"--quiet=false: contradicts --quiet; keep one of them");
	assert_int_equal(from_file("burst", "7", 3), 0);
	refused(from_file("burst", "8", 9),
		"a.ini:9: burst = 8: contradicts \"burst = 7\" in line 3; keep one of them");
	assert_int_equal(f.burst, 64);
}

static void
test_the_command_line_wins_over_the_file(void **state)
{
	char buf[64];

	(void)state;
	assert_int_equal(from_argv("burst", "64"), 0);
	assert_int_equal(from_file("burst", "7", 3), 0);
	assert_int_equal(f.burst, 64);
	assert_int_equal(from_file("list", "3", 4), 0);
	assert_int_equal(from_argv("list", "4"), 0);
	assert_int_equal(f.list[0], 4);
	assert_string_equal(
		option_place_text(
			&option_in_force(&s, option_find(&s, "burst"), 0)->place, buf, sizeof(buf)),
		"command line");
}

static void
test_places(void **state)
{
	const struct option_place none = {.source = OPTION_DEFAULT};
	char buf[64];

	(void)state;
	assert_string_equal(option_place_text(&none, buf, sizeof(buf)), "default");
	assert_string_equal(option_place_text(&argv_place, buf, sizeof(buf)), "command line");
	assert_string_equal(option_place_text(&file_place, buf, sizeof(buf)), "a.ini:3");
}

static void
test_keyed_values_are_told_apart_by_key(void **state)
{
	char buf[OPTION_TEXT_LEN];

	(void)state;
	assert_int_equal(from_argv("mode", "0=txonly"), 0);
	assert_int_equal(from_argv("mode", "3=rxonly"), 0);
	assert_int_equal(from_argv("mode", "0=txonly"), 0);
	refused(from_argv("mode", "0=rxonly"),
		"--mode=0=rxonly: contradicts --mode=0=txonly; keep one of them");
	assert_string_equal(f.mode[0], "txonly");
	assert_null(f.mode[1]);
	assert_string_equal(f.mode[3], "rxonly");
	assert_int_equal(
		option_value(&s, option_find(&s, "mode"), buf, sizeof(buf)), OPTION_JSON_STRING);
	assert_string_equal(buf, "0=txonly 3=rxonly");

	assert_int_equal(from_argv("peer", "1,020000000001"), 0);
	assert_int_equal(f.peer[1].byte[5], 1);
	option_value(&s, option_find(&s, "peer"), buf, sizeof(buf));
	assert_string_equal(buf, "1,02:00:00:00:00:01");
}

static void
test_bad_keys(void **state)
{
	(void)state;
	refused(from_argv("mode", "4=a"),
		"--mode=4=a: not a port number; valid: PORT=NAME, PORT from 0 to 3");
	refused(from_argv("mode", "=a"),
		"--mode==a: not a port number; valid: PORT=NAME, PORT from 0 to 3");
	refused(from_argv("mode", "-1=a"),
		"--mode=-1=a: not a port number; valid: PORT=NAME, PORT from 0 to 3");
	refused(from_argv("mode", "a"),
		"--mode=a: no port number before the value; valid: PORT=NAME, PORT from 0 to 3");
	/* A name is its reader's to check, who knows the valid ones. */
	assert_int_equal(from_argv("mode", "0="), 0);
	assert_string_equal(f.mode[0], "");
	refused(from_argv("peer", "0,1"), "--peer=0,1: not a MAC address like 02:00:00:00:00:01; "
					  "valid: PORT,MAC, PORT from 0 to 3");
}

static void
test_parts_set_the_options_they_stand_for(void **state)
{
	(void)state;
	assert_int_equal(from_argv("both", "192.0.2.7,192.0.2.8"), 0);
	assert_int_equal(f.src, 0xc0000207);
	assert_int_equal(f.dst, 0xc0000208);
	assert_int_equal(from_argv("dst", "192.0.2.8"), 0);
	refused(from_argv("dst", "192.0.2.9"), "--dst=192.0.2.9: contradicts "
					       "--both=192.0.2.7,192.0.2.8; keep one of them");
	refused(from_argv("both", "192.0.2.7"),
		"--both=192.0.2.7: wrong number of values; valid: SRC,DST");
	refused(from_argv("both", "192.0.2.7,192.0.2.8,192.0.2.9"),
		"--both=192.0.2.7,192.0.2.8,192.0.2.9: wrong number of values; valid: SRC,DST");
	refused(from_argv("both", "192.0.2.7,"),
		"--both=192.0.2.7,: not an IPv4 address like 192.0.2.1");
}

static void
test_what_belongs_on_the_command_line(void **state)
{
	(void)state;
	refused(from_file("once", "x", 3), "a.ini:3: once = x: belongs on the command line");
	refused(from_file("help", "true", 3), "a.ini:3: help = true: belongs on the command line");
	assert_int_equal(from_argv("once", "x"), 0);
}

static void
test_values_as_text(void **state)
{
	char buf[OPTION_TEXT_LEN];

	(void)state;
	assert_int_equal(
		option_value(&s, option_find(&s, "burst"), buf, sizeof(buf)), OPTION_JSON_NUMBER);
	assert_string_equal(buf, "32");
	assert_int_equal(
		option_value(&s, option_find(&s, "quiet"), buf, sizeof(buf)), OPTION_JSON_BOOL);
	assert_string_equal(buf, "false");
	assert_int_equal(
		option_value(&s, option_find(&s, "json"), buf, sizeof(buf)), OPTION_JSON_NULL);
	assert_string_equal(buf, "");
	assert_int_equal(
		option_value(&s, option_find(&s, "mode"), buf, sizeof(buf)), OPTION_JSON_NULL);
	assert_int_equal(
		option_value(&s, option_find(&s, "list"), buf, sizeof(buf)), OPTION_JSON_STRING);
	assert_string_equal(buf, "1,2");
}

static void
test_a_value_of_absurd_length_is_refused(void **state)
{
	char value[OPTION_MAX_VALUE + 2];

	(void)state;
	memset(value, 'a', sizeof(value));
	value[OPTION_MAX_VALUE + 1] = '\0';
	refused(from_argv("json", value), "--json: the value is longer than 1023 characters");
	refused(from_file("json", value, 4),
		"a.ini:4: json: the value is longer than 1023 characters");
	value[OPTION_MAX_VALUE] = '\0';
	assert_int_equal(from_argv("json", value), 0);
	assert_int_equal(strlen(f.json), OPTION_MAX_VALUE);
}

static void
test_names(void **state)
{
	(void)state;
	assert_ptr_equal(option_find(&s, "burst"), &table[0]);
	assert_null(option_find(&s, "burs"));
	assert_null(option_find(&s, ""));
	assert_string_equal(option_nearest(&s, "brust"), "burst");
	assert_null(option_nearest(&s, "zzz"));
	assert_string_equal(option_arg(&table[0]), "N");
	assert_null(option_arg(&table[1]));
	assert_string_equal(option_arg(&table[6]), "PORT=NAME");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_defaults),
		TEST(test_values_reach_their_fields),
		TEST(test_messages_name_the_place_the_text_and_the_range),
		TEST(test_the_same_value_twice_is_fine),
		TEST(test_another_value_contradicts),
		TEST(test_the_command_line_wins_over_the_file),
		TEST(test_places),
		TEST(test_keyed_values_are_told_apart_by_key),
		TEST(test_bad_keys),
		TEST(test_parts_set_the_options_they_stand_for),
		TEST(test_what_belongs_on_the_command_line),
		TEST(test_values_as_text),
		TEST(test_a_value_of_absurd_length_is_refused),
		TEST(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

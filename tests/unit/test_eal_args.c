/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

enum {
	MAX_WORDS = 32,
};

static struct topology topo; /* large */

/* Splits a command line at blanks; parses it with the words of an INI file. */
static int
parse(struct eal_args *args, const char *line, const struct ini_eal_words *ini,
	eal_args_is_own is_own, struct err *e)
{
	char *copy = strdup(line), *save = NULL;
	char *argv[MAX_WORDS];
	int argc = 0, ret;

	for (char *w = strtok_r(copy, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	ret = eal_args_parse(args, argc, argv, ini, "test.ini", is_own, e);
	free(copy);
	return ret;
}

static bool
is_own(const char *name)
{
	return strcmp(name, "txq") == 0 || strcmp(name, "config") == 0 ||
	       strcmp(name, "nb-cores") == 0;
}

static void
parse_ok(struct eal_args *args, const char *line)
{
	struct err e = {0};

	if (parse(args, line, NULL, is_own, &e) < 0)
		fail_msg("%s: %s", line, e.msg);
}

static void
assert_refused(const char *line, const char *part)
{
	struct eal_args args;
	struct err e = {0};

	assert_int_equal(parse(&args, line, NULL, is_own, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	if (strstr(e.msg, part) == NULL)
		fail_msg("'%s' lacks '%s'", e.msg, part);
	eal_args_free(&args);
}

/* Builds the vector for process 77 and joins it by blanks. */
static void
assert_built(const struct eal_args *args, const char *expected)
{
	char text[1024] = "", **argv;
	struct err e;
	int argc;

	assert_int_equal(eal_args_build(args, "pmdperf", 77, &argc, &argv, &e), 0);
	for (int i = 0; i < argc; i++) {
		strcat(text, i > 0 ? " " : "");
		strcat(text, argv[i]);
	}
	assert_null(argv[argc]);
	eal_args_argv_free(argv);
	assert_string_equal(text, expected);
}

static void
assert_line_built(const char *line, const char *expected)
{
	struct eal_args args;

	parse_ok(&args, line);
	assert_built(&args, expected);
	eal_args_free(&args);
}

static void
test_nothing_given(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args, "");
	assert_false(args.lcores_given);
	assert_int_equal(args.main_lcore, -1);
	assert_int_equal(args.memory_mode, 0);
	assert_null(args.file_prefix);
	assert_built(&args, "pmdperf --file-prefix=pmdperf-77 --in-memory --single-file-segments");
	eal_args_free(&args);
}

static void
test_forms_of_values(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args,
		"-l0-3 -n 4 --file-prefix a --vdev=net_null0,size=64 --vdev net_ring0 "
		"-a 0000:00:05.0 --allow=0000:00:06.0,llq_policy=1 -w 0000:00:07.0 --no-pci "
		"--main-lcore 2 --log-level=lib.eal:debug --log-level pmd:1");
	assert_int_equal(args.lcores.nb, 4);
	assert_string_equal(args.lcores_option, "-l");
	assert_string_equal(args.lcores_value, "0-3");
	assert_int_equal(args.lcores.main_id, 2);
	assert_int_equal(args.channels, 4);
	assert_string_equal(args.file_prefix, "a");
	assert_int_equal(args.nb_vdevs, 2);
	assert_string_equal(args.vdevs[0], "net_null0,size=64");
	assert_string_equal(args.vdevs[1], "net_ring0");
	assert_int_equal(args.nb_allow, 3);
	assert_string_equal(args.allow[1], "0000:00:06.0,llq_policy=1");
	assert_true(args.no_pci);
	assert_built(&args,
		"pmdperf --lcores=0-3 --main-lcore=2 -n 4 --file-prefix=a "
		"--vdev=net_null0,size=64 --vdev=net_ring0 -a 0000:00:05.0 "
		"--allow=0000:00:06.0,llq_policy=1 -w 0000:00:07.0 --no-pci "
		"--log-level=lib.eal:debug --log-level=pmd:1 --in-memory --single-file-segments");
	eal_args_free(&args);
}

static void
test_every_way_to_give_lcores(void **state)
{
	static const char *const lines[] = {
		"-l 1-3",
		"-l1-3",
		"-c e",
		"-c0xE",
		"--lcores=1-3",
		"--lcores 1,2-3",
		"--lcore 1-3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct eal_args args;

		parse_ok(&args, lines[i]);
		assert_true(args.lcores_given);
		assert_built(&args, "pmdperf --lcores=1-3 --main-lcore=1 --file-prefix=pmdperf-77 "
				    "--in-memory --single-file-segments");
		eal_args_free(&args);
	}
}

static void
test_E3_mask_of_exactly_32(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args, "-c 0xffffffff");
	assert_int_equal(args.lcores.nb, 32);
	assert_non_null(lcores_find(&args.lcores, 31));
	eal_args_free(&args);
}

static void
test_E2_map_is_what_eal_gets(void **state)
{
	struct eal_args args;
	struct notes notes = {0};
	struct err e;

	(void)state;
	machine_make(&topo, 2, 96, 1);
	parse_ok(&args, "-l 10,140-141 --main-lcore=140");
	assert_int_equal(lcores_check(&args.lcores, &topo, 128, &notes, &e), 0);
	assert_built(&args, "pmdperf --lcores=0@140,1@141,10 --main-lcore=0 "
			    "--file-prefix=pmdperf-77 --in-memory --single-file-segments");
	assert_int_equal(notes.nb, 1);
	eal_args_free(&args);
}

static void
test_D1_two_processes_get_different_prefixes(void **state)
{
	struct eal_args args;
	char **a, **b;
	struct err e;
	int argc;

	(void)state;
	parse_ok(&args, "");
	assert_int_equal(eal_args_build(&args, "pmdperf", 100, &argc, &a, &e), 0);
	assert_int_equal(eal_args_build(&args, "pmdperf", 101, &argc, &b, &e), 0);
	assert_string_equal(a[1], "--file-prefix=pmdperf-100");
	assert_string_equal(b[1], "--file-prefix=pmdperf-101");
	eal_args_argv_free(a);
	eal_args_argv_free(b);
	eal_args_free(&args);
}

static void
test_memory_mode_of_the_user_stands(void **state)
{
	static const struct {
		const char *word;
		unsigned mode;
	} rows[] = {
		{"--in-memory", EAL_MEM_IN_MEMORY},
		{"--no-huge", EAL_MEM_NO_HUGE},
		{"--legacy-mem", EAL_MEM_LEGACY},
		{"--huge-dir=/mnt/huge", EAL_MEM_HUGE_DIR},
		{"--huge-unlink", EAL_MEM_HUGE_UNLINK},
		{"--huge-unlink=never", EAL_MEM_HUGE_UNLINK},
		{"--single-file-segments", EAL_MEM_SINGLE_FILE},
		{"--no-shconf", EAL_MEM_NO_SHCONF},
		{"--proc-type=primary", EAL_MEM_PROC_TYPE},
		{"--match-allocations", EAL_MEM_MATCH_ALLOCATIONS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct eal_args args;
		char expected[128];

		parse_ok(&args, rows[i].word);
		assert_int_equal(args.memory_mode, rows[i].mode);
		snprintf(expected, sizeof(expected), "pmdperf %s --file-prefix=pmdperf-77",
			rows[i].word);
		assert_built(&args, expected);
		eal_args_free(&args);
	}
	/* Amounts and places are no mode. */
	assert_line_built("-m 64 --socket-limit=128",
		"pmdperf -m 64 --socket-limit=128 --file-prefix=pmdperf-77 --in-memory "
		"--single-file-segments");
}

static void
test_amounts_of_memory(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args, "--socket-mem=64,0,128 --socket-limit 256 -r 2");
	assert_true(args.socket_mem_given);
	assert_int_equal(args.socket_mem_mb[0], 64);
	assert_int_equal(args.socket_mem_mb[2], 128);
	assert_int_equal(args.socket_mem_mb[3], 0);
	assert_int_equal(args.socket_limit_mb[0], 256);
	assert_int_equal(args.ranks, 2);
	eal_args_free(&args);
	parse_ok(&args, "-m 512 --no-huge");
	assert_int_equal(args.memory_mb, 512);
	assert_true(args.no_huge);
	eal_args_free(&args);
}

static void
test_help_and_version(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args, "-hv");
	assert_true(args.help && args.version);
	eal_args_free(&args);
	parse_ok(&args, "--help");
	assert_true(args.help);
	assert_false(args.version);
	eal_args_free(&args);
}

static void
test_D4_unknown_words(void **state)
{
	struct eal_args args;

	(void)state;
	/* A newer EAL may know these, and their values. */
	parse_ok(&args, "--new-option --other=1 -z 5 --third value --no-pci");
	assert_true(args.no_pci);
	assert_built(&args, "pmdperf --new-option --other=1 -z 5 --third value --no-pci "
			    "--file-prefix=pmdperf-77 --in-memory --single-file-segments");
	eal_args_free(&args);
	assert_refused("nb-cores=2", "'nb-cores=2' belongs to no option; --nb-cores=2 after '--'?");
	assert_refused("--no-pci word", "'word' belongs to no option");
	assert_refused("--other=1 word", "'word' belongs to no option");
}

static void
test_own_options_before_the_dashes(void **state)
{
	(void)state;
	assert_refused("--no-pci --txq=16", "--txq=16 is an option of this program: put it after");
	assert_refused("--txq 16", "--txq is an option of this program");
	assert_refused("--config x.ini", "--config is an option");
}

static void
test_refused(void **state)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{"-l", "-l needs a value"},
		{"--vdev", "--vdev needs a value"},
		{"-l 0-", "-l: lcores '0-'"},
		{"-c xyz", "-c: 'xyz' is not a hexadecimal mask"},
		{"-l 0-1 -c 3", "-l and -c exclude each other"},
		{"-l 0-1 -l 0-2", "-l is given twice, as '0-1' and as '0-2'"},
		{"-a 0000:00:05.0 -b 0000:00:06.0", "-a and -b exclude each other"},
		{"-m 64 --socket-mem=64", "-m and --socket-mem exclude each other"},
		{"--file-prefix=a --file-prefix=b", "--file-prefix is given twice"},
		{"--no-pci=1", "takes no value"},
		{"--proc-type=secondary", "primary only"},
		{"--proc-type=Secondary", "primary only"},
		{"-S 1", "service lcores"},
		{"-s 2", "service lcores"},
		{"-R", "leave it out"},
		{"-m 0", "-m '0': valid are whole numbers from 1"},
		{"-m 64M", "-m '64M'"},
		{"-m-5", "-m '-5'"},
		{"-m -5", "-m needs a value after it, but '-5' follows"},
		{"--vdev --no-pci", "--vdev needs a value after it, but '--no-pci' follows"},
		{"-l --no-pci", "-l needs a value after it, but '--no-pci' follows"},
		{"--vdev -l 0-1", "--vdev needs a value after it, but '-l' follows"},
		{"--vdev= --no-pci", "--vdev= needs a value, the one given is empty"},
		{"--iova-mode=xx", "--iova-mode 'xx': valid are pa and va"},
		{"--log-level=loud", "--log-level 'loud': valid are emergency"},
		{"--log-level=lib.eal:9", "--log-level 'lib.eal:9': valid are emergency"},
		{"--log-level=foo:bar", "alone or behind a component and a colon"},
		{"--proc-type=xx", "--proc-type 'xx': valid are primary and auto"},
		{"--vdev=net_null0 --vdev=net_null0,size=128",
			"--vdev=net_null0,size=128: 'net_null0' has the same name"},
		{"--vdev=net_null0,size=64 --vdev=net_null1 --vdev=net_null0",
			"--vdev=net_null0: 'net_null0,size=64' has the same name"},
		{"-n 0", "-n '0'"},
		{"-r 17", "from 1 to 16"},
		{"--main-lcore=x", "--main-lcore 'x'"},
		{"--socket-mem=64,", "megabytes by node"},
		{"--socket-mem=a", "megabytes by node"},
		{"--file-prefix=", "--file-prefix= needs a value"},
		{"--file-prefix=..", "--file-prefix '..': valid is a name of letters"},
		{"--file-prefix=.x", "does not begin with '.'"},
		{"--file-prefix=*", "--file-prefix '*': valid is"},
		{"--file-prefix=a/b", "valid is a name of letters"},
		{"--file-prefix=a%d", "valid is a name of letters"},
		{"--file-prefix=a/b", "--file-prefix 'a/b'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(rows[i].line, rows[i].part);
	/* The same thing said twice is no contradiction. */
	assert_line_built("-l 0-1 --lcores 0-1 --no-pci --no-pci",
		"pmdperf --lcores=0-1 --main-lcore=0 --no-pci --file-prefix=pmdperf-77 --in-memory "
		"--single-file-segments");
}

static int
parse_ini(struct eal_args *args, const char *line, struct ini_eal_word *words, unsigned nb,
	struct err *e)
{
	const struct ini_eal_words ini = {.word = words, .nb = nb};

	return parse(args, line, &ini, is_own, e);
}

/* INI words are not const: the parser of files owns its strings. */
#define INI(n, v, l)                                                   \
	{                                                              \
		.name = (char[]){n}, .value = (char[]){v}, .line = (l) \
	}

static void
test_ini_words_come_first(void **state)
{
	struct ini_eal_word words[] = {
		INI("l", "0-1", 3),
		INI("vdev", "net_null0", 4),
		INI("vdev", "net_null1", 5),
		INI("no-pci", "true", 6),
		INI("no-huge", "false", 7),
		INI("--file-prefix", "ini", 8),
	};
	struct eal_args args;
	struct err e;

	(void)state;
	assert_int_equal(parse_ini(&args, "--log-level=8", words, 6, &e), 0);
	assert_false(args.no_huge);
	assert_built(&args,
		"pmdperf --lcores=0-1 --main-lcore=0 --vdev=net_null0 --vdev=net_null1 --no-pci "
		"--file-prefix=ini --log-level=8 --in-memory --single-file-segments");
	eal_args_free(&args);
}

static void
test_command_line_wins_over_ini(void **state)
{
	struct ini_eal_word words[] = {
		INI("lcores", "0-1", 3),
		INI("vdev", "net_null0", 4),
		INI("vdev", "net_null1", 5),
		INI("block", "0000:00:05.0", 6),
		INI("socket-mem", "64", 7),
		INI("no-pci", "1", 8),
	};
	struct eal_args args;
	struct err e;

	(void)state;
	assert_int_equal(
		parse_ini(&args, "-c f --vdev=net_ring0 -a 0000:00:06.0 -m 32", words, 6, &e), 0);
	assert_int_equal(args.lcores.nb, 4);
	assert_int_equal(args.nb_vdevs, 1);
	assert_int_equal(args.nb_block, 0);
	assert_false(args.socket_mem_given);
	assert_built(&args, "pmdperf --lcores=0-3 --main-lcore=0 --no-pci --vdev=net_ring0 -a "
			    "0000:00:06.0 -m 32 "
			    "--file-prefix=pmdperf-77 --in-memory --single-file-segments");
	eal_args_free(&args);
}

static void
test_ini_errors_name_file_and_line(void **state)
{
	struct {
		struct ini_eal_word words[2];
		const char *message;
	} rows[] = {
		{{INI("l", "0-", 7)}, "test.ini:7: l: lcores '0-'"},
		{{INI("no-pci", "maybe", 8)}, "test.ini:8: [eal] no-pci = 'maybe'"},
		{{INI("vdev", "", 9)}, "test.ini:9: [eal] vdev needs a value"},
		{{INI("txq", "4", 10)}, "test.ini:10: txq is an option of this program"},
		{{INI("l", "0-1", 11), INI("c", "3", 12)}, "test.ini:12: l and c exclude"},
		{{INI("m", "1", 13), INI("m", "2", 14)}, "test.ini:14: m is given twice"},
		{{INI("vdev", "net_null0", 15), INI("vdev", "net_null0,size=9", 16)},
			"test.ini:16: vdev = net_null0,size=9: 'net_null0' has the same name"},
		{{INI("iova-mode", "xx", 17)}, "test.ini:17: iova-mode 'xx': valid are pa and va"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct eal_args args;
		struct err e = {0};
		unsigned nb = rows[i].words[1].name != NULL ? 2 : 1;

		assert_int_equal(parse_ini(&args, "", rows[i].words, nb, &e), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		if (strncmp(e.msg, rows[i].message, strlen(rows[i].message)) != 0)
			fail_msg("'%s' does not begin with '%s'", e.msg, rows[i].message);
		eal_args_free(&args);
	}
}

/* Names that begin alike, and a device of the same vdev on the allow list. */
static void
test_vdevs_of_different_names(void **state)
{
	struct eal_args args;

	(void)state;
	parse_ok(&args, "--vdev=net_null1 --vdev=net_null10 --vdev=net_null -a net_null1");
	assert_int_equal(args.nb_vdevs, 3);
	eal_args_free(&args);
}

/* An empty word of argv, which parse() cannot make. */
static void
test_an_empty_value_is_none(void **state)
{
	char vdev[] = "--vdev", l[] = "-l", empty[] = "";
	char *const rows[2][2] = {{vdev, empty}, {l, empty}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct eal_args args;
		struct err e = {0};

		assert_int_equal(eal_args_parse(&args, 2, rows[i], NULL, NULL, is_own, &e), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		assert_non_null(strstr(e.msg, "needs a value, the one given is empty"));
		eal_args_free(&args);
	}
}

/* What the message "wrong" becomes. */
static void
assert_lcores_blamed(const char *line, struct ini_eal_word *words, unsigned nb, const char *message)
{
	struct eal_args args;
	struct err e = {0};

	assert_int_equal(parse_ini(&args, line, words, nb, &e), 0);
	err_set(&e, EXIT_USAGE, "wrong");
	assert_int_equal(eal_args_blame_lcores(&args, &e), -1);
	assert_string_equal(e.msg, message);
	eal_args_free(&args);
}

static void
test_blame_names_the_word_of_the_lcores(void **state)
{
	struct ini_eal_word words[] = {INI("vdev", "net_null0", 3), INI("lcores", "0", 4)};

	(void)state;
	assert_lcores_blamed("-l 0 --no-pci", NULL, 0, "-l 0: wrong");
	assert_lcores_blamed("--no-pci --lcores=0", NULL, 0, "--lcores=0: wrong");
	assert_lcores_blamed("-c 1", NULL, 0, "-c 1: wrong");
	assert_lcores_blamed("--main-lcore=9", NULL, 0, "--main-lcore=9: wrong");
	assert_lcores_blamed("--no-pci", NULL, 0, "wrong");
	assert_lcores_blamed("--no-pci", words, 2, "test.ini:4: lcores = 0: wrong");
	assert_lcores_blamed("-l 1", words, 2, "-l 1: wrong");
}

static void
test_blame_names_the_vdev(void **state)
{
	struct ini_eal_word words[] = {
		INI("vdev", "net_null0", 3), INI("vdev", "net_null1,a=1", 4)};
	struct eal_args args;
	struct err e = {0};

	(void)state;
	assert_int_equal(parse_ini(&args, "--no-pci", words, 2, &e), 0);
	err_set(&e, EXIT_MACHINE, "wrong");
	assert_int_equal(eal_args_blame_vdev(&args, 1, &e), -1);
	assert_string_equal(e.msg, "test.ini:4: vdev = net_null1,a=1: wrong");
	assert_int_equal(e.status, EXIT_MACHINE);
	err_set(&e, EXIT_MACHINE, "wrong");
	assert_int_equal(eal_args_blame_vdev(&args, 2, &e), -1);
	assert_string_equal(e.msg, "wrong");
	eal_args_free(&args);
}

static void
assert_unknown(const char *line, struct ini_eal_word *words, unsigned nb, const char *message)
{
	const struct eal_word *word;
	struct eal_args args;
	struct err e = {0};

	assert_int_equal(parse_ini(&args, line, words, nb, &e), 0);
	word = eal_args_unknown_word(&args);
	assert_non_null(word);
	assert_int_equal(eal_args_refuse_unknown(&args, word, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, message);
	eal_args_free(&args);
}

static void
test_D4_unknown_words_are_refused_with_the_nearest(void **state)
{
	struct ini_eal_word words[] = {INI("vdev", "net_null0", 3), INI("bogus", "1", 4)};
	struct eal_args args;

	(void)state;
	parse_ok(&args, "-l 0-1 --vdev=net_null0");
	assert_null(eal_args_unknown_word(&args));
	eal_args_free(&args);
	assert_unknown("--no-pci --bogus --other", NULL, 0,
		"--bogus: no option of EAL, and none of this program's; EAL's go before '--', this "
		"program's after it");
	assert_unknown("--no-pcie=1", NULL, 0,
		"--no-pcie=1: no option of EAL, and none of this program's; nearest: --no-pci; "
		"EAL's go before '--', this program's after it");
	assert_unknown("--burts=64", NULL, 0,
		"--burts=64: no option of EAL, and none of this program's; nearest of this "
		"program's: --burst; EAL's go before '--', this program's after it");
	assert_unknown("", words, 2,
		"test.ini:4: bogus = 1: no option of EAL, and none of this program's; EAL's go "
		"under [eal], this program's under [pmdperf]");
}

static void
test_vdev_arg(void **state)
{
	static const struct {
		const char *vdev, *key, *value;
	} rows[] = {
		{"net_vhost0,iface=/tmp/s,queues=2", "iface", "/tmp/s"},
		{"net_vhost0,iface=/tmp/s,queues=2", "queues", "2"},
		{"net_vhost0,iface=/tmp/s", "face", NULL},
		{"net_vhost0,iface=/tmp/s", "iface0", NULL},
		{"net_vhost0", "iface", NULL},
		{"iface=1", "iface", NULL},
		{"net_x0,a=[1,b=2],b=3", "b", "3"},
		{"net_x0,a=[1,b=2],b=3", "a", "[1,b=2]"},
		{"net_x0,a=", "a", ""},
		{"net_x0,", "a", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *value = vdev_arg(rows[i].vdev, rows[i].key);

		if (rows[i].value == NULL)
			assert_null(value);
		else
			assert_string_equal(value, rows[i].value);
		free(value);
	}
}

static void
test_a_word_added_later(void **state)
{
	char word[] = "--vdev=net_null0";
	char *const words[] = {word};
	struct eal_args args;
	struct err e = {};

	(void)state;
	assert_int_equal(eal_args_parse(&args, 1, words, NULL, NULL, NULL, &e), 0);
	assert_int_equal(eal_args_add(&args, "--no-pci", NULL, &e), 0);
	assert_true(args.no_pci);
	assert_int_equal(eal_args_add(&args, "--vdev", "net_af_packet0,iface=lo", &e), 0);
	assert_int_equal(args.nb_vdevs, 2);
	assert_string_equal(args.vdevs[1], "net_af_packet0,iface=lo");
	assert_int_equal(eal_args_add(&args, "--vdev", "net_null0,size=64", &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	eal_args_free(&args);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_forms_of_values),
		cmocka_unit_test(test_every_way_to_give_lcores),
		cmocka_unit_test(test_E3_mask_of_exactly_32),
		cmocka_unit_test(test_E2_map_is_what_eal_gets),
		cmocka_unit_test(test_D1_two_processes_get_different_prefixes),
		cmocka_unit_test(test_memory_mode_of_the_user_stands),
		cmocka_unit_test(test_amounts_of_memory),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_D4_unknown_words),
		cmocka_unit_test(test_own_options_before_the_dashes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ini_words_come_first),
		cmocka_unit_test(test_command_line_wins_over_ini),
		cmocka_unit_test(test_ini_errors_name_file_and_line),
		cmocka_unit_test(test_vdevs_of_different_names),
		cmocka_unit_test(test_an_empty_value_is_none),
		cmocka_unit_test(test_a_word_added_later),
		cmocka_unit_test(test_blame_names_the_word_of_the_lcores),
		cmocka_unit_test(test_blame_names_the_vdev),
		cmocka_unit_test(test_D4_unknown_words_are_refused_with_the_nearest),
		cmocka_unit_test(test_vdev_arg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

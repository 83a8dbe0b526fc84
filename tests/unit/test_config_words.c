/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config_table.h"

enum {
	MAX_WORDS = 8,
};

static const struct options *
table(void)
{
	static struct options s;

	s = (struct options){.table = config_table, .nb_options = config_table_len};
	return &s;
}

static struct config_word words[MAX_WORDS];
static unsigned int nb_words;
static struct err e;

/* Reads the words up to NULL. The texts found are good until the next call. */
static int
read_words(const char *const *word)
{
	static char copy[MAX_WORDS][128];
	char *argv[MAX_WORDS];
	int argc = 0;

	for (; word[argc] != NULL; argc++) {
		snprintf(copy[argc], sizeof(copy[argc]), "%s", word[argc]);
		argv[argc] = copy[argc];
	}
	memset(&e, 0, sizeof(e));
	return config_words_read(table(), argc, argv, words, &nb_words, &e);
}

#define READ(...) read_words((const char *const[]){__VA_ARGS__, NULL})

#define REFUSED(message, ...)                            \
	do {                                             \
		assert_int_equal(READ(__VA_ARGS__), -1); \
		assert_int_equal(e.status, EXIT_USAGE);  \
		assert_string_equal(e.msg, message);     \
	} while (0)

static void
test_both_forms_of_a_value(void **state)
{
	(void)state;
	assert_int_equal(READ("--rxq=4", "--txq", "8", "--quiet", "--plan=false", "--json=a=b"), 0);
	assert_int_equal(nb_words, 5);
	assert_string_equal(words[0].option->name, "rxq");
	assert_string_equal(words[0].text, "4");
	assert_string_equal(words[1].option->name, "txq");
	assert_string_equal(words[1].text, "8");
	assert_string_equal(words[2].option->name, "quiet");
	assert_null(words[2].text);
	assert_string_equal(words[3].text, "false");
	assert_string_equal(words[4].text, "a=b");
}

static void
test_an_option_is_not_taken_for_a_value(void **state)
{
	(void)state;
	assert_int_equal(READ("--json", "--quiet"), 0);
	assert_int_equal(nb_words, 2);
	assert_null(words[0].text);
	assert_int_equal(READ("--json", "-"), 0);
	assert_string_equal(words[0].text, "-");
	assert_int_equal(READ("--json"), 0);
	assert_null(words[0].text);
	assert_int_equal(READ("--json="), 0);
	assert_string_equal(words[0].text, "");
}

static void
test_questions(void **state)
{
	(void)state;
	assert_int_equal(READ("--rxq=4", "--help"), CONFIG_HELP);
	assert_int_equal(READ("-h", "nonsense"), CONFIG_HELP);
	assert_int_equal(READ("--version"), CONFIG_VERSION);
	REFUSED("--help=yes: takes no value", "--help=yes");
	assert_int_equal(config_words_read(table(), 0, NULL, words, &nb_words, &e), 0);
	assert_int_equal(nb_words, 0);
}

/* A forgotten dash must not make an option vanish. */
static void
test_D4_missing_dashes(void **state)
{
	(void)state;
	REFUSED("nb-cores=2: not an option; did you mean --nb-cores=2?", "nb-cores=2");
	REFUSED("-nb-cores=2: not an option; did you mean --nb-cores=2?", "-nb-cores=2");
	REFUSED("-quiet: not an option; did you mean --quiet?", "--rxq=1", "-quiet");
	REFUSED("---quiet: not an option; did you mean --quiet?", "---quiet");
	REFUSED("'abc': belongs to no option; options begin with --, and --help lists them all",
		"--quiet", "abc");
	REFUSED("'': belongs to no option; options begin with --, and --help lists them all", "");
}

static void
test_unknown_options_with_the_nearest_name(void **state)
{
	(void)state;
	REFUSED("--nb-core=2: unknown option; did you mean --nb-cores?", "--nb-core=2");
	REFUSED("--tx-cksums: unknown option; did you mean --tx-cksum?", "--tx-cksums");
	REFUSED("--forward: unknown option; did you mean --forward-mode?", "--forward", "txonly");
	REFUSED("-duratio: unknown option; did you mean --duration?", "-duratio");
	REFUSED("--xyzzy=1: unknown option; --help lists them all", "--xyzzy=1");
	REFUSED("-: unknown option; --help lists them all", "-");
	REFUSED("--=1: unknown option; --help lists them all", "--=1");
	REFUSED("--: given twice; only EAL options and ours are parted by it", "--");
}

static void
test_options_of_EAL_go_before_the_dashes(void **state)
{
	(void)state;
	REFUSED("-l: an EAL option; these go before the \"--\": pmdperf -l ... -- ...", "-l",
		"0-3");
	REFUSED("-n4: an EAL option; these go before the \"--\": pmdperf -n4 ... -- ...", "-n4");
	REFUSED("--no-pci: an EAL option; these go before the \"--\": pmdperf --no-pci ... -- ...",
		"--no-pci");
	REFUSED("--vdev=net_null0: an EAL option; these go before the \"--\": "
		"pmdperf --vdev=net_null0 ... -- ...",
		"--vdev=net_null0");
	REFUSED("--file-prefix: an EAL option; these go before the \"--\": "
		"pmdperf --file-prefix ... -- ...",
		"--file-prefix", "a");
	REFUSED("-a0000:00:05.0: an EAL option; these go before the \"--\": "
		"pmdperf -a0000:00:05.0 ... -- ...",
		"-a0000:00:05.0");
}

static void
test_words_of_testpmd(void **state)
{
	(void)state;
	REFUSED("-i: there is no prompt, the run starts at once; leave it out", "-i");
	REFUSED("--interactive: there is no prompt, the run starts at once; leave it out",
		"--interactive");
	REFUSED("--auto-start: the run starts at once; leave it out", "--auto-start");
	REFUSED("-a: the run starts at once, leave it out; as EAL's own -a (a device) it goes "
		"before \"--\"",
		"-a");
	REFUSED("--portlist=0,1: use --portmask", "--portlist=0,1");
	REFUSED("--txonly-multi-flow: many flows are the default, see --flows-per-core; leave it "
		"out",
		"--txonly-multi-flow");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_forms_of_a_value),
		cmocka_unit_test(test_an_option_is_not_taken_for_a_value),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_D4_missing_dashes),
		cmocka_unit_test(test_unknown_options_with_the_nearest_name),
		cmocka_unit_test(test_options_of_EAL_go_before_the_dashes),
		cmocka_unit_test(test_words_of_testpmd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

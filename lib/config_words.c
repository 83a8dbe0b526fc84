/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config_table.h"
#include "eal_option.h"

/* What people type who come from testpmd, and what to do instead. */
static const struct {
	const char *word;
	const char *hint;
} foreign[] = {
	{"-i", "there is no prompt, the run starts at once; leave it out"},
	{"--interactive", "there is no prompt, the run starts at once; leave it out"},
	{"-a", "the run starts at once, leave it out; as EAL's own -a (a device) it goes before "
	       "\"--\""},
	{"--auto-start", "the run starts at once; leave it out"},
	{"--cmdline-file", "there is no prompt that reads commands; --config=FILE reads options"},
	{"--tx-first", "needed by no engine here; leave it out"},
	{"--txonly-multi-flow", "many flows are the default, see --flows-per-core; leave it out"},
	{"--eth-peers-configfile", "use --eth-peer=PORT,MAC for each port"},
	{"--nb-ports", "use --portmask"},
	{"--portlist", "use --portmask"},
	{"--coremask", "use --nb-cores, or EAL's -l before \"--\""},
	{"--numa", "memory is always on the port's own node; leave it out"},
	{"--no-numa", "memory is always on the port's own node; leave it out"},
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A letter of EAL may have its value joined, so it also starts what is meant for one of ours. */
static bool
is_eal(const char *word, const char *name, const char *nearest)
{
	if (word[0] != '-' || word[1] == '\0')
		return false;
	if (word[1] != '-')
		return nearest == NULL && eal_option_short(word[1]) != NULL;
	return eal_option_long(name, strlen(name), true) != NULL;
}

/* The word without its dashes and without "=VALUE", into name. */
static void
bare_name(const char *word, char *name, size_t len)
{
	word += strspn(word, "-");
	snprintf(name, len, "%.*s", (int)strcspn(word, "="), word);
}

/* A word that is no option of ours: says what it may have been meant for. */
static int
refuse(const struct options *s, const char *word, struct err *e)
{
	const char *value = strchr(word, '=');
	const char *nearest;
	char name[64];

	bare_name(word, name, sizeof(name));
	/* Our own name with too few or too many dashes; with a "-" in front EAL may claim it. */
	if (option_find(s, name) != NULL)
		return err_set(e, EXIT_USAGE, "%s: not an option; did you mean --%s%s?", word, name,
			value == NULL ? "" : value);
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		size_t len = strlen(foreign[i].word);

		if (strncmp(word, foreign[i].word, len) == 0 &&
			(word[len] == '\0' || word[len] == '='))
			return err_set(e, EXIT_USAGE, "%s: %s", word, foreign[i].hint);
	}
	if (strcmp(word, "--") == 0)
		return err_set(e, EXIT_USAGE,
			"--: given twice; only EAL options and ours are parted by it");
	nearest = option_nearest(s, name);
	if (is_eal(word, name, nearest))
		return err_set(e, EXIT_USAGE,
			"%s: an EAL option; these go before the \"--\": pmdperf %s ... -- ...",
			word, word);
	if (nearest != NULL)
		return err_set(
			e, EXIT_USAGE, "%s: unknown option; did you mean --%s?", word, nearest);
	if (word[0] == '-')
		return err_set(e, EXIT_USAGE, "%s: unknown option; --help lists them all", word);
	return err_set(e, EXIT_USAGE,
		"'%s': belongs to no option; options begin with --, and --help lists them all",
		word);
}

int
config_words_read(const struct options *s, int argc, char **argv, struct config_word *words,
	unsigned int *nb_words, struct err *e)
{
	*nb_words = 0;
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];
		const char *value = strchr(word, '=');
		const struct option *o;
		char name[64];

		if (strcmp(word, "-h") == 0)
			return CONFIG_HELP;
		bare_name(word, name, sizeof(name));
		o = option_find(s, name);
		if (o == NULL || strncmp(word, "--", 2) != 0 || word[2] == '-')
			return refuse(s, word, e);
		if (o->question != 0)
			return value == NULL ? o->question
					     : err_set(e, EXIT_USAGE, "%s: takes no value", word);
		if (value != NULL)
			value++;
		else if (option_arg(o) != NULL && i + 1 < argc &&
			 strncmp(argv[i + 1], "--", 2) != 0)
			value = argv[++i];
		words[(*nb_words)++] = (struct config_word){.option = o, .text = value};
		if (o->then != NULL && value != NULL && i + 1 < argc && argv[i + 1][0] != '-')
			words[(*nb_words)++] = (struct config_word){
				.option = option_find(s, o->then), .text = argv[++i]};
	}
	return 0;
}

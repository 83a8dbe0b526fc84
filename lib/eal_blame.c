/* SPDX-License-Identifier: BSD-3-Clause */
/* Names EAL's words as the user gave them, for errors found here or later. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "eal_args.h"
#include "eal_option.h"

const struct eal_word *
eal_args_unknown_word(const struct eal_args *args)
{
	for (unsigned i = 0; i < args->nb_words; i++) {
		if (args->words[i].option == NULL)
			return &args->words[i];
	}
	return NULL;
}

int
eal_args_refuse_unknown(const struct eal_args *args, const struct eal_word *word, struct err *e)
{
	const char *bare = word->name + strspn(word->name, "-");
	const char *nearest, *own;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(bare, "="), bare);
	nearest = eal_option_nearest(name);
	own = config_nearest(name);
	if (word->line != 0)
		err_set(e, EXIT_USAGE,
			"no option of EAL, and none of this program's%s%s%s%s; EAL's go under "
			"[eal], this program's under [pmdperf]",
			nearest == NULL ? "" : "; nearest: ", nearest == NULL ? "" : nearest,
			own == NULL ? "" : "; nearest of this program's: ", own == NULL ? "" : own);
	else
		err_set(e, EXIT_USAGE,
			"no option of EAL, and none of this program's%s%s%s%s; EAL's go before "
			"'--', this program's after it",
			nearest == NULL ? "" : "; nearest: --", nearest == NULL ? "" : nearest,
			own == NULL ? "" : "; nearest of this program's: --",
			own == NULL ? "" : own);
	return eal_args_blame_word(args, word, e);
}

int
eal_args_blame_word(const struct eal_args *args, const struct eal_word *word, struct err *e)
{
	const char *value = word->value != NULL ? word->value : "";

	if (word->line != 0) {
		/* A flag that is set has lost how the file says so. */
		err_prefix(e, "%s%s%s", word->name + strspn(word->name, "-"),
			*value != '\0' ? " = " : "", value);
		return err_prefix(e, "%s:%u", args->ini_path, word->line);
	}
	if (*value == '\0')
		return err_prefix(e, "%s", word->name);
	return err_prefix(e, "%s%s%s", word->name, word->name[1] == '-' ? "=" : " ", value);
}

/* The N-th word, from 0, of this meaning. */
static const struct eal_word *
find_word(const struct eal_args *args, enum eal_option_id id, unsigned n)
{
	for (unsigned i = 0; i < args->nb_words; i++) {
		const struct eal_word *word = &args->words[i];

		if (word->option != NULL && word->option->id == id && n-- == 0)
			return word;
	}
	return NULL;
}

int
eal_args_blame_lcores(const struct eal_args *args, struct err *e)
{
	const struct eal_word *word = find_word(args, EAL_OPT_LCORES, 0);

	if (word == NULL)
		word = find_word(args, EAL_OPT_COREMASK, 0);
	if (word == NULL)
		word = find_word(args, EAL_OPT_MAIN_LCORE, 0);
	return word == NULL ? -1 : eal_args_blame_word(args, word, e);
}

int
eal_args_blame_memory(const struct eal_args *args, struct err *e)
{
	static const enum eal_option_id modes[] = {
		EAL_OPT_LEGACY_MEM,
		EAL_OPT_HUGE_UNLINK,
		EAL_OPT_SINGLE_FILE,
		EAL_OPT_NO_SHCONF,
		EAL_OPT_MATCH_ALLOCATIONS,
		EAL_OPT_PROC_TYPE,
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		const struct eal_word *word = find_word(args, modes[i], 0);

		if (word != NULL)
			return eal_args_blame_word(args, word, e);
	}
	return -1;
}

int
eal_args_blame_vdev(const struct eal_args *args, unsigned n, struct err *e)
{
	const struct eal_word *word = find_word(args, EAL_OPT_VDEV, n);

	return word == NULL ? -1 : eal_args_blame_word(args, word, e);
}

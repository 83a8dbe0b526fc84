/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_args.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "eal_meaning.h"
#include "eal_option.h"

static int
add_word(struct eal_args *args, const struct eal_option *option, const char *name, size_t name_len,
	const char *value, unsigned line, struct err *e)
{
	struct eal_word *grown = realloc(args->words, (args->nb_words + 1) * sizeof(*args->words));
	struct eal_word *word;

	if (grown == NULL)
		goto short_of_memory;
	args->words = grown;
	word = &grown[args->nb_words++];
	*word = (struct eal_word){
		.option = option,
		.name = strndup(name, name_len),
		.value = value != NULL ? strdup(value) : NULL,
		.line = line,
	};
	if (word->name != NULL && (value == NULL || word->value != NULL))
		return 0;
short_of_memory:
	return err_set(e, EXIT_MACHINE, "out of memory for EAL's words");
}

static void
drop_word(struct eal_args *args, unsigned at)
{
	free(args->words[at].name);
	free(args->words[at].value);
	args->nb_words--;
	memmove(&args->words[at], &args->words[at + 1],
		(args->nb_words - at) * sizeof(*args->words));
}

/* Whether the text up to its "=" names one of the program's own options. */
static bool
names_own(const char *text, eal_args_is_own is_own)
{
	char name[64];
	size_t len = strcspn(text, "=");

	if (is_own == NULL || len == 0 || len >= sizeof(name))
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return is_own(name);
}

/* What reading the command line carries from word to word. */
struct cursor {
	int argc;
	char *const *argv;
	int at;
	bool after_unknown; /* the next word may be the value of one that is EAL's to judge */
	eal_args_is_own is_own;
};

/*
 * The next word as the value of an option. One that looks like an option is taken for one, so that
 * a forgotten value does not swallow it; "--name=-value" is the way to give such a value.
 */
static int
take_value(struct cursor *c, const char *name, const char **value, struct err *e)
{
	if (c->at + 1 >= c->argc)
		return err_set(e, EXIT_USAGE, "%s needs a value after it", name);
	if (c->argv[c->at + 1][0] == '-')
		return err_set(e, EXIT_USAGE, "%s needs a value after it, but '%s' follows", name,
			c->argv[c->at + 1]);
	*value = c->argv[++c->at];
	return 0;
}

static int
refuse_empty(const char *name, struct err *e)
{
	return err_set(e, EXIT_USAGE, "%s needs a value, the one given is empty", name);
}

static int
read_long(struct eal_args *args, struct cursor *c, struct err *e)
{
	const char *word = c->argv[c->at];
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] == '=' ? name + len + 1 : NULL;
	const struct eal_option *option = eal_option_long(name, len, true);

	if (option == NULL && names_own(name, c->is_own))
		return err_set(e, EXIT_USAGE,
			"%s is an option of this program: put it after '--' (EAL's options stand "
			"before it)",
			word);
	if (option == NULL)
		option = eal_option_long(name, len, false);
	if (option == NULL) {
		c->after_unknown = value == NULL;
		return add_word(args, NULL, word, strlen(word), NULL, 0, e);
	}
	if (option->value == EAL_VALUE_NONE && value != NULL)
		return err_set(e, EXIT_USAGE, "%s: --%s takes no value", word, option->name);
	if (option->value == EAL_VALUE_NEEDED && value == NULL &&
		take_value(c, word, &value, e) < 0)
		return -1;
	if (option->value == EAL_VALUE_NEEDED && *value == '\0')
		return refuse_empty(word, e);
	return add_word(args, option, word, len + 2, value, 0, e);
}

/* One word may hold several letters: "-hv", or "-l0-3" where the rest is the value. */
static int
read_short(struct eal_args *args, struct cursor *c, struct err *e)
{
	const char *word = c->argv[c->at];

	for (const char *s = word + 1; *s != '\0'; s++) {
		const struct eal_option *option = eal_option_short(*s);
		char name[3] = {'-', *s, '\0'};
		const char *value = NULL;

		if (option == NULL) {
			c->after_unknown = true;
			return add_word(args, NULL, word, strlen(word), NULL, 0, e);
		}
		if (option->value == EAL_VALUE_NEEDED) {
			value = s + 1;
			if (*value == '\0' && take_value(c, name, &value, e) < 0)
				return -1;
			if (*value == '\0')
				return refuse_empty(name, e);
		}
		if (add_word(args, option, name, 2, value, 0, e) < 0)
			return -1;
		if (value != NULL)
			return 0;
	}
	return 0;
}

static int
read_command_line(
	struct eal_args *args, int argc, char *const *argv, eal_args_is_own is_own, struct err *e)
{
	struct cursor c = {.argc = argc, .argv = argv, .is_own = is_own};

	for (; c.at < argc; c.at++) {
		const char *word = argv[c.at];
		bool after_unknown = c.after_unknown;
		int ret;

		c.after_unknown = false;
		if (word[0] == '-' && word[1] == '-')
			ret = read_long(args, &c, e);
		else if (word[0] == '-' && word[1] != '\0')
			ret = read_short(args, &c, e);
		else if (after_unknown)
			ret = add_word(args, NULL, word, strlen(word), NULL, 0, e);
		else if (names_own(word, is_own))
			ret = err_set(e, EXIT_USAGE, "'%s' belongs to no option; --%s after '--'?",
				word, word);
		else
			ret = err_set(e, EXIT_USAGE,
				"'%s' belongs to no option; usage: pmdperf [EAL options] -- "
				"[options]",
				word);
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* @return 1 for a flag that is set, 0 for one that is not, -1 for something else */
static int
flag_value(const char *text)
{
	static const char *const yes[] = {"", "1", "true", "yes", "on"};
	static const char *const no[] = {"0", "false", "no", "off"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcasecmp(text, yes[i]) == 0)
			return 1;
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		if (strcasecmp(text, no[i]) == 0)
			return 0;
	}
	return -1;
}

static int
read_ini_word(struct eal_args *args, const struct ini_eal_word *ini, eal_args_is_own is_own,
	struct err *e)
{
	const char *bare = ini->name + strspn(ini->name, "-");
	const char *value = ini->value != NULL ? ini->value : "";
	size_t len = strlen(bare);
	const struct eal_option *option =
		len == 1 ? eal_option_short(bare[0]) : eal_option_long(bare, len, true);
	char name[80];

	if (len == 0 || len > sizeof(name) - 3)
		return err_set(e, EXIT_USAGE, "[eal] '%s' is not the name of an option", ini->name);
	if (option == NULL && is_own != NULL && is_own(bare))
		return err_set(e, EXIT_USAGE,
			"%s is an option of this program: put it under [pmdperf], not [eal]", bare);
	snprintf(name, sizeof(name), "%s%s", len == 1 ? "-" : "--", bare);
	if (option != NULL && option->value == EAL_VALUE_NONE) {
		switch (flag_value(value)) {
		case 0:
			return 0;
		case 1:
			value = "";
			break;
		default:
			return err_set(e, EXIT_USAGE, "[eal] %s = '%s': valid are true and false",
				bare, value);
		}
	} else if (option != NULL && option->value == EAL_VALUE_NEEDED && *value == '\0') {
		return err_set(e, EXIT_USAGE, "[eal] %s needs a value", bare);
	}
	return add_word(args, option, name, strlen(name), *value != '\0' ? value : NULL,
		(unsigned)ini->line, e);
}

/*
 * Drops words that a stronger one makes void: those of the INI file by the command line, and
 * repetitions. Contradictions in one place are refused.
 */
static int
resolve(struct eal_args *args, const char *ini_path, struct err *e)
{
	for (unsigned i = 0; i < args->nb_words; i++) {
		for (unsigned j = i + 1; j < args->nb_words;) {
			const struct eal_word *a = &args->words[i], *b = &args->words[j];
			bool same_value;

			if (a->option == NULL || b->option == NULL ||
				!eal_option_same(a->option, b->option)) {
				j++;
				continue;
			}
			if (a->line != 0 && b->line == 0) {
				drop_word(args, i);
				j = i + 1;
				continue;
			}
			same_value = a->value == NULL || b->value == NULL
					     ? a->value == b->value
					     : strcmp(a->value, b->value) == 0;
			if (a->option->id != b->option->id) {
				err_set(e, EXIT_USAGE, "%s and %s exclude each other: give one",
					eal_word_spelled(a), eal_word_spelled(b));
			} else if (a->option->repeat) {
				j++;
				continue;
			} else if (same_value) {
				drop_word(args, j);
				continue;
			} else {
				err_set(e, EXIT_USAGE, "%s is given twice, as '%s' and as '%s'",
					eal_word_spelled(b), a->value != NULL ? a->value : "",
					b->value != NULL ? b->value : "");
			}
			return b->line != 0 ? err_prefix(e, "%s:%u", ini_path, b->line) : -1;
		}
	}
	return 0;
}

/* EAL would let a second vdev of one name replace the first. */
static int
refuse_twins(const struct eal_args *args, struct err *e)
{
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		size_t len = strcspn(args->vdevs[i], ",");

		for (unsigned j = 0; j < i; j++) {
			if (strcspn(args->vdevs[j], ",") != len ||
				strncmp(args->vdevs[i], args->vdevs[j], len) != 0)
				continue;
			err_set(e, EXIT_USAGE,
				"'%s' has the same name: each vdev needs one of its own, end "
				"one in another number",
				args->vdevs[j]);
			return eal_args_blame_vdev(args, i, e);
		}
	}
	return 0;
}

int
eal_args_parse(struct eal_args *args, int argc, char *const *argv, const struct ini_eal_words *ini,
	const char *ini_path, eal_args_is_own is_own, struct err *e)
{
	*args = (struct eal_args){.ini_path = ini_path, .main_lcore = -1, .lcores.main_id = -1};
	for (unsigned i = 0; ini != NULL && i < ini->nb; i++) {
		if (read_ini_word(args, &ini->word[i], is_own, e) < 0)
			return err_prefix(e, "%s:%d", ini_path, ini->word[i].line);
	}
	if (read_command_line(args, argc, argv, is_own, e) < 0 || resolve(args, ini_path, e) < 0)
		return -1;
	for (unsigned i = 0; i < args->nb_words; i++) {
		const struct eal_word *word = &args->words[i];

		if (word->option != NULL && eal_word_understand(args, word, e) < 0)
			return word->line != 0 ? err_prefix(e, "%s:%u", ini_path, word->line) : -1;
	}
	if (refuse_twins(args, e) < 0)
		return -1;
	/* lcores_free() of a failed parse resets it, hence at the end. */
	args->lcores.main_id = args->main_lcore;
	return 0;
}

int
eal_args_add(struct eal_args *args, const char *name, const char *value, struct err *e)
{
	const struct eal_option *option = eal_option_long(name + 2, strlen(name + 2), true);

	if (add_word(args, option, name, strlen(name), value, 0, e) < 0 ||
		eal_word_understand(args, &args->words[args->nb_words - 1], e) < 0)
		return -1;
	return refuse_twins(args, e);
}

void
eal_args_free(struct eal_args *args)
{
	while (args->nb_words > 0)
		drop_word(args, args->nb_words - 1);
	free(args->words);
	free(args->vdevs);
	free(args->allow);
	free(args->block);
	lcores_free(&args->lcores);
	*args = (struct eal_args){.main_lcore = -1, .lcores.main_id = -1};
}

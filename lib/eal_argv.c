/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eal_option.h"

enum {
	ADDED_WORDS = 8, /* the program's name, what is added below, and NULL */
};

/* Sets one word of the vector. A word that could not be had stays NULL and is noticed at the end.
 */
static void __attribute__((format(printf, 3, 4))) put(char **argv, int *argc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&argv[*argc], fmt, ap) < 0)
		argv[*argc] = NULL;
	va_end(ap);
	(*argc)++;
}

static void
put_word(char **argv, int *argc, const struct eal_word *word)
{
	if (word->value == NULL) {
		put(argv, argc, "%s", word->name);
	} else if (word->name[1] == '-') {
		put(argv, argc, "%s=%s", word->name, word->value);
	} else {
		put(argv, argc, "%s", word->name);
		put(argv, argc, "%s", word->value);
	}
}

static bool
is_about_lcores(const struct eal_word *word)
{
	return word->option != NULL &&
	       (word->option->id == EAL_OPT_LCORES || word->option->id == EAL_OPT_COREMASK ||
		       word->option->id == EAL_OPT_MAIN_LCORE);
}

int
eal_args_build(const struct eal_args *args, const char *program, pid_t pid, int *argc, char ***argv,
	struct err *e)
{
	char **v = calloc(2 * (size_t)args->nb_words + ADDED_WORDS, sizeof(*v));
	bool own_lcores = args->lcores.nb > 0;
	int nb = 0;

	*argv = NULL;
	*argc = 0;
	if (v == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory for EAL's words");
	put(v, &nb, "%s", program);
	if (own_lcores) {
		char *map = lcores_format(&args->lcores);

		if (map != NULL)
			put(v, &nb, "--lcores=%s", map);
		else
			nb++;
		free(map);
		put(v, &nb, "--main-lcore=%d", lcores_main(&args->lcores));
	}
	for (unsigned i = 0; i < args->nb_words; i++) {
		if (!own_lcores || !is_about_lcores(&args->words[i]))
			put_word(v, &nb, &args->words[i]);
	}
	if (args->file_prefix == NULL)
		put(v, &nb, "--file-prefix=pmdperf-%d", (int)pid);
	/*
	 * In-memory leaves no hugepage files behind, and single-file segments keep the number of
	 * file descriptors that virtio-user hands to its peer small. Not with a mode of the user's:
	 * EAL refuses most combinations, --no-huge with --in-memory among them.
	 */
	if (args->memory_mode == 0) {
		put(v, &nb, "--in-memory");
		put(v, &nb, "--single-file-segments");
	}
	for (int i = 0; i < nb; i++) {
		if (v[i] != NULL)
			continue;
		for (int j = 0; j < nb; j++)
			free(v[j]);
		free(v);
		return err_set(e, EXIT_MACHINE, "out of memory for EAL's words");
	}
	*argv = v;
	*argc = nb;
	return 0;
}

void
eal_args_argv_free(char **argv)
{
	for (char **v = argv; v != NULL && *v != NULL; v++)
		free(*v);
	free(argv);
}

char *
vdev_arg(const char *vdev, const char *key)
{
	const char *s = vdev + strcspn(vdev, ",");
	size_t key_len = strlen(key);

	while (*s == ',') {
		const char *start = ++s;
		unsigned depth = 0;

		/* A value in brackets may hold commas of its own. */
		for (; *s != '\0' && (*s != ',' || depth > 0); s++) {
			if (*s == '[')
				depth++;
			else if (*s == ']' && depth > 0)
				depth--;
		}
		if (strncmp(start, key, key_len) == 0 && start[key_len] == '=') {
			start += key_len + 1;
			return strndup(start, (size_t)(s - start));
		}
	}
	return NULL;
}

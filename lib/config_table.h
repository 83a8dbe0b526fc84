/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of options and what walks it inside config_*.c. Not for the rest of the program. */
#pragma once

#include "config.h"

extern const struct option config_table[];
extern const unsigned int config_table_len;

/* The row of a name that is in the table. */
const struct option *config_row(const struct config *c, const char *name);

/*
 * Checks the values against each other and against the engines; ends the filling in of c.
 * @return 0 or -1
 */
int config_check(struct config *c, const char *const *engines, struct err *e);

/* One option of the command line, before its value is read. */
struct config_word {
	const struct option *option;
	const char *text; /* NULL: a flag without a value */
};

/*
 * Splits argv into options and their values, so that --config can be followed before the others.
 * Refuses what is no option, with a hint for the words of EAL and of testpmd.
 * @param words room for argc of them
 * @return 0; CONFIG_HELP or CONFIG_VERSION as soon as it is asked for; or -1
 */
int config_words_read(const struct options *s, int argc, char **argv, struct config_word *words,
	unsigned int *nb_words, struct err *e);

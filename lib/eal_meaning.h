/* SPDX-License-Identifier: BSD-3-Clause */
/* What EAL's words mean for the plan, one word at a time. Used by eal_args.c only. */
#pragma once

#include "eal_args.h"
#include "err.h"

/* How an option is spelled where it was given, for messages. */
const char *eal_word_spelled(const struct eal_word *word);

/*
 * Reads the value of a word whose option is known into args.
 * @return 0, or -1 with EXIT_USAGE
 */
int eal_word_understand(struct eal_args *args, const struct eal_word *word, struct err *e);

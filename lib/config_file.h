/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file: INI. The section [eal] holds words for EAL, by their names without dashes
 * ("l = 0-3", "vdev = net_null0", "no-pci = true"), handed on unread. Every other section is
 * [pmdperf] or the name of a group of options; they are headings for the reader, and any option may
 * stand under any of them.
 */
#pragma once

#include "err.h"
#include "option.h"

/* One "name = value" of [eal], as written. */
struct ini_eal_word {
	char *name;
	char *value;
	int line;
};

/* In the order of the file. Start from {0}; owned by whoever holds it. */
struct ini_eal_words {
	struct ini_eal_word *word;
	unsigned int nb;
};

void ini_eal_words_free(struct ini_eal_words *words);

/*
 * Reads the file at path: options into s with their line, [eal] into eal (NULL: such a section is
 * refused). path must outlive s, which remembers it as the place.
 * @return 0, or -1: a file that is not there or not to be read by its name is wrong usage; failing
 *         to read one that was opened is the machine's state. A bad line is wrong usage, with
 *         FILE:LINE before the message. What was read before it stays in s and eal.
 */
int config_file_read(const char *path, struct options *s, struct ini_eal_words *eal, struct err *e);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result file, opened before the test so that a path which cannot be written is found before and
 * not after it. A regular file appears under its name only when it is complete.
 */
#pragma once

#include <stdio.h>

#include "err.h"

struct output {
	FILE *f;          /* NULL: not open */
	const char *path; /* as it was given */
	char real[4096];  /* where links lead to */
	char tmp[4096];   /* "" when written in place: a device, a pipe */
};

/*
 * A file that is there keeps its mode and owner; a link to it stays.
 * @param option for the message: "--json"
 * @param input a file that must not be overwritten, or NULL
 * @return 0 or -1 with EXIT_USAGE
 */
int output_open(
	struct output *o, const char *option, const char *path, const char *input, struct err *e);

/* Closes the file and gives it its name. @return 0 or -1 with EXIT_MACHINE */
int output_commit(struct output *o, struct err *e);

/* Leaves no trace of a file that was not committed. Safe after output_commit() and on {0}. */
void output_abort(struct output *o);

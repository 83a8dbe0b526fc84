/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One error on its way to the user. Libraries fill it and return; main() prints it once and exits
 * with its status.
 */
#pragma once

#include <stdint.h>

/* Exit statuses of the program: a contract that scripts read. */
enum exit_status {
	EXIT_DONE = 0,     /* the test ran */
	EXIT_MACHINE = 1,  /* it could not run: the machine's state, not the words of the user */
	EXIT_USAGE = 2,    /* wrong usage */
	EXIT_NEGATIVE = 3, /* it ran, and the test's own verdict is negative */
};

struct err {
	enum exit_status status;
	/* The option at fault, without dashes, where its value is not named yet: config_blame_err()
	 * puts it and its place before the message. NULL: none, or named already. */
	const char *option;
	char msg[768];
};

/*
 * Sets the status and the message (and no option), which names the thing, its valid range and what
 * to do, without a trailing newline. A message longer than the buffer is cut.
 * @return always -1, so that a caller can write: return err_set(e, ...);
 */
int err_set(struct err *e, enum exit_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for an option's fault, with EXIT_USAGE. The message goes behind the option and does not
 * name it again. */
int err_set_option(struct err *e, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds to the end of a message that is already there. */
void err_append(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "CONTEXT: " before a message that is already there, for example "pmdperf.ini:12". Returns
 * -1. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* SPDX-License-Identifier: BSD-3-Clause */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *e, enum exit_status status, const char *fmt, ...)
{
	va_list ap;

	e->status = status;
	e->option = NULL;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int
err_set_option(struct err *e, const char *option, const char *fmt, ...)
{
	va_list ap;

	e->status = EXIT_USAGE;
	e->option = option;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}

void
err_append(struct err *e, const char *fmt, ...)
{
	size_t len = strlen(e->msg);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->msg + len, sizeof(e->msg) - len, fmt, ap);
	va_end(ap);
}

int
err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t len;

	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	return -1;
}

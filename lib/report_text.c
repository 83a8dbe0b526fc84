/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
write_line(struct report_sink *s, unsigned indent, const char *text, size_t len)
{
	if (s->write_errno != 0)
		return;
	errno = 0;
	if (fprintf(s->out, "%*s%.*s\n", (int)indent, "", (int)len, text) < 0 ||
		fflush(s->out) != 0)
		s->write_errno = errno != 0 ? errno : EIO;
}

/* How much of text goes on a line of so many columns: up to the last blank that fits. */
static size_t
fitting(const char *text, size_t columns)
{
	size_t len = strlen(text);

	if (len <= columns)
		return len;
	for (size_t i = columns; i > 0; i--) {
		/* Blanks that lead a line are layout, not a place to break. */
		if (text[i] == ' ' && strspn(text, " ") < i)
			return i;
	}
	return columns;
}

void
report_text(struct report_sink *s, unsigned indent, const char *fmt, ...)
{
	char text[REPORT_TEXT];
	const char *p = text;
	unsigned margin = 0;
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *c = text; *c != '\0'; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	do {
		len = fitting(p, REPORT_COLUMNS - margin);
		write_line(s, margin, p, len);
		p += len;
		p += strspn(p, " ");
		margin = indent;
	} while (*p != '\0');
}

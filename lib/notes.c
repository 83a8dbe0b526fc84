/* SPDX-License-Identifier: BSD-3-Clause */
#include "notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
add(struct notes *notes, struct note kind, const char *fmt, va_list ap)
{
	char text[NOTE_TEXT];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (unsigned i = 0; i < notes->nb; i++) {
		if (strcmp(notes->note[i].text, text) == 0)
			return;
	}
	if (notes->nb == NOTES_MAX) {
		notes->lost++;
		return;
	}
	memcpy(kind.text, text, sizeof(text));
	notes->note[notes->nb++] = kind;
}

void
notes_add(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, (struct note){0}, fmt, ap);
	va_end(ap);
}

void
notes_setup(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, (struct note){.setup = true}, fmt, ap);
	va_end(ap);
}

void
notes_warn(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, (struct note){.warning = true}, fmt, ap);
	va_end(ap);
}

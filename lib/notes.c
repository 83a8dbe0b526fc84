/* SPDX-License-Identifier: BSD-3-Clause */
#include "notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
add(struct notes *notes, bool warning, const char *fmt, va_list ap)
{
	struct note *note = &notes->note[notes->nb];
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
	note->warning = warning;
	memcpy(note->text, text, sizeof(text));
	notes->nb++;
}

void
notes_add(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, false, fmt, ap);
	va_end(ap);
}

void
notes_warn(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, true, fmt, ap);
	va_end(ap);
}

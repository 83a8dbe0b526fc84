/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user must be told once although the run goes on: a limit that was clamped, a placement
 * that costs speed. Pure code collects notes; the program prints them and records them in the
 * result.
 */
#pragma once

#include <stdbool.h>

enum {
	NOTES_MAX = 64,
	NOTE_TEXT = 320,
};

struct note {
	bool warning; /* costs speed or trust; otherwise plain information */
	bool setup;   /* about what was asked, not what happened: of no use after the run */
	char text[NOTE_TEXT];
};

/* An empty list is {0}. */
struct notes {
	unsigned nb;
	unsigned lost; /* notes beyond NOTES_MAX */
	struct note note[NOTES_MAX];
};

/* Adds a note unless the same text is there already. A longer text than NOTE_TEXT is cut. */
void notes_add(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a note about the words given, said before the run if at all. */
void notes_setup(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a warning. */
void notes_warn(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

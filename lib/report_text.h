/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines for any console: ASCII, under 80 columns, no cursor control, each flushed when it is
 * complete. A write that fails, such as to a closed pipe, silences the sink: the run goes on.
 */
#pragma once

#include "report.h"

enum {
	REPORT_COLUMNS = 79,
	REPORT_TEXT = 8192, /* bytes of one call's text; more is cut */
};

/*
 * Writes one line, or several when it is too long: broken at blanks where there are any, the
 * further ones indented by so many columns (0 to 40). A byte that is not printable ASCII becomes
 * '?'; the text holds no newline.
 */
void report_text(struct report_sink *s, unsigned indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What the other sides said. */
void report_text_peers(struct report_sink *s, const struct report *r);

/* Whose frames a receiver got, and what of them is missing, as far as their tags say it. */
void report_text_account(struct report_sink *s, const struct report_account *a);

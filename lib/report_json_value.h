/* SPDX-License-Identifier: BSD-3-Clause */
/* How values get into the result file; shared by the files that make its parts. */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* Takes the value. One that could not be made fails the whole. */
static inline void
put(bool *failed, json_t *o, const char *name, json_t *value)
{
	if (json_object_set_new(o, name, value) != 0)
		*failed = true;
}

static inline void
put_item(bool *failed, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		*failed = true;
}

/* Rates to three decimals. What is not a number is not known. */
static inline json_t *
number(double v)
{
	return isfinite(v) ? json_real(round(v * 1000) / 1000) : json_null();
}

/* To the nanosecond: packets by the window must give the rate, however short it was. */
static inline json_t *
seconds(double v)
{
	return isfinite(v) ? json_real(round(v * 1e9) / 1e9) : json_null();
}

/* Exact up to 2^63 - 1; JSON readers cannot do more. Beyond, the nearest real. */
static inline json_t *
integer(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_real((double)v);
}

static inline json_t *
count(struct sample_count c)
{
	return c.known ? integer(c.value) : json_null();
}

/* Negative: not known. */
static inline json_t *
maybe_int(int v)
{
	return v < 0 ? json_null() : json_integer(v);
}

/* 0: not known. */
static inline json_t *
maybe_zero(uint64_t v)
{
	return v == 0 ? json_null() : integer(v);
}

/* Words of the user may be no UTF-8, which JSON is: then what is not ASCII becomes '?'. */
static inline json_t *
text(const char *s)
{
	json_t *value;
	char *ascii;

	if (s == NULL)
		return json_null();
	value = json_string(s);
	if (value != NULL)
		return value;
	ascii = strdup(s);
	if (ascii == NULL)
		return NULL;
	for (char *c = ascii; *c != '\0'; c++) {
		if ((*c & 0x80) != 0)
			*c = '?';
	}
	value = json_string(ascii);
	free(ascii);
	return value;
}

/* Parts in files of their own. */
json_t *report_json_account(bool *failed, const struct report_account *a);
json_t *report_json_loss(bool *failed, const struct report_loss *l);
json_t *report_json_peers(bool *failed, const struct report *r);

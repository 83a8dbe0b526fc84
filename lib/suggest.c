/* SPDX-License-Identifier: BSD-3-Clause */
#include "suggest.h"

#include <stdint.h>
#include <string.h>

enum {
	MAX_LEN = 63, /* a longer word is nobody's typing error */
};

static size_t
min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters to insert, delete, replace or swap with a neighbour make b of a. */
static size_t
edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	/* Rows for the first i - 2, i - 1 and i letters of a. */
	size_t row[3][MAX_LEN + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = min2(replace, min2(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min2(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[b_len];
}

void
suggest_init(struct suggest *s, const char *word)
{
	*s = (struct suggest){.word = word, .distance = SIZE_MAX};
}

void
suggest_offer(struct suggest *s, const char *name)
{
	size_t word_len = strlen(s->word);
	size_t name_len = strlen(name);
	size_t longer = word_len > name_len ? word_len : name_len;
	size_t distance;

	if (word_len == 0 || longer > MAX_LEN)
		return;
	distance = edit_distance(s->word, word_len, name, name_len);
	if (distance * 3 > longer && (word_len < 3 || strncmp(s->word, name, word_len) != 0))
		return;
	if (distance < s->distance) {
		s->distance = distance;
		s->best = name;
	}
}

const char *
suggest_nearest(const char *word, const char *const *names)
{
	struct suggest s;

	suggest_init(&s, word);
	for (; *names != NULL; names++)
		suggest_offer(&s, *names);
	return s.best;
}

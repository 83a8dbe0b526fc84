/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "Did you mean ...?": the nearest of some names to a word that is none of them. Offer the names
 * one after the other, from whatever table they are in; the best so far is in the struct.
 */
#pragma once

#include <stddef.h>

struct suggest {
	const char *word;
	const char *best; /* NULL while no name is near; points to an offered name */
	size_t distance;
};

void suggest_init(struct suggest *s, const char *word);

/*
 * Near is: at most a third of the letters to insert, delete, replace or swap with a neighbour; or
 * the word, of three letters or more, is how the name begins. The first of equally near ones wins.
 */
void suggest_offer(struct suggest *s, const char *name);

/* The same for a list that ends with NULL. Returns the nearest name, or NULL if none is near. */
const char *suggest_nearest(const char *word, const char *const *names);

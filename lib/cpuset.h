/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of small ids: CPUs or lcores. Plain data of fixed size, copied by assignment; an empty set
 * is {0}. The limit lies well above both Linux's usual 1024 and DPDK's lcore ids.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum {
	CPUSET_MAX = 4096,       /* ids 0 to CPUSET_MAX - 1 */
	CPUSET_TEXT_MAX = 10240, /* holds the text of any set, its NUL included */
};

struct cpuset {
	uint64_t word[CPUSET_MAX / 64];
};

/* Makes the set empty. */
void cpuset_zero(struct cpuset *set);

/* Adds an id; one outside 0 to CPUSET_MAX - 1 is a caller's fault and ignored. */
void cpuset_add(struct cpuset *set, unsigned id);

void cpuset_remove(struct cpuset *set, unsigned id);

/* False as well for an id past the limit. */
bool cpuset_has(const struct cpuset *set, unsigned id);

unsigned cpuset_count(const struct cpuset *set);

bool cpuset_empty(const struct cpuset *set);

/* @return the lowest id >= from, -1 if there is none */
int cpuset_next(const struct cpuset *set, unsigned from);

/* set = set and other */
void cpuset_and(struct cpuset *set, const struct cpuset *other);

/* set = set or other */
void cpuset_or(struct cpuset *set, const struct cpuset *other);

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);

/* Visits the ids in rising order; id is an int of the caller. */
#define CPUSET_FOREACH(id, set) \
	for ((id) = cpuset_next((set), 0); (id) >= 0; (id) = cpuset_next((set), (unsigned)(id) + 1))

/*
 * Reads "0-3,8". Blanks around numbers and one newline at the end (sysfs) are accepted; the empty
 * text is the empty set. A range may fall ("3-0"), as in EAL.
 * @return 0, or -1 with EXIT_USAGE and a message that names the text and the range
 */
int cpuset_parse(struct cpuset *set, const char *text, struct err *e);

/*
 * Reads a hexadecimal mask of any length, with or without "0x", bit N for id N.
 * @return as cpuset_parse(); an empty mask is refused
 */
int cpuset_parse_mask(struct cpuset *set, const char *text, struct err *e);

/*
 * Writes "0-3,8", cut to fit size (see CPUSET_TEXT_MAX); the empty set is "". A set cut short ends
 * in "...", which needs a size of at least 8.
 * @return buf
 */
const char *cpuset_format(const struct cpuset *set, char *buf, size_t size);

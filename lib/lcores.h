/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lcores of a run: each has an id, which DPDK limits (128 in distributions), and the physical
 * CPUs it may run on, which can have higher ids. Reads what EAL's -c, -l and --lcores accept, so
 * that it can be checked, shown and mapped before EAL starts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpuset.h"
#include "err.h"
#include "notes.h"
#include "topology.h"

struct lcore {
	unsigned id;
	struct cpuset cpus; /* never empty */
};

/* An empty list is {.main_id = -1}. */
struct lcores {
	unsigned nb;
	struct lcore *lcore; /* rising ids; owned */
	int main_id;         /* -1: not chosen, EAL takes the lowest */
};

/*
 * Adds an lcore, or replaces the CPUs of one that is there.
 * @return 0, or -1 with EXIT_MACHINE if memory is short
 */
int lcores_add(struct lcores *lcores, unsigned id, const struct cpuset *cpus, struct err *e);

/* @return the lcore of this id, NULL if there is none */
const struct lcore *lcores_find(const struct lcores *lcores, unsigned id);

/* @return the id of the main lcore: the chosen one or the lowest; -1 for an empty list */
int lcores_main(const struct lcores *lcores);

/* Gives back the list and empties it. */
void lcores_free(struct lcores *lcores);

/*
 * Reads the map of --lcores, of which the list of -l is a part
 * ("1,2@(5-7),(3-5)@(0,2),(0,6),7-8"), into an empty list. As in EAL, a group in parentheses
 * without
 * "@" floats over its own CPUs.
 * @return 0, or -1 with EXIT_USAGE and a message that shows the place; the list is then empty
 */
int lcores_parse(struct lcores *lcores, const char *text, struct err *e);

/* The same for the hexadecimal mask of -c. */
int lcores_parse_mask(struct lcores *lcores, const char *text, struct err *e);

/*
 * Checks lcores given by the user against the machine and against the ids this DPDK can have
 * (max_lcore: RTE_MAX_LCORE). Lcores with higher ids get free small ids, main_id along with them,
 * and a note shows the map. Refused with EXIT_USAGE: CPUs that are not there or not allowed
 * (naming those that are), more lcores than max_lcore, a main lcore that is not in the list, no
 * worker besides main. Two workers on one CPU are a warning.
 * @return 0 or -1
 */
int lcores_check(struct lcores *lcores, const struct topology *topo, unsigned max_lcore,
	struct notes *notes, struct err *e);

/*
 * Writes the list as --lcores takes it: "0-3,4@130".
 * @return a string to free(), or NULL if memory is short
 */
char *lcores_format(const struct lcores *lcores);

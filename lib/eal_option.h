/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EAL's options as data, from DPDK 22.11 and newer: which of them take a value, which may be
 * repeated, which exclude each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum eal_option_value {
	EAL_VALUE_NONE,
	EAL_VALUE_NEEDED,
	EAL_VALUE_OPTIONAL, /* only as --name=value */
};

/* What an option means here. Spellings of one option share it. */
enum eal_option_id {
	EAL_OPT_PASS, /* EAL's alone */
	EAL_OPT_ALLOW,
	EAL_OPT_BLOCK,
	EAL_OPT_CHANNELS,
	EAL_OPT_COREMASK,
	EAL_OPT_FILE_PREFIX,
	EAL_OPT_HELP,
	EAL_OPT_HUGE_DIR,
	EAL_OPT_HUGE_UNLINK,
	EAL_OPT_IN_MEMORY,
	EAL_OPT_IOVA_MODE,
	EAL_OPT_LCORES,
	EAL_OPT_LEGACY_MEM,
	EAL_OPT_LOG_LEVEL,
	EAL_OPT_MAIN_LCORE,
	EAL_OPT_MATCH_ALLOCATIONS,
	EAL_OPT_MEMORY,
	EAL_OPT_NO_HUGE,
	EAL_OPT_NO_PCI,
	EAL_OPT_NO_SHCONF,
	EAL_OPT_PROC_TYPE,
	EAL_OPT_RANKS,
	EAL_OPT_REMAP,
	EAL_OPT_SERVICE,
	EAL_OPT_SINGLE_FILE,
	EAL_OPT_SOCKET_LIMIT,
	EAL_OPT_SOCKET_MEM,
	EAL_OPT_VDEV,
	EAL_OPT_VERSION,
};

struct eal_option {
	const char *name; /* long, without dashes; NULL: none */
	char letter;      /* 0: none */
	enum eal_option_value value;
	enum eal_option_id id;
	bool repeat; /* may be given several times */
};

/*
 * Finds an option by its long name; like getopt, EAL takes any beginning that fits only one.
 * @param exact whether only the whole name counts
 * @return NULL if there is none
 */
const struct eal_option *eal_option_long(const char *name, size_t len, bool exact);

/* The long name most like this one, or NULL if none is. */
const char *eal_option_nearest(const char *name);

/* Finds an option by its letter. */
const struct eal_option *eal_option_short(char letter);

/*
 * Whether one of two words makes the other void: the same option, or two that exclude each other
 * (-l and -c, -a and -b, -m and --socket-mem).
 */
bool eal_option_same(const struct eal_option *a, const struct eal_option *b);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EAL's own words, read before EAL starts: what is needed for the plan (lcores, devices, memory
 * mode) is understood, the rest is passed on. Words of the command line win over those of the INI
 * file's [eal] section for the same option: a --vdev there replaces all of the file's vdevs, -l
 * replaces its lcores however they were given.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config_file.h"
#include "err.h"
#include "lcores.h"
#include "topology.h"

/* Options that choose how EAL keeps its memory; any of them stops our default choice. */
enum eal_memory_mode {
	EAL_MEM_IN_MEMORY = 1 << 0,
	EAL_MEM_NO_HUGE = 1 << 1,
	EAL_MEM_LEGACY = 1 << 2,
	EAL_MEM_HUGE_DIR = 1 << 3,
	EAL_MEM_HUGE_UNLINK = 1 << 4,
	EAL_MEM_SINGLE_FILE = 1 << 5,
	EAL_MEM_NO_SHCONF = 1 << 6,
	EAL_MEM_PROC_TYPE = 1 << 7,
	EAL_MEM_MATCH_ALLOCATIONS = 1 << 8,
};

struct eal_option; /* eal_option.h */

/* One option, or a word that is not known here. Strings belong to struct eal_args. */
struct eal_word {
	const struct eal_option *option; /* NULL: not known here, EAL's to judge */
	char *name;                      /* with its dashes: "-l", "--vdev", "--unknown=1" */
	char *value;                     /* NULL: none */
	unsigned line;                   /* of the INI file; 0: from the command line */
};

struct eal_args {
	const char *ini_path; /* borrowed; NULL: no file */
	unsigned nb_words;
	struct eal_word *words; /* in order: INI, then command line, without what was overridden */

	bool help;    /* -h, --help */
	bool version; /* -v, --version; EAL prints it and goes on */

	bool lcores_given;
	const char *lcores_option; /* as the user spelled it: "-l" */
	const char *lcores_value;
	struct lcores lcores; /* as given; the caller checks (lcores.h) or chooses (plan.h) */
	int main_lcore;       /* --main-lcore, also in lcores.main_id; -1: not given */

	/* The strings of these lists belong to words. */
	unsigned nb_vdevs, nb_allow, nb_block;
	const char **vdevs; /* "net_null0,size=64", in order */
	const char **allow; /* PCI address or vdev name, with arguments */
	const char **block;

	bool no_pci;
	bool no_huge;
	bool in_memory;
	unsigned memory_mode;    /* bits of enum eal_memory_mode that the user gave */
	const char *file_prefix; /* NULL: not given */
	const char *huge_dir;    /* NULL: not given */
	const char *iova_mode;   /* NULL: not given */
	uint64_t memory_mb;      /* -m; 0: not given */
	bool socket_mem_given;
	uint64_t socket_mem_mb[TOPOLOGY_MAX_NODES];
	bool socket_limit_given;
	uint64_t socket_limit_mb[TOPOLOGY_MAX_NODES]; /* 0: none */
	unsigned channels;                            /* -n; 0: not given */
	unsigned ranks;                               /* -r; 0: not given */
};

/* Whether a name, without dashes, is an option of the program itself. */
typedef bool (*eal_args_is_own)(const char *name);

/*
 * Reads argc words (without the program's name and without "--") and the words of the INI file.
 * Refused with EXIT_USAGE: an option without its value, a malformed value of an option that is
 * understood here, one given twice with different values, two that exclude each other, service
 * lcores, --proc-type=secondary, two vdevs of one name, a plain word that belongs to no option, and
 * the program's own options before "--". What is not known here is left to EAL.
 * @param ini may be NULL
 * @param ini_path names the file in messages; outlives args
 * @param is_own may be NULL
 * @return 0 or -1; the caller calls eal_args_free() in both cases
 */
int eal_args_parse(struct eal_args *args, int argc, char *const *argv,
	const struct ini_eal_words *ini, const char *ini_path, eal_args_is_own is_own,
	struct err *e);

/*
 * Adds an option as if it stood at the end of the command line.
 * @param name an option of EAL, with its dashes
 * @param value NULL for a flag
 * @return 0 or -1, as for eal_args_parse()
 */
int eal_args_add(struct eal_args *args, const char *name, const char *value, struct err *e);

void eal_args_free(struct eal_args *args);

/* The first word that is not known here, NULL if all are. */
const struct eal_word *eal_args_unknown_word(const struct eal_args *args);

/*
 * Says with EXIT_USAGE that a word is no option, where it was given, and which it may have been
 * meant to be. Returns -1.
 */
int eal_args_refuse_unknown(
	const struct eal_args *args, const struct eal_word *word, struct err *e);

/*
 * Puts the word before the message of e as it was given: "--vdev=net_null0", "-l 0" or
 * "c.ini:4: lcores = 0". Returns -1.
 */
int eal_args_blame_word(const struct eal_args *args, const struct eal_word *word, struct err *e);

/*
 * The same for the word that gave the lcores, or without one for --main-lcore; nothing if neither
 * was given. Returns -1.
 */
int eal_args_blame_lcores(const struct eal_args *args, struct err *e);

/* The same for the word that chose a memory mode with files; nothing if none did. Returns -1. */
int eal_args_blame_memory(const struct eal_args *args, struct err *e);

/* The same for the N-th of args->vdevs. Returns -1. */
int eal_args_blame_vdev(const struct eal_args *args, unsigned n, struct err *e);

/*
 * Makes the argument vector for rte_eal_init(): the program's name, --lcores and --main-lcore from
 * args->lcores as checked or chosen, the user's other words, and what the user did not choose:
 * --file-prefix=pmdperf-PID and the memory mode. An empty args->lcores leaves lcores to EAL.
 * @param argv ends with NULL; EAL reorders its vector, but owns nothing of it: keep it until the
 *        end of the program, then eal_args_argv_free()
 * @return 0, or -1 with EXIT_MACHINE if memory is short
 */
int eal_args_build(const struct eal_args *args, const char *program, pid_t pid, int *argc,
	char ***argv, struct err *e);

/* Frees the vector of eal_args_build() whatever the order of its strings. */
void eal_args_argv_free(char **argv);

/*
 * Reads one key of a vdev: vdev_arg("net_vhost0,iface=/tmp/s,queues=2", "iface").
 * @return the value, to free(); NULL if the key is not there or memory is short
 */
char *vdev_arg(const char *vdev, const char *key);

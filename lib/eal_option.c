/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_option.h"

#include <string.h>

#include "suggest.h"

/* clang-format off */
static const struct eal_option options[] = {
	{ "allow",                   'a', EAL_VALUE_NEEDED,   EAL_OPT_ALLOW,             true },
	{ "base-virtaddr",           0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "block",                   'b', EAL_VALUE_NEEDED,   EAL_OPT_BLOCK,             true },
	{ "coremask",                'c', EAL_VALUE_NEEDED,   EAL_OPT_COREMASK,          false },
	{ "create-uio-dev",          0,   EAL_VALUE_NONE,     EAL_OPT_PASS,              false },
	{ "driver-path",             'd', EAL_VALUE_NEEDED,   EAL_OPT_PASS,              true },
	{ "file-prefix",             0,   EAL_VALUE_NEEDED,   EAL_OPT_FILE_PREFIX,       false },
	{ "force-max-simd-bitwidth", 0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "help",                    'h', EAL_VALUE_NONE,     EAL_OPT_HELP,              false },
	{ "huge-dir",                0,   EAL_VALUE_NEEDED,   EAL_OPT_HUGE_DIR,          false },
	{ "huge-unlink",             0,   EAL_VALUE_OPTIONAL, EAL_OPT_HUGE_UNLINK,       false },
	{ "huge-worker-stack",       0,   EAL_VALUE_OPTIONAL, EAL_OPT_PASS,              false },
	{ "in-memory",               0,   EAL_VALUE_NONE,     EAL_OPT_IN_MEMORY,         false },
	{ "iova-mode",               0,   EAL_VALUE_NEEDED,   EAL_OPT_IOVA_MODE,         false },
	{ "lcores",                  'l', EAL_VALUE_NEEDED,   EAL_OPT_LCORES,            false },
	{ "legacy-mem",              0,   EAL_VALUE_NONE,     EAL_OPT_LEGACY_MEM,        false },
	{ "log-color",               0,   EAL_VALUE_OPTIONAL, EAL_OPT_PASS,              false },
	{ "log-level",               0,   EAL_VALUE_NEEDED,   EAL_OPT_LOG_LEVEL,         true },
	{ "log-timestamp",           0,   EAL_VALUE_OPTIONAL, EAL_OPT_PASS,              false },
	{ "main-lcore",              0,   EAL_VALUE_NEEDED,   EAL_OPT_MAIN_LCORE,        false },
	{ "master-lcore",            0,   EAL_VALUE_NEEDED,   EAL_OPT_MAIN_LCORE,        false },
	{ "match-allocations",       0,   EAL_VALUE_NONE,     EAL_OPT_MATCH_ALLOCATIONS, false },
	{ "mbuf-pool-ops-name",      0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "memory-channels",         'n', EAL_VALUE_NEEDED,   EAL_OPT_CHANNELS,          false },
	{ "memory-ranks",            'r', EAL_VALUE_NEEDED,   EAL_OPT_RANKS,             false },
	{ "memory-size",             'm', EAL_VALUE_NEEDED,   EAL_OPT_MEMORY,            false },
	{ "no-hpet",                 0,   EAL_VALUE_NONE,     EAL_OPT_PASS,              false },
	{ "no-huge",                 0,   EAL_VALUE_NONE,     EAL_OPT_NO_HUGE,           false },
	{ "no-pci",                  0,   EAL_VALUE_NONE,     EAL_OPT_NO_PCI,            false },
	{ "no-shconf",               0,   EAL_VALUE_NONE,     EAL_OPT_NO_SHCONF,         false },
	{ "no-telemetry",            0,   EAL_VALUE_NONE,     EAL_OPT_PASS,              false },
	{ "numa-limit",              0,   EAL_VALUE_NEEDED,   EAL_OPT_SOCKET_LIMIT,      false },
	{ "numa-mem",                0,   EAL_VALUE_NEEDED,   EAL_OPT_SOCKET_MEM,        false },
	{ "pci-blacklist",           0,   EAL_VALUE_NEEDED,   EAL_OPT_BLOCK,             true },
	{ "pci-whitelist",           'w', EAL_VALUE_NEEDED,   EAL_OPT_ALLOW,             true },
	{ "proc-type",               0,   EAL_VALUE_NEEDED,   EAL_OPT_PROC_TYPE,         false },
	{ "remap-lcore-ids",         'R', EAL_VALUE_OPTIONAL, EAL_OPT_REMAP,             false },
	{ "service-corelist",        'S', EAL_VALUE_NEEDED,   EAL_OPT_SERVICE,           false },
	{ "service-coremask",        's', EAL_VALUE_NEEDED,   EAL_OPT_SERVICE,           false },
	{ "single-file-segments",    0,   EAL_VALUE_NONE,     EAL_OPT_SINGLE_FILE,       false },
	{ "socket-limit",            0,   EAL_VALUE_NEEDED,   EAL_OPT_SOCKET_LIMIT,      false },
	{ "socket-mem",              0,   EAL_VALUE_NEEDED,   EAL_OPT_SOCKET_MEM,        false },
	{ "syslog",                  0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "telemetry",               0,   EAL_VALUE_NONE,     EAL_OPT_PASS,              false },
	{ "trace",                   0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              true },
	{ "trace-bufsz",             0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "trace-dir",               0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "trace-mode",              0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "vdev",                    0,   EAL_VALUE_NEEDED,   EAL_OPT_VDEV,              true },
	{ "version",                 'v', EAL_VALUE_NONE,     EAL_OPT_VERSION,           false },
	{ "vfio-intr",               0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "vfio-vf-token",           0,   EAL_VALUE_NEEDED,   EAL_OPT_PASS,              false },
	{ "vmware-tsc-map",          0,   EAL_VALUE_NONE,     EAL_OPT_PASS,              false },
};
/* clang-format on */

enum {
	NB_OPTIONS = sizeof(options) / sizeof(options[0]),
};

const struct eal_option *
eal_option_long(const char *name, size_t len, bool exact)
{
	const struct eal_option *found = NULL;

	for (unsigned i = 0; i < NB_OPTIONS; i++) {
		if (strncmp(options[i].name, name, len) != 0)
			continue;
		if (options[i].name[len] == '\0')
			return &options[i];
		if (exact)
			continue;
		if (found != NULL)
			return NULL;
		found = &options[i];
	}
	return found;
}

const char *
eal_option_nearest(const char *name)
{
	struct suggest nearest;

	suggest_init(&nearest, name);
	for (unsigned i = 0; i < NB_OPTIONS; i++)
		suggest_offer(&nearest, options[i].name);
	return nearest.best;
}

const struct eal_option *
eal_option_short(char letter)
{
	for (unsigned i = 0; i < NB_OPTIONS; i++) {
		if (options[i].letter == letter)
			return &options[i];
	}
	return NULL;
}

/* Options of one kind exclude each other; the representative stands for all of them. */
static enum eal_option_id
kind_of(enum eal_option_id id)
{
	switch (id) {
	case EAL_OPT_COREMASK:
		return EAL_OPT_LCORES;
	case EAL_OPT_BLOCK:
		return EAL_OPT_ALLOW;
	case EAL_OPT_SOCKET_MEM:
		return EAL_OPT_MEMORY;
	default:
		return id;
	}
}

bool
eal_option_same(const struct eal_option *a, const struct eal_option *b)
{
	if (a->id == EAL_OPT_PASS || b->id == EAL_OPT_PASS)
		return a == b;
	return kind_of(a->id) == kind_of(b->id);
}

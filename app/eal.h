/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "eal_args.h"
#include "err.h"
#include "host.h"

/*
 * What EAL would say less clearly: no free hugepages, fewer than -m wants, a --huge-dir that is
 * none.
 * @return 0 or -1
 */
int eal_check_memory(const struct eal_args *args, const struct host *host, struct err *e);

/*
 * Starts EAL with the words and what was chosen for the user. EAL's own messages are kept back
 * unless the user set a --log-level: those that tell why it failed become part of ours. A vdev that
 * became no port is a failure.
 * @param program argv[0]
 * @return 0 or -1 with EXIT_MACHINE, or EXIT_USAGE for a word EAL doesn't take; eal_stop() after
 * success only
 */
int eal_start(const struct eal_args *args, const char *program, struct err *e);

/* True if the user wants to see what EAL and drivers log. */
bool eal_is_verbose(const struct eal_args *args);

/* Ends EAL and frees what it holds. */
void eal_stop(void);

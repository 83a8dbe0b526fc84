/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "eal_args.h"
#include "err.h"

/*
 * Starts EAL with the words and what was chosen for the user. EAL's own messages are kept back:
 * they are printed if it fails, or if the user set a --log-level; most are about things that are
 * as they should be.
 * @param program argv[0]
 * @return 0 or -1 with EXIT_MACHINE, or EXIT_USAGE for a word EAL doesn't take; eal_stop() after
 * success only
 */
int eal_start(const struct eal_args *args, const char *program, struct err *e);

/* Ends EAL and frees what it holds. */
void eal_stop(void);

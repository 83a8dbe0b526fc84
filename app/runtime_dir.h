/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What EAL leaves behind: its runtime directory (/var/run/dpdk/PREFIX) and, in file-backed memory
 * modes, hugepage files. Telemetry unlinks its socket at exit, so our hook is registered before EAL
 * starts and runs after. What may be somebody else's is left alone.
 */
#pragma once

#include <stdbool.h>

#include "eal_args.h"
#include "err.h"

/*
 * Looks at the directory before EAL starts, and registers its removal at exit. With a prefix of our
 * own, everything in it is ours. With the user's, others may use it too: in-memory, only a
 * directory that we made and that is empty goes; file-backed, everything goes once EAL holds its
 * lock.
 * @return 0, or -1 with EXIT_MACHINE: another process holds the prefix, named by pid
 */
int runtime_dir_init(const struct eal_args *args, struct err *e);

/* EAL started: in a file-backed mode it holds the prefix's lock now. */
void runtime_dir_taken(void);

/* Removes it now. Safe in a signal handler, and more than once. */
void runtime_dir_remove(void);

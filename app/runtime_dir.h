/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EAL's runtime directory (/var/run/dpdk/PREFIX). EAL leaves it behind; telemetry unlinks its
 * socket there at exit, so ours is registered before EAL starts and runs after.
 */
#pragma once

#include "eal_args.h"
#include "err.h"

/*
 * Looks at the directory the file prefix names, before EAL starts, and registers its removal at
 * exit. Only a directory that did not exist before is ever removed, with the files EAL left in it.
 * @param prefix the file prefix in use
 * @param shared EAL will keep its shared configuration there (not in-memory)
 * @return 0, or -1 with EXIT_MACHINE: another process holds the prefix, named by pid
 */
int runtime_dir_init(const char *prefix, bool shared, struct err *e);

/* Removes it now. Safe in a signal handler, and more than once. */
void runtime_dir_remove(void);

/*
 * Removes sockets that a killed process left where a vdev is about to listen (net_vhost without
 * client=1, net_memif as server): nobody answers there.
 * @return 0, or -1 with EXIT_MACHINE: somebody listens, or the path is not a socket
 */
int runtime_dir_stale_sockets(const struct eal_args *args, struct err *e);

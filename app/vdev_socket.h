/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "eal_args.h"
#include "err.h"

/*
 * Looks at the sockets that vdevs will make or connect to (net_vhost, net_virtio_user, net_memif).
 * Where one is about to listen, a socket that a killed process left is removed: nobody answers
 * there.
 * @return 0, or -1 with EXIT_MACHINE: somebody listens there already, the path is not a socket or
 * cannot be made one, or nobody listens where one is to connect
 */
int vdev_socket_check(const struct eal_args *args, struct err *e);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual device that --io stands for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config.h"

enum {
	IO_VDEV_LEN = 160,
};

/*
 * The bytes that af_packet's rings have for each frame of this run, its header included. The driver
 * wants mbufs that hold all of them. 0 for other modes.
 */
uint32_t io_vdev_place(const struct config *c);

/*
 * Writes the device's name and arguments, as for EAL's --vdev, for c->io other than IO_NONE: as
 * many queues as are asked for, and frames as long as they can be in this run. (DPDK:
 * doc/guides/nics/af_packet.rst, af_xdp.rst)
 * @param len of buf: IO_VDEV_LEN is enough
 */
void io_vdev(const struct config *c, char *buf, size_t len);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "io_vdev.h"

#include <stdio.h>

enum {
	/* The driver's own sizes. A frame shares its place with the kernel's header for it. */
	AF_PACKET_FRAME = 2048,
	AF_PACKET_BLOCK = 4096,
	AF_PACKET_HEADER = 128,
};

void
io_vdev(const struct config *c, char *buf, size_t len)
{
	unsigned queues = c->rxq > c->txq ? c->rxq : c->txq;
	uint32_t longest = c->max_pkt_len, frame = AF_PACKET_FRAME;

	if (config_frame_len(c) > longest)
		longest = config_frame_len(c);
	if (c->io == IO_AF_XDP) {
		snprintf(buf, len, "net_af_xdp0,iface=%s,start_queue=0,queue_count=%u",
			c->interface, queues);
		return;
	}
	while (frame < longest + AF_PACKET_HEADER)
		frame *= 2;
	snprintf(buf, len, "net_af_packet0,iface=%s,qpairs=%u,framesz=%u,blocksz=%u", c->interface,
		queues, frame, frame > AF_PACKET_BLOCK ? frame : AF_PACKET_BLOCK);
}

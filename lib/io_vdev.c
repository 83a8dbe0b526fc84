/* SPDX-License-Identifier: BSD-3-Clause */
#include "io_vdev.h"

#include <stdio.h>

enum {
	/* The driver's own sizes. A frame shares its place with the kernel's header for it. */
	AF_PACKET_FRAME = 2048,
	AF_PACKET_BLOCK = 4096,
	AF_PACKET_HEADER =
		80, /* tpacket2_hdr, sockaddr_ll and 14 bytes, aligned (packet_mmap.rst) */
};

uint32_t
io_vdev_place(const struct config *c)
{
	uint32_t longest = c->max_pkt_len;

	if (c->io != IO_AF_PACKET)
		return 0;
	if (config_frame_len(c) > longest)
		longest = config_frame_len(c);
	longest += AF_PACKET_HEADER;
	/* The driver takes a ring for one stretch: places must fill blocks, and blocks are pages.
	 */
	return longest <= AF_PACKET_FRAME
		       ? AF_PACKET_FRAME
		       : (longest + AF_PACKET_BLOCK - 1) / AF_PACKET_BLOCK * AF_PACKET_BLOCK;
}

void
io_vdev(const struct config *c, char *buf, size_t len)
{
	unsigned queues = c->rxq > c->txq ? c->rxq : c->txq;
	uint32_t place = io_vdev_place(c);

	if (c->io == IO_AF_XDP) {
		snprintf(buf, len, "net_af_xdp0,iface=%s,start_queue=%u,queue_count=%u",
			c->interface, c->io_queue, queues);
		return;
	}
	snprintf(buf, len, "net_af_packet0,iface=%s,qpairs=%u,framesz=%u,blocksz=%u", c->interface,
		queues, place, place > AF_PACKET_BLOCK ? place : AF_PACKET_BLOCK);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow.h"

#include <assert.h>
#include <stddef.h>

static_assert(FLOW_PORT_LAST - FLOW_PORT_FIRST + 1 == 1 << FLOW_PORT_BITS, "one port a low part");
static_assert((uint64_t)FLOW_MAX_LCORES * FLOW_MAX_PER_CORE == 1ull << (2 * FLOW_PORT_BITS),
	"every flow has a pair of its own");

enum {
	PORT_MASK = (1 << FLOW_PORT_BITS) - 1,
};

static uint32_t
rotl13(uint32_t x, unsigned bits)
{
	return ((x << bits) | (x >> (FLOW_PORT_BITS - bits))) & PORT_MASK;
}

struct flow_ports
flow_ports(uint32_t lcore, uint32_t flows_per_core, uint32_t i)
{
	uint32_t n = lcore * flows_per_core + i;
	uint32_t low = n & PORT_MASK;
	uint32_t high = n >> FLOW_PORT_BITS;

	return (struct flow_ports){
		.src = (uint16_t)(FLOW_PORT_FIRST + low),
		.dst = (uint16_t)(FLOW_PORT_FIRST + (rotl13(low, 3) ^ rotl13(low, 5) ^ high)),
	};
}

bool
flow_port_is_tunnel(uint16_t port)
{
	/* IANA's registry, and what Linux and switches listen on. */
	static const uint16_t tunnel[] = {
		1701,  /* L2TP */
		2123,  /* GTP-C */
		2152,  /* GTP-U */
		2268,  /* AMT */
		3544,  /* Teredo */
		3785,  /* BFD echo */
		4341,  /* LISP data */
		4500,  /* ESP in UDP */
		4754,  /* GRE in UDP */
		4755,  /* GRE in UDP with DTLS */
		4789,  /* VXLAN */
		4790,  /* VXLAN-GPE */
		4791,  /* RoCEv2 */
		5246,  /* CAPWAP control */
		5247,  /* CAPWAP data */
		6080,  /* GUE */
		6081,  /* GENEVE */
		6635,  /* MPLS in UDP */
		7784,  /* S-BFD */
		8472,  /* VXLAN as Linux had it first */
		48879, /* VXLAN of a fabric vendor */
		51820, /* WireGuard */
	};

	for (size_t i = 0; i < sizeof(tunnel) / sizeof(tunnel[0]); i++) {
		if (tunnel[i] == port)
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which UDP ports a flow has. Each transmitting lcore owns flows_per_core pairs that no other lcore
 * has, whatever its id, all within one range that is easy to open in a firewall.
 *
 * Flow i of lcore L is number n = L x flows_per_core + i. Its 26 bits are split into low = n mod
 * 8192 and high = n / 8192:
 *
 *   source      = 32768 + low
 *   destination = 32768 + (rotl13(low, 3) xor rotl13(low, 5) xor high)
 *
 * This is one-to-one: the source gives low back, the destination then gives high. Both ports vary
 * with every flow, so that cards hashing only one of them spread too. It is linear over GF(2), as
 * the Toeplitz hash is: where the hash's low bits of the flow numbers are independent, a power of
 * two of flows falls on queues exactly evenly, not by chance. The two rotations are those with the
 * fewest dependent bits among the RSS keys that drivers set by default.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	FLOW_PORT_FIRST = 32768,
	FLOW_PORT_LAST = 40959,
	FLOW_PORT_BITS = 13,
	FLOW_MAX_LCORES = 1024,    /* ids 0 to 1023 */
	FLOW_MAX_PER_CORE = 65536, /* 1024 x 65536 = 8192 x 8192 pairs */
};

struct flow_ports {
	uint16_t src, dst; /* host byte order */
};

/*
 * The ports of one flow. Pure; any thread.
 * @param lcore 0 to FLOW_MAX_LCORES - 1
 * @param flows_per_core 1 to FLOW_MAX_PER_CORE, the same for every lcore
 * @param i 0 to flows_per_core - 1
 */
struct flow_ports flow_ports(uint32_t lcore, uint32_t flows_per_core, uint32_t i);

/* True for UDP ports that cards or switches take for a tunnel or an encapsulation, and parse. */
bool flow_port_is_tunnel(uint16_t port);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "next_hop.h"

#include <inttypes.h>

#include <rte_mbuf.h>

#include "clock.h"
#include "kernel_if.h"
#include "neighbour.h"
#include "signals.h"

enum {
	ASK_MS = 200, /* between two questions */
	WAIT_MS = 3000,
	ROUND_NS = 1000000,
	BURST = 32,
};

void
next_hop_set_self(struct run *r)
{
	bool sends = false;

	for (unsigned i = 0; i < r->nb_ports; i++)
		sends = sends || r->ports[i].engine->sends;
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct port *p = &r->ports[i];

		p->self = (struct neighbour_self){
			.mac = p->mac,
			.ip = config_own_ip(r->cfg, p->engine->sends, sends),
		};
		p->answers = !kernel_if_has_ipv4(p->info.if_index, p->self.ip);
	}
}

/* Sends a question. Without a free mbuf the next one will do. */
static void
ask(struct run *r, struct port *p, uint32_t ip)
{
	struct rte_mbuf *m = r->main_pool == NULL ? NULL : rte_pktmbuf_alloc(r->main_pool);
	uint8_t *frame;

	if (m == NULL)
		return;
	frame = (uint8_t *)rte_pktmbuf_append(m, NEIGHBOUR_REQUEST_LEN);
	if (frame == NULL) {
		rte_pktmbuf_free(m);
		return;
	}
	neighbour_request(frame, &p->self, ip);
	run_send(r, p, m);
}

/* Looks at what came for the answer; the rest is taken as ever, for the one asked may be us. */
static bool
heard(struct run *r, const struct port *asker, uint32_t ip, struct mac *mac)
{
	struct rte_mbuf *pkts[BURST];
	bool found = false;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];
		unsigned n = run_receive(p, pkts, BURST);

		for (unsigned k = 0; k < n; k++) {
			found = found ||
				(p == asker && neighbour_learn(rte_pktmbuf_mtod(pkts[k], uint8_t *),
						       pkts[k]->data_len, &p->self, ip, mac));
			run_take(r, pkts[k]);
		}
	}
	return found;
}

static int
resolve(struct run *r, struct port *p, uint32_t ip, struct err *e)
{
	uint64_t now = clock_mono_ns();
	uint64_t end = now + WAIT_MS * 1000000ull, due = now;
	char text[ADDR_IPV4_LEN], mac_text[ADDR_MAC_LEN];
	unsigned asked = 0;
	struct mac mac;

	addr_format_ipv4(ip, text);
	if (addr_ipv4_is_multicast(ip)) {
		run_set_dst_mac(r, p, addr_multicast_mac(ip));
		return 0;
	}
	for (; now < end && !signals_stop(); now = clock_mono_ns()) {
		if (now >= due) {
			ask(r, p, ip);
			asked++;
			due = now + ASK_MS * 1000000ull;
		}
		if (heard(r, p, ip, &mac)) {
			run_set_dst_mac(r, p, mac);
			notes_add(r->notes, "port %u (%s): %s is at %s, as it answered by ARP",
				p->id, p->name, text, addr_format_mac(&mac, mac_text));
			return 0;
		}
		signals_sleep_ns(ROUND_NS);
	}
	if (signals_stop())
		return 0;
	return err_set(e, EXIT_MACHINE,
		"port %u (%s): nobody answers ARP for %s (asked %u times in %d s). Is it up, and "
		"on "
		"this segment? Behind a router, give the router by --gateway=IP; or the next hop's "
		"MAC by --dst-mac=MAC",
		p->id, p->name, text, asked, WAIT_MS / 1000);
}

int
next_hop_resolve(struct run *r, struct err *e)
{
	bool used = false;
	uint32_t ip;

	if (!config_next_hop(r->cfg, &ip))
		return 0;
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct port *p = &r->ports[i];

		if (!p->engine->sends || !p->default_dst_mac)
			continue;
		used = true;
		if (resolve(r, p, ip, e) != 0)
			return -1;
	}
	if (!used && config_given(r->cfg, "gateway"))
		notes_add(r->notes,
			"--gateway was not asked for its MAC: no port sends that has none given");
	return 0;
}

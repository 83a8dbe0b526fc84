/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's own counters, and which of them a driver keeps at all. */
#include <string.h>

#include "port.h"

enum kept {
	KEEPS_MISSED = 1 << 0,
	KEEPS_NOMBUF = 1 << 1,
	KEEPS_ERRORS = 1 << 2,
	KEEPS_TX_ERRORS = 1 << 3,
	KEEPS_PACKETS = 1 << 4,
	KEEPS_ALL = 0x1f,
	FIRST_QUEUES = 1 << 5, /* packets of the first RTE_ETHDEV_QUEUE_STAT_CNTRS queues only */
};

/*
 * Nothing in the API tells a counter that is 0 from one that nobody counts. Drivers of software
 * devices that were read; every other driver is taken to keep all. A field left out shows "n/a".
 */
static unsigned
kept_by(const char *driver)
{
	static const struct {
		const char *driver;
		unsigned kept; /* enum kept */
	} known[] = {
		{"net_null", KEEPS_PACKETS | FIRST_QUEUES},
		{"net_ring", KEEPS_PACKETS | FIRST_QUEUES},
		{"net_memif", KEEPS_PACKETS | FIRST_QUEUES},
		{"net_vhost", KEEPS_PACKETS},
		{"net_virtio_user", KEEPS_PACKETS | KEEPS_NOMBUF | KEEPS_ERRORS},
		{"net_virtio", KEEPS_PACKETS | KEEPS_NOMBUF | KEEPS_ERRORS},
		{"net_af_packet", KEEPS_PACKETS | KEEPS_TX_ERRORS | FIRST_QUEUES},
		{"net_af_xdp", KEEPS_PACKETS | KEEPS_MISSED | KEEPS_TX_ERRORS},
		{"net_tap", KEEPS_PACKETS | KEEPS_NOMBUF | KEEPS_ERRORS | KEEPS_TX_ERRORS},
		{"net_pcap", KEEPS_PACKETS | KEEPS_MISSED | KEEPS_NOMBUF | KEEPS_TX_ERRORS},
	};

	for (size_t i = 0; i < RTE_DIM(known); i++) {
		if (strcmp(known[i].driver, driver) == 0)
			return known[i].kept;
	}
	return KEEPS_ALL;
}

static void
add(struct sample_count *sum, uint64_t value, bool known)
{
	/* A total is known only if each of its parts is. */
	sum->known = sum->known && known;
	sum->value += value;
}

void
port_add_counters(const struct port *p, struct sample_snapshot *s)
{
	struct rte_eth_stats st;
	unsigned kept = kept_by(p->info.driver_name);

	memset(&st, 0, sizeof(st));
	if (rte_eth_stats_get(p->id, &st) != 0)
		kept = 0;
	if (p->engine->receives) {
		add(&s->missed, st.imissed, kept & KEEPS_MISSED);
		add(&s->nombuf, st.rx_nombuf, kept & KEEPS_NOMBUF);
		add(&s->errors, st.ierrors, kept & KEEPS_ERRORS);
	}
	if (p->engine->sends)
		add(&s->tx_errors, st.oerrors, kept & KEEPS_TX_ERRORS);
}

static struct sample_count
since(uint64_t base, uint64_t now, bool known)
{
	return sample_delta((struct sample_count){.value = base, .known = known},
		(struct sample_count){.value = now, .known = known});
}

void
port_report_counters(const struct port *p, struct report_port *r)
{
	struct rte_eth_stats st;
	struct xstats now;
	unsigned kept = kept_by(p->info.driver_name);

	memset(&st, 0, sizeof(st));
	if (!p->base_known || rte_eth_stats_get(p->id, &st) != 0)
		kept = 0;
	if ((kept & FIRST_QUEUES) &&
		RTE_MAX(p->used.rxq, p->used.txq) > RTE_ETHDEV_QUEUE_STAT_CNTRS)
		kept &= ~(unsigned)KEEPS_PACKETS;
	r->imissed = since(p->base.imissed, st.imissed, kept & KEEPS_MISSED);
	r->nombuf = since(p->base.rx_nombuf, st.rx_nombuf, kept & KEEPS_NOMBUF);
	r->errors = since(p->base.ierrors, st.ierrors, kept & KEEPS_ERRORS);
	r->tx_errors = since(p->base.oerrors, st.oerrors, kept & KEEPS_TX_ERRORS);
	r->ipackets = since(p->base.ipackets, st.ipackets, kept & KEEPS_PACKETS);
	r->opackets = since(p->base.opackets, st.opackets, kept & KEEPS_PACKETS);
	now = port_xstats(p);
	r->xstats = xstats_grown(&p->base_xstats, &now);
	xstats_free(&now);
}

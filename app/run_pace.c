/* SPDX-License-Identifier: BSD-3-Clause */
/* --rate: from what was asked for in all to the pace of each stream. */
#include <inttypes.h>

#include "link_speed.h"
#include "run.h"
#include "txonly.h"
#include "units.h"

/* @return bits a second of all ports that send; 0 with an error: one of them is not to be reckoned
 * with */
static uint64_t
links_bps(const struct run *r, struct err *e)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];
		const char *doubt;

		if (!p->engine->sends)
			continue;
		doubt = link_speed_doubt(p->info.driver_name, p->link_mbps);
		if (doubt != NULL) {
			err_set(e, EXIT_MACHINE,
				"port %u (%s): the link's speed %s; give frames or bits a second",
				p->id, p->name, doubt);
			config_blame(r->cfg, "rate", 0, e);
			return 0;
		}
		sum += p->link_mbps * UINT64_C(1000000);
	}
	return sum;
}

/* A share of a link is of what is on the wire, with all that is around a frame. */
static int
frames_per_second(struct run *r, struct err *e)
{
	const struct option_rate *rate = &r->cfg->rate;
	uint32_t len = config_frame_len(r->cfg);

	r->asked_pps = rate->pps;
	if (rate->bps != 0)
		r->asked_pps = rate->bps / (8 * len);
	if (rate->millionths != 0) {
		uint64_t bps = links_bps(r, e);

		if (bps == 0)
			return -1;
		r->asked_pps = (uint64_t)((unsigned __int128)bps * rate->millionths / 1000000 /
					  (8 * (len + UNITS_L1_BYTES_PER_FRAME)));
	}
	if (r->asked_pps > 0)
		return 0;
	err_set(e, EXIT_USAGE, "is less than one frame of %" PRIu32 " bytes a second", len);
	return config_blame(r->cfg, "rate", 0, e);
}

int
run_pace(struct run *r, double hz, struct err *e)
{
	const struct option_rate *rate = &r->cfg->rate;
	struct pace_rate share = {0};
	uint32_t nb = 0, place = 0;

	if (rate->pps == 0 && rate->bps == 0 && rate->millionths == 0)
		return 0;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		nb += r->streams[i].sends;
		share.whole += r->streams[i].sends ? r->streams[i].flows : 0;
	}
	if (nb == 0) {
		err_set(e, EXIT_USAGE, "says nothing: no port of this run sends");
		return config_blame(r->cfg, "rate", 0, e);
	}
	if (frames_per_second(r, e) != 0)
		return -1;
	share.pps = r->asked_pps;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		struct stream *s = &r->streams[i];
		struct pace pace;

		if (!s->sends)
			continue;
		share.part = s->flows;
		if (!pace_init(&pace, hz, &share, place++, nb)) {
			err_set(e, EXIT_USAGE, "is less than a frame an hour on one of %u queues",
				nb);
			return config_blame(r->cfg, "rate", 0, e);
		}
		if (txonly_set_pace(s, &pace) != 0)
			return err_set(e, EXIT_MACHINE, "port %u queue %u: no memory for its pace",
				s->port, s->queue);
		/* Its pace keeps flows even, and needs each turn. */
		s->share = s->share_max;
	}
	return 0;
}

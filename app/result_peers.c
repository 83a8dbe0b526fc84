/* SPDX-License-Identifier: BSD-3-Clause */
/* What the other sides said. */
#include <stdlib.h>

#include "result.h"

static const char *
state_of(const struct peer_sender *s)
{
	static const char *const why[] = {
		[PEER_WHY_NONE] = "it is not known why",
		[PEER_WHY_SILENT] = "no receiver answered",
		[PEER_WHY_VANISHED] = "the receiver answered at first, and not at the end",
		[PEER_WHY_RESTARTED] = "the receiver was started again during the run",
		[PEER_WHY_ENDLESS] = "the receiver did not come to an end with its counts",
	};

	if (s->state == PEER_REFUSED)
		return s->status == PEER_FULL
			       ? "the receiver has as many senders as it can tell apart"
			       : "the receiver has frames of an earlier run of the same number";
	if (s->state == PEER_NOBODY)
		return why[s->why];
	if (s->restarted)
		return why[PEER_WHY_RESTARTED];
	return s->report[PEER_R_LATE] != 0 ? "the receiver was found only when sending had begun"
					   : "complete";
}

static void
add_receivers(struct result *res, const struct run *r)
{
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		const struct peers_asker *a = &r->peers.asker[i];
		const struct peer_sender *s = &a->s;

		/* What this process says of itself is in its account. */
		if (!a->on || s->own)
			continue;
		res->peers[res->report.n_peers++] = (struct report_peer){
			.ip = a->to.dst_ip,
			.run = s->run,
			.port = r->ports[i].id,
			.exact = s->state == PEER_DONE && s->has_report && !s->restarted &&
				 s->report[PEER_R_LATE] == 0,
			.state = state_of(s),
			.sent = a->sent.packets,
			.instance = s->peer,
			.rx = s->has_report ? s->report : NULL,
			.queue = s->queue,
			.nb_queues = s->state == PEER_DONE ? s->nb_queues : 0,
		};
	}
}

static void
add_senders(struct result *res, const struct peer_receiver *receiver)
{
	for (unsigned i = 0; receiver != NULL && i < receiver->nb_sessions; i++) {
		const struct peer_session *s = &receiver->session[i];
		bool ended = s->sent.phase == PEER_ENDED;

		res->peers[res->report.n_peers++] = (struct report_peer){
			.ip = s->src_ip,
			.run = s->run,
			.port = (uint16_t)s->port,
			.is_sender = true,
			.exact = ended && !s->late,
			.state = !ended    ? "it had not ended when it was last heard of"
				 : s->late ? "it had begun before it was known here"
					   : "complete",
			.instance = s->instance,
			.tx = &s->sent,
		};
	}
}

void
result_peers(struct result *res, const struct run *r)
{
	const struct peer_receiver *receiver = r->peers.receiver;
	size_t n = r->nb_ports + (receiver != NULL ? receiver->nb_sessions : 0);
	struct report_loss loss;

	res->peers = calloc(n, sizeof(*res->peers));
	if (res->peers == NULL)
		return;
	res->report.peers = res->peers;
	add_receivers(res, r);
	add_senders(res, receiver);
	loss = report_sum_peers(res->peers, res->report.n_peers);
	report_add_loss(&res->report.loss, &loss);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What arrived, from the accounts of all receive queues. */
#include <stdlib.h>

#include "account.h"
#include "result.h"

enum {
	SENDERS = 256, /* listed; each queue has room for fewer */
};

static unsigned
collect(const struct run *r, struct account **a)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->plan.nb_streams && n < ACCOUNT_MAX_QUEUES; i++) {
		if (r->streams[i].account != NULL)
			a[n++] = r->streams[i].account;
	}
	return n;
}

/*
 * What this process sent itself, if all of it can come back here: from one port. Frames of others
 * with its address and run are none of its own: both would have to be the same.
 */
static bool
own_sent(const struct run *r, uint64_t *sent)
{
	unsigned ports = 0;

	*sent = 0;
	for (unsigned i = 0; i < r->nb_ports; i++)
		ports += r->ports[i].engine->sends;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		struct stream_totals t;

		stream_read(&r->streams[i], &t);
		*sent += t.tx_packets;
	}
	return ports == 1 && config_tagged(r->cfg);
}

void
result_account(struct result *res, const struct run *r)
{
	static struct account_total total[SENDERS];
	struct account *a[ACCOUNT_MAX_QUEUES];
	struct report_account *out = &res->report.account;
	unsigned queues = collect(r, a), n;
	uint64_t sent;
	bool own = own_sent(r, &sent);

	if (queues == 0)
		return;
	n = account_sum(a, queues, total, SENDERS);
	res->senders = calloc(n > 0 ? n : 1, sizeof(*res->senders));
	if (res->senders == NULL)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct report_sender *s = &res->senders[i];

		s->came = total[i];
		s->sent_known =
			own && total[i].run == r->tag_run && total[i].src_ip == r->cfg->src_ip;
		s->sent = s->sent_known ? sent : 0;
		if (!s->sent_known && r->peers.receiver != NULL)
			s->sent_known = peer_receiver_sent(
				r->peers.receiver, total[i].src_ip, total[i].run, &s->sent);
	}
	*out = (struct report_account){.kept = true, .senders = res->senders, .n_senders = n};
	for (unsigned i = 0; i < queues; i++) {
		out->untagged += counter_get(&a[i]->untagged);
		out->corrupt += counter_get(&a[i]->corrupt);
		out->crowded += counter_get(&a[i]->crowded);
	}
	res->report.loss = report_sum_loss(out);
}

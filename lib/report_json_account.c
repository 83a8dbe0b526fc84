/* SPDX-License-Identifier: BSD-3-Clause */
/* What arrived of what was sent, in the result file. */
#include "report_json_value.h"

static json_t *
sender_json(bool *failed, const struct report_sender *s)
{
	const struct account_total *t = &s->came;
	char ip[ADDR_IPV4_LEN];
	json_t *o = json_object();

	put(failed, o, "src_ip", text(addr_format_ipv4(t->src_ip, ip)));
	put(failed, o, "run", json_integer(t->run));
	put(failed, o, "flows", integer(t->flows));
	put(failed, o, "moved", integer(t->moved));
	put(failed, o, "sent", s->sent_known ? integer(s->sent) : json_null());
	put(failed, o, "received", integer(t->received));
	put(failed, o, "bytes", integer(t->bytes));
	put(failed, o, "lost", integer(report_lost(s)));
	put(failed, o, "lost_exact", json_boolean(s->sent_known));
	put(failed, o, "duplicated", integer(t->duplicated));
	put(failed, o, "reordered", integer(t->reordered));
	put(failed, o, "reorder_extent", integer(t->extent));
	put(failed, o, "unsure", integer(t->unsure));
	put(failed, o, "untold", integer(t->untold));
	return o;
}

/* What arrived, by sender. */
json_t *
report_json_account(bool *failed, const struct report_account *a)
{
	json_t *o, *senders;

	if (!a->kept)
		return json_null();
	o = json_object();
	senders = json_array();
	for (size_t i = 0; i < a->n_senders; i++)
		put_item(failed, senders, sender_json(failed, &a->senders[i]));
	put(failed, o, "senders", senders);
	put(failed, o, "untagged", integer(a->untagged));
	put(failed, o, "corrupt", integer(a->corrupt));
	put(failed, o, "crowded", integer(a->crowded));
	return o;
}

json_t *
report_json_loss(bool *failed, const struct report_loss *l)
{
	json_t *o;

	if (!l->known)
		return json_null();
	o = json_object();
	put(failed, o, "sent", integer(l->sent));
	put(failed, o, "received", integer(l->received));
	put(failed, o, "packets", integer(l->lost));
	put(failed, o, "ratio",
		l->sent > 0 ? json_real((double)l->lost / (double)l->sent) : json_null());
	put(failed, o, "duplicated", integer(l->duplicated));
	put(failed, o, "reordered", integer(l->reordered));
	return o;
}

static json_t *
word(const struct report_peer *p, unsigned i)
{
	return p->rx[i] == PEER_NOT_KNOWN ? json_null() : integer(p->rx[i]);
}

static json_t *
rate(uint64_t count, uint64_t ns)
{
	return ns == 0 || ns == PEER_NOT_KNOWN || count == PEER_NOT_KNOWN
		       ? json_null()
		       : number(units_per_second(count, ns));
}

static json_t *
peer_rx_json(bool *failed, const struct report_peer *p)
{
	const uint64_t *w = p->rx;
	json_t *o, *queues;

	if (w == NULL)
		return json_null();
	o = json_object();
	put(failed, o, "packets", word(p, PEER_R_RECEIVED));
	put(failed, o, "bytes", word(p, PEER_R_BYTES));
	put(failed, o, "pps", rate(w[PEER_R_WINDOW_PACKETS], w[PEER_R_WINDOW_NS]));
	put(failed, o, "bps",
		w[PEER_R_WINDOW_BYTES] == PEER_NOT_KNOWN
			? json_null()
			: rate(8 * w[PEER_R_WINDOW_BYTES], w[PEER_R_WINDOW_NS]));
	put(failed, o, "duplicated", word(p, PEER_R_DUPLICATED));
	put(failed, o, "reordered", word(p, PEER_R_REORDERED));
	put(failed, o, "reorder_extent", word(p, PEER_R_EXTENT));
	put(failed, o, "untold", word(p, PEER_R_UNTOLD));
	put(failed, o, "missed", word(p, PEER_R_MISSED));
	put(failed, o, "nombuf", word(p, PEER_R_NOMBUF));
	put(failed, o, "errors", word(p, PEER_R_ERRORS));
	put(failed, o, "corrupt", word(p, PEER_R_CORRUPT));
	put(failed, o, "untagged", word(p, PEER_R_UNTAGGED));
	put(failed, o, "senders", word(p, PEER_R_SENDERS));
	queues = json_array();
	for (unsigned i = 0; i < p->nb_queues; i++)
		put_item(failed, queues, integer(p->queue[i]));
	put(failed, o, "queues", queues);
	return o;
}

static json_t *
peer_tx_json(bool *failed, const struct report_peer *p)
{
	const struct peer_sent *t = p->tx;
	json_t *o;

	if (t == NULL)
		return json_null();
	o = json_object();
	put(failed, o, "offered", integer(t->offered));
	put(failed, o, "packets", integer(t->packets));
	put(failed, o, "bytes", integer(t->bytes));
	put(failed, o, "pps", rate(t->window_packets, t->window_ns));
	put(failed, o, "bps", rate(8 * t->window_bytes, t->window_ns));
	return o;
}

json_t *
report_json_peers(bool *failed, const struct report *r)
{
	json_t *peers = json_array();

	for (size_t i = 0; i < r->n_peers; i++) {
		const struct report_peer *p = &r->peers[i];
		char ip[ADDR_IPV4_LEN];
		json_t *o = json_object();

		put(failed, o, "id", text(addr_format_ipv4(p->ip, ip)));
		put(failed, o, "role", text(p->is_sender ? "sender" : "receiver"));
		put(failed, o, "run", json_integer(p->run));
		put(failed, o, "port", json_integer(p->port));
		put(failed, o, "exact", json_boolean(p->exact));
		put(failed, o, "state", text(p->state));
		put(failed, o, "rx", peer_rx_json(failed, p));
		put(failed, o, "tx", peer_tx_json(failed, p));
		put_item(failed, peers, o);
	}
	return peers;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "peers.h"

#include <stdlib.h>

#include <rte_mbuf.h>
#include <rte_random.h>

#include "account.h"
#include "clock.h"
#include "engine.h"
#include "run.h"
#include "signals.h"
#include "txonly.h"

#define MS        UINT64_C(1000000)
#define FIND_NS   (300 * MS)
#define ROUND_NS  MS
#define LINGER_NS (6000 * MS) /* more than any sender is waited for */

static void
add_came(void *arg, uint32_t src_ip, uint8_t run, struct peer_came *came)
{
	const struct run *r = arg;
	struct account_total t = {0};

	for (unsigned i = 0; i < r->peers.receiver->view.nb_queues; i++)
		account_peek(r->peers.account[i], src_ip, run, &t);
	*came = (struct peer_came){
		.received = t.received,
		.bytes = t.bytes,
		.duplicated = t.duplicated,
		.reordered = t.reordered,
		.extent = t.extent,
		.untold = t.untold,
	};
}

static uint64_t
queue_came(void *arg, uint32_t src_ip, uint8_t run, unsigned queue)
{
	const struct run *r = arg;
	struct account_total t = {0};

	account_peek(r->peers.account[queue], src_ip, run, &t);
	return t.received;
}

static uint64_t
or_not_known(const struct sample_count *from, const struct sample_count *to)
{
	struct sample_count d = sample_delta(*from, *to);

	return d.known ? d.value : PEER_NOT_KNOWN;
}

static void
fill_whole(void *arg, uint64_t *word)
{
	const struct run *r = arg;
	const struct sample_snapshot *begin = &r->peers.begin;
	struct sample_snapshot now;

	run_snapshot(r, &now);
	word[PEER_R_MISSED] = or_not_known(&begin->missed, &now.missed);
	word[PEER_R_NOMBUF] = or_not_known(&begin->nombuf, &now.nombuf);
	word[PEER_R_ERRORS] = or_not_known(&begin->errors, &now.errors);
	word[PEER_R_CORRUPT] = word[PEER_R_UNTAGGED] = 0;
	for (unsigned i = 0; i < r->peers.receiver->view.nb_queues; i++) {
		word[PEER_R_CORRUPT] += counter_get(&r->peers.account[i]->corrupt);
		word[PEER_R_UNTAGGED] += counter_get(&r->peers.account[i]->untagged);
	}
}

static int
init_receiver(struct run *r, uint64_t instance, struct err *e)
{
	struct peers *p = &r->peers;
	unsigned n = 0;

	for (unsigned i = 0; i < r->plan.nb_streams; i++)
		n += r->streams[i].account != NULL;
	if (n == 0)
		return 0;
	n = RTE_MIN(n, (unsigned)ACCOUNT_MAX_QUEUES);
	p->receiver = calloc(1, sizeof(*p->receiver));
	p->account = calloc(n, sizeof(*p->account));
	if (p->receiver == NULL || p->account == NULL)
		return err_set(e, EXIT_MACHINE, "no memory for what senders say");
	p->receiver->instance = instance;
	p->receiver->secret = (struct siphash_key){rte_rand(), rte_rand()};
	p->receiver->view = (struct peer_view){
		.arg = r,
		.came = add_came,
		.whole = fill_whole,
		.queue = queue_came,
	};
	for (unsigned i = 0; i < r->plan.nb_streams && p->receiver->view.nb_queues < n; i++) {
		if (r->streams[i].account != NULL)
			p->account[p->receiver->view.nb_queues++] = r->streams[i].account;
	}
	return 0;
}

/* The stream whose first flow questions go along, so that whatever lets flows through lets them. */
static const struct stream *
first_sender(const struct run *r, const struct port *p)
{
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		if (r->streams[i].sends && r->streams[i].port == p->id)
			return &r->streams[i];
	}
	return NULL;
}

static void
init_asker(struct run *r, unsigned port, uint64_t instance, uint64_t now)
{
	const struct config *cfg = r->cfg;
	const struct port *p = &r->ports[port];
	struct peers_asker *a = &r->peers.asker[port];
	const struct stream *s = first_sender(r, p);
	struct flow_ports flow;

	if (s == NULL || p->used.rxq == 0 || r->main_pool == NULL ||
		addr_ipv4_is_multicast(cfg->dst_ip))
		return;
	flow = txonly_flow(
		cfg, r->workers[s->worker].lcore, 0, r->plan.workers[s->worker].flows, 0);
	a->to = (struct peer_addr){
		.src_mac = p->mac,
		.dst_mac = p->dst_mac,
		.src_ip = cfg->src_ip,
		.dst_ip = cfg->dst_ip,
		.src_port = flow.src,
		.dst_port = flow.dst,
	};
	peer_sender_init(&a->s, instance, r->tag_run, p->id, now);
	a->on = true;
}

int
peers_init(struct run *r, struct err *e)
{
	const struct config *cfg = r->cfg;
	uint64_t instance = rte_rand() | 1, now = clock_mono_ns();

	run_snapshot(r, &r->peers.begin);
	if (cfg->no_control || cfg->no_tag)
		return 0;
	if (init_receiver(r, instance, e) != 0)
		return -1;
	if (!config_tagged(cfg))
		return 0;
	r->peers.asker = calloc(r->nb_ports, sizeof(*r->peers.asker));
	if (r->peers.asker == NULL)
		return err_set(e, EXIT_MACHINE, "no memory for what receivers say");
	for (unsigned i = 0; i < r->nb_ports; i++)
		init_asker(r, i, instance, now);
	return 0;
}

void
peers_fini(struct run *r)
{
	free(r->peers.asker);
	free(r->peers.receiver);
	free(r->peers.account);
	r->peers = (struct peers){0};
}

static void
count_sent(const struct run *r, uint16_t port, struct peer_sent *sent)
{
	sent->offered = sent->packets = sent->bytes = 0;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		struct stream_totals t;

		if (!r->streams[i].sends || r->streams[i].port != port)
			continue;
		stream_read(&r->streams[i], &t);
		sent->offered += t.tx_packets + t.tx_unsent;
		sent->packets += t.tx_packets;
		sent->bytes += t.tx_bytes;
	}
}

static void
ask(struct run *r, struct port *p, struct peers_asker *a, uint64_t now)
{
	const struct peers *peers = &r->peers;
	struct peer_msg question;
	struct rte_mbuf *m;
	uint8_t *frame;

	count_sent(r, p->id, &a->sent);
	a->sent.phase = peers->phase;
	a->sent.remaining_ns = peers->end_ns == UINT64_MAX ? PEER_NOT_KNOWN
			       : peers->end_ns > now       ? peers->end_ns - now
							   : 0;
	if (!peer_sender_ask(&a->s, now, &a->sent, &question))
		return;
	m = rte_pktmbuf_alloc(r->main_pool);
	if (m == NULL)
		return;
	frame = (uint8_t *)rte_pktmbuf_append(m, PEER_FRAME_LEN);
	if (frame == NULL) {
		rte_pktmbuf_free(m);
		return;
	}
	peer_write(frame, &a->to, &question);
	run_send(r, p, m);
}

void
peers_attend(struct run *r)
{
	uint64_t now = clock_mono_ns();

	if (r->peers.receiver != NULL)
		peer_receiver_look(r->peers.receiver, now);
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		if (r->peers.asker[i].on && !peer_sender_is_over(&r->peers.asker[i].s))
			ask(r, &r->ports[i], &r->peers.asker[i], now);
	}
}

static bool
take_answer(struct run *r, const struct peer_msg *msg, uint64_t now)
{
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		if (r->peers.asker[i].on && peer_sender_take(&r->peers.asker[i].s, now, msg))
			return true;
	}
	return false;
}

bool
peers_take(struct run *r, struct port *p, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	struct peers *peers = &r->peers;
	uint64_t now = clock_mono_ns();
	struct peer_addr from, back;
	struct peer_msg msg, answer;

	if (m->data_len < TAG_MIN_FRAME || !peer_is_meant(frame))
		return false;
	r->control.apart++;
	if (!peer_read(frame, m->data_len, &from, &msg)) {
		peers->malformed++;
	} else if (take_answer(r, &msg, now)) {
		/* Done. */
	} else if (peers->receiver == NULL || m->nb_segs != 1 || rte_mbuf_refcnt_read(m) != 1 ||
		   !peer_receiver_answer(peers->receiver, &from, &msg, now, &answer)) {
		peers->foreign++;
	} else {
		/* The answer takes the question's place, and is as long. */
		back = peer_addr_back(&from, p->mac);
		peer_write(frame, &back, &answer);
		m->data_len = PEER_FRAME_LEN;
		m->pkt_len = PEER_FRAME_LEN;
		run_send(r, p, m);
		return true;
	}
	rte_pktmbuf_free(m);
	return true;
}

static bool
all_askers(const struct run *r, bool (*are)(const struct peer_sender *s))
{
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		if (r->peers.asker[i].on && !are(&r->peers.asker[i].s))
			return false;
	}
	return true;
}

static bool
any_asker(const struct run *r)
{
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		if (r->peers.asker[i].on)
			return true;
	}
	return false;
}

/* A receiver has frames of a run of our number: with another one, from the beginning. */
static void
settle_clash(struct run *r)
{
	bool clash = false;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct peers_asker *a = &r->peers.asker[i];

		clash = clash || (a->on && a->s.state == PEER_REFUSED && a->s.status == PEER_CLASH);
	}
	if (!clash)
		return;
	run_set_tag_run(r, (uint8_t)(r->tag_run + 1 + rte_rand_max(255)));
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct peers_asker *a = &r->peers.asker[i];

		if (a->on)
			peer_sender_init(
				&a->s, a->s.instance, r->tag_run, a->s.port, clock_mono_ns());
	}
}

static uint64_t
later(uint64_t ns, uint64_t by)
{
	return by > UINT64_MAX - ns ? UINT64_MAX : ns + by;
}

static uint64_t
planned_end(const struct config *cfg)
{
	return cfg->duration_ns == 0
		       ? UINT64_MAX
		       : later(clock_mono_ns(), later(cfg->warmup_ns, cfg->duration_ns));
}

bool
peers_find(struct run *r)
{
	uint64_t end = clock_mono_ns() + FIND_NS;

	r->peers.end_ns = planned_end(r->cfg);
	if (!any_asker(r))
		return false;
	run_listen(r);
	do {
		run_attend(r);
		signals_sleep_ns(ROUND_NS);
		settle_clash(r);
	} while (
		!all_askers(r, peer_sender_is_settled) && clock_mono_ns() < end && !signals_stop());
	r->peers.end_ns = planned_end(r->cfg);
	return true;
}

void
peers_measure(struct run *r)
{
	r->peers.phase = PEER_MEASURE;
	r->peers.measure_ns = clock_mono_ns();
	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		struct peers_asker *a = &r->peers.asker[i];

		count_sent(r, r->ports[i].id, &a->sent);
		a->base_packets = a->sent.packets;
		a->base_bytes = a->sent.bytes;
	}
}

void
peers_stop(struct run *r)
{
	uint64_t now = clock_mono_ns();

	for (unsigned i = 0; r->peers.asker != NULL && i < r->nb_ports; i++) {
		struct peers_asker *a = &r->peers.asker[i];

		if (r->peers.measure_ns == 0)
			continue;
		count_sent(r, r->ports[i].id, &a->sent);
		a->sent.window_ns = now - r->peers.measure_ns;
		a->sent.window_packets = a->sent.packets - a->base_packets;
		a->sent.window_bytes = a->sent.bytes - a->base_bytes;
	}
}

void
peers_end(struct run *r)
{
	uint64_t now = clock_mono_ns(), end = now + LINGER_NS;
	const struct peer_receiver *receiver = r->peers.receiver;

	r->peers.phase = PEER_ENDED;
	for (;; now = clock_mono_ns()) {
		bool wanted = receiver != NULL && now < end &&
			      peer_receiver_is_wanted(receiver, now, signals_stop());

		run_attend(r);
		if (!wanted && all_askers(r, peer_sender_is_over))
			return;
		clock_sleep_ns(ROUND_NS);
	}
}

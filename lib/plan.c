/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan_node.h"

enum {
	TEXT = 96, /* of lists in messages */
};

int
plan_node_index(const struct topology *topo, int node)
{
	for (unsigned i = 0; i < topo->nb_nodes && node >= 0; i++) {
		if (topo->nodes[i].id == node)
			return (int)i;
	}
	return -1;
}

int
plan_neediest_node(const unsigned *demand, const unsigned *got, const bool *open, unsigned nb_nodes)
{
	int best = -1;

	for (unsigned n = 0; n < nb_nodes; n++) {
		if (open[n] && (best < 0 || (uint64_t)demand[n] * (got[best] + 1) >
						    (uint64_t)demand[best] * (got[n] + 1)))
			best = (int)n;
	}
	return best;
}

static uint16_t
min_u16(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

unsigned
plan_queues(const struct plan_in *in, const struct plan_port_in *port, enum plan_dir dir)
{
	if (dir == PLAN_TX)
		return port->tx ? min_u16(in->txq, port->max_txq) : 0;
	return port->rx ? min_u16(in->rxq, port->max_rxq) : 0;
}

uint32_t
plan_flows_of(uint32_t flows, unsigned q, unsigned k)
{
	return flows / q + (k < flows % q ? 1 : 0);
}

/* One direction of one port: how many queues of how many asked. */
static int
limit_queues(const struct plan_port_in *port, const char *name, bool works, bool given,
	uint16_t asked, uint16_t max, uint16_t *used, struct notes *notes, struct err *e)
{
	*used = min_u16(asked, max);
	if (works && asked == 0)
		return err_set_option(
			e, name, "port %u is to work with at least 1 such queue", port->port_id);
	if (works && max == 0)
		return err_set(e, EXIT_MACHINE,
			"port %u has no such queue (--%s): choose another forwarding mode for it",
			port->port_id, name);
	if (*used < asked && (works || given))
		notes_add(notes, "port %u: %s %u asked, %u used: the device's limit", port->port_id,
			name, asked, *used);
	return 0;
}

static int
plan_ports(const struct plan_in *in, struct plan *plan, struct notes *notes, struct err *e)
{
	for (unsigned i = 0; i < in->nb_ports; i++) {
		const struct plan_port_in *port = &in->ports[i];
		struct plan_port *p = &plan->ports[i];

		*p = (struct plan_port){
			.port_id = port->port_id,
			.node = port->node < 0 ? TOPOLOGY_NODE_UNKNOWN : port->node,
			.tx = port->tx,
			.rx = port->rx,
			.asked_txq = in->txq,
			.asked_rxq = in->rxq,
		};
		if (limit_queues(port, "txq", port->tx, in->txq_given, in->txq, port->max_txq,
			    &p->used_txq, notes, e) < 0 ||
			limit_queues(port, "rxq", port->rx, in->rxq_given, in->rxq, port->max_rxq,
				&p->used_rxq, notes, e) < 0)
			return -1;
		plan->nb_streams += plan_queues(in, port, PLAN_TX) + plan_queues(in, port, PLAN_RX);
	}
	return 0;
}

static void
list_streams(const struct plan_in *in, struct plan *plan)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < in->nb_ports; i++) {
		for (enum plan_dir dir = PLAN_TX; dir <= PLAN_RX; dir++) {
			unsigned queues = plan_queues(in, &in->ports[i], dir);

			for (unsigned q = 0; q < queues; q++)
				plan->streams[nb++] = (struct plan_stream){
					.port_id = in->ports[i].port_id,
					.port = i,
					.dir = dir,
					.queue = (uint16_t)q,
				};
		}
	}
}

/* Whether the user gave the number of queues of every direction in use, and it could be had. */
static bool
queues_as_given(const struct plan_in *in, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nb_ports; i++) {
		const struct plan_port *p = &plan->ports[i];

		if ((p->tx && (!in->txq_given || p->used_txq < p->asked_txq)) ||
			(p->rx && (!in->rxq_given || p->used_rxq < p->asked_rxq)))
			return false;
	}
	return true;
}

/* How many of the available workers are used. */
static int
count_workers(const struct plan_in *in, struct plan *plan, unsigned available, struct notes *notes,
	struct err *e)
{
	unsigned wanted = in->nb_cores > 0 ? in->nb_cores : available;

	if (in->lcores_given && in->nb_cores_given && in->nb_cores > available)
		return err_set_option(e, "nb-cores",
			"the lcores given leave %u worker%s besides main: give more lcores or ask "
			"for fewer cores",
			available, available == 1 ? "" : "s");
	if (wanted > plan->nb_streams) {
		if (in->nb_cores_given && in->nb_cores > 0 && queues_as_given(in, plan))
			return err_set_option(e, "nb-cores",
				"more than the %u queue%s to poll (--txq, --rxq), and a queue has "
				"one lcore only: ask for as many queues or fewer cores",
				plan->nb_streams, plan->nb_streams == 1 ? "" : "s");
		notes_add(notes, "%u lcores for %u queue%s: %u used, a queue has one lcore only",
			wanted, plan->nb_streams, plan->nb_streams == 1 ? "" : "s",
			plan->nb_streams);
		wanted = plan->nb_streams;
	}
	plan->nb_workers = wanted < available ? wanted : available;
	return 0;
}

static struct plan_worker
describe(const struct plan_in *in, const struct lcore *lcore)
{
	return (struct plan_worker){
		.lcore = lcore->id,
		.cpu = cpuset_count(&lcore->cpus) == 1 ? cpuset_next(&lcore->cpus, 0) : -1,
		.node = topology_node_of(in->topo, &lcore->cpus),
	};
}

/* Queues by index of the node, as far as ports tell theirs. */
static void
count_demand(const struct plan_in *in, const struct plan *plan, unsigned *demand)
{
	memset(demand, 0, TOPOLOGY_MAX_NODES * sizeof(*demand));
	for (unsigned s = 0; s < plan->nb_streams; s++) {
		int node = plan_node_index(in->topo, plan->ports[plan->streams[s].port].node);

		if (node >= 0)
			demand[node]++;
	}
}

/*
 * Takes nb_workers of the available ones: first those on nodes with queues, shared out by queues,
 * then the others. They keep the order of their ids.
 */
static void
take_workers(const struct plan_in *in, struct plan *plan, unsigned available)
{
	struct plan_worker *w = plan->workers;
	unsigned demand[TOPOLOGY_MAX_NODES], got[TOPOLOGY_MAX_NODES] = {0};
	unsigned taken = 0, kept = 0;

	count_demand(in, plan, demand);
	/* nb_tx serves as the mark until streams are spread. */
	while (taken < plan->nb_workers) {
		unsigned first[TOPOLOGY_MAX_NODES], pick = available;
		bool open[TOPOLOGY_MAX_NODES] = {0};
		int node;

		for (unsigned i = available; i-- > 0;) {
			if (w[i].nb_tx != 0)
				continue;
			pick = i;
			node = plan_node_index(in->topo, w[i].node);
			if (node >= 0 && got[node] < demand[node]) {
				first[node] = i;
				open[node] = true;
			}
		}
		node = plan_neediest_node(demand, got, open, in->topo->nb_nodes);
		if (node >= 0) {
			pick = first[node];
			got[node]++;
		}
		w[pick].nb_tx = 1;
		taken++;
	}
	for (unsigned i = 0; i < available; i++) {
		if (w[i].nb_tx != 0) {
			w[kept] = w[i];
			w[kept++].nb_tx = 0;
		}
	}
}

/*
 * How many streams each worker gets: all equally many to within one. Those with one more are on
 * nodes whose queues would otherwise leave the node.
 */
static void
share_out(const struct plan_in *in, const struct plan *plan, unsigned *quota)
{
	unsigned base = plan->nb_streams / plan->nb_workers;
	unsigned extra = plan->nb_streams % plan->nb_workers;
	unsigned rest[TOPOLOGY_MAX_NODES];

	count_demand(in, plan, rest);
	for (unsigned w = 0; w < plan->nb_workers; w++) {
		int node = plan_node_index(in->topo, plan->workers[w].node);

		quota[w] = base;
		if (node >= 0)
			rest[node] -= rest[node] < base ? rest[node] : base;
	}
	for (unsigned w = 0; w < plan->nb_workers && extra > 0; w++) {
		int node = plan_node_index(in->topo, plan->workers[w].node);

		if (node >= 0 && rest[node] > 0) {
			rest[node]--;
			quota[w]++;
			extra--;
		}
	}
	for (unsigned w = 0; w < plan->nb_workers && extra > 0; w++) {
		if (quota[w] == base) {
			quota[w]++;
			extra--;
		}
	}
}

/* Gives each stream its worker: own nodes first, then whoever has room. */
static void
spread(struct plan *plan, unsigned *quota)
{
	for (unsigned s = 0; s < plan->nb_streams; s++)
		plan->streams[s].worker = plan->nb_workers;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned s = 0; s < plan->nb_streams; s++) {
			struct plan_stream *stream = &plan->streams[s];
			int node = plan->ports[stream->port].node;

			if (stream->worker < plan->nb_workers)
				continue;
			for (unsigned w = 0; w < plan->nb_workers; w++) {
				if (quota[w] > 0 &&
					(pass == 1 ||
						(node >= 0 && plan->workers[w].node == node))) {
					stream->worker = w;
					quota[w]--;
					break;
				}
			}
		}
	}
}

static int
give_flows(const struct plan_in *in, struct plan *plan, struct notes *notes, struct err *e)
{
	plan->asked_flows = plan->used_flows = in->flows_per_core;
	for (unsigned s = 0; s < plan->nb_streams; s++) {
		struct plan_stream *stream = &plan->streams[s];
		struct plan_worker *worker = &plan->workers[stream->worker];
		int node = plan->ports[stream->port].node;

		stream->crossing = node >= 0 && worker->node >= 0 && node != worker->node;
		if (stream->dir == PLAN_TX)
			stream->tx_index = worker->nb_tx++;
		else
			worker->nb_rx++;
	}
	for (unsigned w = 0; w < plan->nb_workers; w++) {
		const struct plan_worker *worker = &plan->workers[w];

		if (worker->nb_tx <= plan->used_flows)
			continue;
		if (in->flows_given)
			return err_set_option(e, "flows-per-core",
				"lcore %u has %u TX queues and each needs a flow: ask for at least "
				"%u flows or fewer queues",
				worker->lcore, worker->nb_tx, worker->nb_tx);
		plan->used_flows = worker->nb_tx;
	}
	if (plan->used_flows > plan->asked_flows)
		notes_add(notes,
			"flows-per-core %u by default, %u used: one for each TX queue of "
			"an lcore",
			plan->asked_flows, plan->used_flows);
	for (unsigned w = 0; w < plan->nb_workers; w++)
		plan->workers[w].flows = plan->workers[w].nb_tx > 0 ? plan->used_flows : 0;
	for (unsigned s = 0; s < plan->nb_streams; s++) {
		struct plan_stream *stream = &plan->streams[s];

		if (stream->dir == PLAN_TX)
			stream->flows = plan_flows_of(plan->used_flows,
				plan->workers[stream->worker].nb_tx, stream->tx_index);
	}
	return 0;
}

/* Warns of one port's lcores on a foreign node, or on several when its own is not known. */
static void
warn_nodes(const struct plan *plan, unsigned port, struct notes *notes)
{
	const struct plan_port *p = &plan->ports[port];
	struct cpuset lcores[TOPOLOGY_MAX_NODES] = {0};
	struct cpuset nodes = {0};
	char text[TEXT];
	int node;

	for (unsigned s = 0; s < plan->nb_streams; s++) {
		const struct plan_worker *worker = &plan->workers[plan->streams[s].worker];

		if (plan->streams[s].port != port || worker->node < 0 ||
			worker->node >= TOPOLOGY_MAX_NODES)
			continue;
		cpuset_add(&lcores[worker->node], worker->lcore);
		cpuset_add(&nodes, (unsigned)worker->node);
	}
	if (p->node < 0 && cpuset_count(&nodes) > 1)
		notes_warn(notes,
			"port %u: its node is unknown and its lcores are on nodes %s: some of them "
			"may be across the socket interconnect, expect uneven speed; keep them on "
			"one node with -l",
			p->port_id, cpuset_format(&nodes, text, sizeof(text)));
	if (p->node < 0)
		return;
	CPUSET_FOREACH (node, &nodes) {
		if (node != p->node)
			notes_warn(notes,
				"lcore%s %s (node %d) for port %u (node %d): each frame then "
				"crosses the socket interconnect; expect tens of percent fewer "
				"packets",
				cpuset_count(&lcores[node]) == 1 ? "" : "s",
				cpuset_format(&lcores[node], text, sizeof(text)), node, p->port_id,
				p->node);
	}
}

static void
describe_main(const struct plan_in *in, const struct lcores *lcores, struct plan *plan)
{
	const struct lcore *lcore;
	struct plan_worker w;

	plan->main_lcore = lcores_main(lcores);
	lcore = lcores_find(lcores, (unsigned)plan->main_lcore);
	w = describe(in, lcore);
	plan->main_cpu = w.cpu;
	plan->main_node = w.node;
	for (unsigned i = 0; i < plan->nb_workers; i++) {
		const struct lcore *other = lcores_find(lcores, plan->workers[i].lcore);
		struct cpuset common = lcore->cpus;

		cpuset_and(&common, &other->cpus);
		if (!cpuset_empty(&common))
			plan->main_shares = true;
	}
}

int
plan_streams(const struct plan_in *in, const struct lcores *lcores, struct plan *plan,
	struct notes *notes, struct err *e)
{
	unsigned available = lcores->nb > 0 ? lcores->nb - 1 : 0;
	unsigned *quota, nb = 0;

	*plan = (struct plan){.nb_ports = in->nb_ports, .asked_cores = in->nb_cores};
	if (in->nb_ports == 0)
		return err_set(e, EXIT_MACHINE, "no port to work with");
	if (available == 0)
		return err_set(e, EXIT_USAGE,
			"need at least one worker lcore besides main, for example -l 0-1");
	plan->ports = calloc(in->nb_ports, sizeof(*plan->ports));
	if (plan->ports == NULL)
		goto short_of_memory;
	if (plan_ports(in, plan, notes, e) < 0)
		return -1;
	if (plan->nb_streams == 0)
		return err_set(e, EXIT_USAGE, "no port sends or receives: nothing to do");
	plan->streams = calloc(plan->nb_streams, sizeof(*plan->streams));
	plan->workers = calloc(available, sizeof(*plan->workers));
	if (plan->streams == NULL || plan->workers == NULL)
		goto short_of_memory;
	list_streams(in, plan);
	if (count_workers(in, plan, available, notes, e) < 0)
		return -1;
	for (unsigned i = 0; i < lcores->nb; i++) {
		if ((int)lcores->lcore[i].id != lcores_main(lcores))
			plan->workers[nb++] = describe(in, &lcores->lcore[i]);
	}
	take_workers(in, plan, nb);
	quota = calloc(plan->nb_workers, sizeof(*quota));
	if (quota == NULL)
		goto short_of_memory;
	share_out(in, plan, quota);
	spread(plan, quota);
	free(quota);
	describe_main(in, lcores, plan);
	if (give_flows(in, plan, notes, e) < 0)
		return -1;
	for (unsigned p = 0; p < plan->nb_ports; p++)
		warn_nodes(plan, p, notes);
	return 0;
short_of_memory:
	return err_set(e, EXIT_MACHINE, "out of memory for the plan");
}

void
plan_free(struct plan *plan)
{
	free(plan->workers);
	free(plan->ports);
	free(plan->streams);
	*plan = (struct plan){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <stdlib.h>

#include "plan_node.h"

enum {
	EAL_CPU_MAX = 1024, /* EAL keeps CPUs in a cpu_set_t */
	TEXT = 160,
};

/* The choice as it grows. */
struct choice {
	const struct topology *topo;
	int main_cpu;
	unsigned want, nb;
	struct cpuset busy_cores; /* by their first thread: a worker or main is on them */
	struct cpuset cpus;       /* of workers */
	uint16_t order[EAL_CPU_MAX];
	unsigned demand[TOPOLOGY_MAX_NODES]; /* queues by index of the node */
	unsigned got[TOPOLOGY_MAX_NODES];    /* workers by index of the node */
};

/*
 * Streams by node. Ports that do not tell their node count where the others are, or where most
 * CPUs are: workers together on one node at least share its memory and cache.
 */
static unsigned
add_demand(struct choice *c, const struct plan_in *in)
{
	unsigned cpus[TOPOLOGY_MAX_NODES] = {0};
	unsigned total = 0, unknown = 0, home = 0;
	bool known = false;

	for (unsigned i = 0; i < in->nb_ports; i++) {
		const struct plan_port_in *port = &in->ports[i];
		unsigned queues = plan_queues(in, port, PLAN_TX) + plan_queues(in, port, PLAN_RX);
		int node = plan_node_index(in->topo, port->node);

		total += queues;
		if (node < 0) {
			unknown += queues;
			continue;
		}
		c->demand[node] += queues;
		if (queues > 0 && (!known || (unsigned)node < home))
			home = (unsigned)node;
		known = known || queues > 0;
	}
	for (unsigned i = 0; i < in->topo->nb_cpus; i++) {
		int node = plan_node_index(in->topo, in->topo->cpus[i].node);

		if (node >= 0 && in->topo->cpus[i].allowed)
			cpus[node]++;
	}
	for (unsigned n = 1; n < in->topo->nb_nodes && !known; n++) {
		if (cpus[n] > cpus[home])
			home = n;
	}
	c->demand[home] += unknown;
	return total;
}

static int
choose_main(struct choice *c, const struct plan_in *in, struct err *e)
{
	const struct topology *topo = in->topo;
	struct cpuset usable = topology_usable(topo);
	char text[TEXT];

	if (cpuset_next(&usable, 0) < 0 || cpuset_next(&usable, 0) >= EAL_CPU_MAX)
		return err_set(e, EXIT_MACHINE,
			"no CPU may be used: the affinity or cgroup of this process excludes all "
			"CPUs from 0 to %d",
			EAL_CPU_MAX - 1);
	if (in->main_given) {
		if (in->main_lcore >= EAL_CPU_MAX || !cpuset_has(&usable, in->main_lcore))
			return err_set(e, EXIT_USAGE,
				"CPU %u is none this process may use: they are %s", in->main_lcore,
				cpuset_format(&usable, text, sizeof(text)));
		c->main_cpu = (int)in->main_lcore;
	} else {
		c->main_cpu = cpuset_next(&usable, 0);
		/* Not CPU 0 then: main may as well stay on a node where its ports are. */
		for (unsigned i = 0; i < topo->nb_cpus && c->main_cpu != 0; i++) {
			const struct topology_cpu *cpu = &topo->cpus[i];
			int node = plan_node_index(topo, cpu->node);

			if (cpu->allowed && cpu->cpu < EAL_CPU_MAX && node >= 0 &&
				c->demand[node] > 0) {
				c->main_cpu = cpu->cpu;
				break;
			}
		}
	}
	cpuset_add(&c->busy_cores, topology_find_cpu(topo, (unsigned)c->main_cpu)->first_thread);
	return 0;
}

/* What a round of the choice may take. */
struct round {
	bool own_node;  /* only where ports have queues, and no more than those */
	bool free_core; /* only cores without a worker or main */
	bool main_too;  /* main's own CPU as well */
};

static bool
fits(const struct choice *c, const struct topology_cpu *cpu, struct round round)
{
	return cpu->allowed && cpu->cpu < EAL_CPU_MAX && !cpuset_has(&c->cpus, cpu->cpu) &&
	       (!round.free_core || !cpuset_has(&c->busy_cores, cpu->first_thread)) &&
	       (round.main_too || cpu->cpu != c->main_cpu);
}

/* The next worker's CPU, on the node that has most queues for each worker. NULL: none is left. */
static const struct topology_cpu *
next_cpu(const struct choice *c, struct round round)
{
	const struct topology_cpu *first[TOPOLOGY_MAX_NODES] = {0};
	bool open[TOPOLOGY_MAX_NODES] = {0};
	int node;

	for (unsigned i = 0; i < c->topo->nb_cpus; i++) {
		const struct topology_cpu *cpu = &c->topo->cpus[i];

		if (!fits(c, cpu, round))
			continue;
		if (!round.own_node)
			return cpu;
		node = plan_node_index(c->topo, cpu->node);
		if (node >= 0 && first[node] == NULL && c->got[node] < c->demand[node]) {
			first[node] = cpu;
			open[node] = true;
		}
	}
	node = plan_neediest_node(c->demand, c->got, open, c->topo->nb_nodes);
	return node >= 0 ? first[node] : NULL;
}

static void
choose_workers(struct choice *c, bool stop_early)
{
	static const struct round rounds[] = {
		{.own_node = true, .free_core = true},
		{.own_node = true},
		{.free_core = true},
		{0},
		{.main_too = true},
	};

	for (size_t r = 0; r < sizeof(rounds) / sizeof(rounds[0]); r++) {
		const struct topology_cpu *cpu;

		while (c->nb < c->want && (cpu = next_cpu(c, rounds[r])) != NULL) {
			int node = plan_node_index(c->topo, cpu->node);

			c->order[c->nb++] = cpu->cpu;
			cpuset_add(&c->cpus, cpu->cpu);
			cpuset_add(&c->busy_cores, cpu->first_thread);
			if (node >= 0)
				c->got[node]++;
		}
		if (c->nb == c->want || (stop_early && c->nb > 0))
			return;
	}
}

static int
add_lcore(struct lcores *out, unsigned id, int cpu, struct err *e)
{
	struct cpuset one = {0};

	cpuset_add(&one, (unsigned)cpu);
	return lcores_add(out, id, &one, e);
}

static unsigned
free_id(const struct lcores *lcores, const struct cpuset *reserved)
{
	unsigned id = 0;

	while (lcores_find(lcores, id) != NULL || cpuset_has(reserved, id))
		id++;
	return id;
}

/* Ids are those of the CPUs where they can be, so that what is shown is easy to read. */
static int
number_lcores(const struct choice *c, unsigned max_lcore, struct lcores *out, struct notes *notes,
	struct err *e)
{
	struct cpuset reserved = {0}; /* ids that are some worker's CPU */
	unsigned id;

	for (unsigned i = 0; i < c->nb; i++) {
		if (c->order[i] < max_lcore)
			cpuset_add(&reserved, c->order[i]);
	}
	id = (unsigned)c->main_cpu < max_lcore ? (unsigned)c->main_cpu : free_id(out, &reserved);
	if (add_lcore(out, id, c->main_cpu, e) < 0)
		return -1;
	out->main_id = (int)id;
	if (id != (unsigned)c->main_cpu)
		notes_add(notes, "lcore %u is CPU %d (main): lcore ids end at %u in this DPDK", id,
			c->main_cpu, max_lcore - 1);
	for (unsigned i = 0; i < c->nb; i++) {
		int cpu = c->order[i];

		id = (unsigned)cpu;
		if (id >= max_lcore) {
			id = free_id(out, &reserved);
			notes_add(notes, "lcore %u is CPU %d: lcore ids end at %u in this DPDK", id,
				cpu, max_lcore - 1);
		} else if (lcores_find(out, id) != NULL) {
			id = free_id(out, &reserved);
			notes_add(notes,
				"lcore %u is CPU %d, which it shares with main: CPUs are "
				"short",
				id, cpu);
		}
		if (add_lcore(out, id, cpu, e) < 0)
			return -1;
	}
	return 0;
}

int
plan_choose_lcores(const struct plan_in *in, unsigned max_lcore, struct lcores *out,
	struct notes *notes, struct err *e)
{
	struct choice c = {.topo = in->topo};
	unsigned queues = add_demand(&c, in);
	bool all = in->nb_cores == 0;

	c.want = all || in->nb_cores > queues ? queues : in->nb_cores;
	if (c.want == 0)
		c.want = 1;
	/* One id is main's, and a worker on main's CPU needs an id of its own. */
	if (c.want > max_lcore - 1)
		c.want = max_lcore - 1;
	if (choose_main(&c, in, e) < 0)
		return -1;
	choose_workers(&c, all);
	if (!all && c.nb < in->nb_cores && c.nb < queues) {
		struct cpuset usable = topology_usable(in->topo);
		char text[TEXT];

		notes_add(notes,
			"nb-cores %u asked, %u used: this process may use CPUs %s, and "
			"this DPDK %u lcores",
			in->nb_cores, c.nb, cpuset_format(&usable, text, sizeof(text)), max_lcore);
	}
	if (number_lcores(&c, max_lcore, out, notes, e) < 0) {
		lcores_free(out);
		return -1;
	}
	return 0;
}

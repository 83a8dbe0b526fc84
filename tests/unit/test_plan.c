/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "memory.h"

enum {
	MAX_LCORE = 128,
};

static struct topology topo; /* large */

/* What a test works with; the first port sends unless the test says otherwise. */
struct fixture {
	struct plan_port_in ports[4];
	struct plan_in in;
	struct lcores lcores;
	struct plan plan;
	struct notes notes;
	struct err e;
};

static void
start(struct fixture *f, unsigned nb_ports, uint16_t queues)
{
	*f = (struct fixture){
		.in = {.topo = &topo,
			.ports = f->ports,
			.nb_ports = nb_ports,
			.txq = queues,
			.rxq = queues,
			.flows_per_core = 16},
		.lcores.main_id = -1,
	};
	for (unsigned i = 0; i < nb_ports; i++)
		f->ports[i] = (struct plan_port_in){
			.port_id = (uint16_t)i,
			.tx = true,
			.max_txq = PLAN_LIMIT_UNKNOWN,
			.max_rxq = PLAN_LIMIT_UNKNOWN,
		};
}

static void
finish(struct fixture *f)
{
	plan_free(&f->plan);
	lcores_free(&f->lcores);
}

static void
use_lcores(struct fixture *f, const char *text)
{
	lcores_free(&f->lcores);
	assert_int_equal(lcores_parse(&f->lcores, text, &f->e), 0);
	f->in.lcores_given = true;
}

static void
choose(struct fixture *f, const char *expected, int main_id)
{
	char *text;

	if (plan_choose_lcores(&f->in, MAX_LCORE, &f->lcores, &f->notes, &f->e) < 0)
		fail_msg("%s", f->e.msg);
	text = lcores_format(&f->lcores);
	assert_string_equal(text, expected);
	assert_int_equal(lcores_main(&f->lcores), main_id);
	free(text);
	lcores_free(&f->lcores);
}

static void
spread(struct fixture *f)
{
	if (plan_streams(&f->in, &f->lcores, &f->plan, &f->notes, &f->e) < 0)
		fail_msg("%s", f->e.msg);
}

static void
assert_refused(struct fixture *f, enum exit_status status, const char *part)
{
	assert_int_equal(plan_streams(&f->in, &f->lcores, &f->plan, &f->notes, &f->e), -1);
	assert_int_equal(f->e.status, status);
	if (strstr(f->e.msg, part) == NULL)
		fail_msg("'%s' lacks '%s'", f->e.msg, part);
	plan_free(&f->plan);
}

static void
assert_note(const struct fixture *f, unsigned at, bool warning, const char *text)
{
	assert_true(at < f->notes.nb);
	assert_string_equal(f->notes.note[at].text, text);
	assert_int_equal(f->notes.note[at].warning, warning);
}

/* The lcore of each stream as one text: "1 1 2". */
static void
assert_owners(const struct plan *plan, const char *expected)
{
	char text[512] = "";
	size_t used = 0;

	for (unsigned s = 0; s < plan->nb_streams; s++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", s > 0 ? " " : "",
			plan->workers[plan->streams[s].worker].lcore);
	assert_string_equal(text, expected);
}

static void
test_flows_of_a_queue(void **state)
{
	(void)state;
	assert_int_equal(plan_flows_of(16, 6, 0), 3);
	assert_int_equal(plan_flows_of(16, 6, 3), 3);
	assert_int_equal(plan_flows_of(16, 6, 4), 2);
	assert_int_equal(plan_flows_of(16, 16, 15), 1);
	assert_int_equal(plan_flows_of(16, 1, 0), 16);
	assert_int_equal(plan_flows_of(65536, 7, 1), 9363);
	for (unsigned q = 1; q <= 64; q++) {
		for (unsigned f = q; f < 200; f++) {
			unsigned sum = 0;

			for (unsigned k = 0; k < q; k++)
				sum += plan_flows_of(f, q, k);
			assert_int_equal(sum, f);
		}
	}
}

static void
test_choose_one_queue(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, 1);
	choose(&f, "0-1", 0);
	assert_int_equal(f.notes.nb, 0);
	finish(&f);
}

static void
test_choose_on_the_ports_node(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 2);
	start(&f, 1, 16);
	f.ports[0].node = 1;
	/* Without a number: the four cores of node 1, and no siblings. */
	choose(&f, "0,4-7", 0);
	f.in.nb_cores = 2;
	choose(&f, "0,4-5", 0);
	/* Then their siblings, then node 0 without main's core, its siblings, main's CPU. */
	f.in.nb_cores = 6;
	choose(&f, "0,4-7,12-13", 0);
	f.in.nb_cores = 10;
	choose(&f, "0-2,4-7,12-15", 0);
	f.in.nb_cores = 15;
	choose(&f, "0-15", 0);
	assert_int_equal(f.notes.nb, 0);
	f.in.nb_cores = 16;
	choose(&f, "0-15,16@0", 0);
	assert_note(&f, 0, false, "lcore 16 is CPU 0, which it shares with main: CPUs are short");
	finish(&f);
}

static void
test_choose_in_proportion_to_queues(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 8, 1);
	start(&f, 2, 4);
	f.ports[0].node = 0;
	f.ports[1].node = 1;
	f.in.nb_cores = 4;
	choose(&f, "0-2,8-9", 0);
	/* No more workers on a node than queues, whatever is free there. */
	f.in.txq = 2;
	f.in.nb_cores = 0;
	choose(&f, "0-2,8-9", 0);
	f.ports[1].rx = true;
	choose(&f, "0-2,8-13", 0);
	finish(&f);
}

static void
test_choose_on_a_small_machine(void **state)
{
	struct fixture f;

	(void)state;
	/* One core with two threads: the sibling of main's thread is better than its own. */
	machine_make(&topo, 1, 1, 2);
	start(&f, 1, 4);
	choose(&f, "0-1", 0);
	assert_int_equal(f.notes.nb, 0);
	machine_make(&topo, 1, 1, 1);
	choose(&f, "0,1@0", 0);
	assert_note(&f, 0, false, "lcore 1 is CPU 0, which it shares with main: CPUs are short");
	finish(&f);
}

static void
test_choose_clamps_to_the_machine(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, 48);
	f.in.nb_cores = 16;
	f.in.nb_cores_given = f.in.txq_given = true;
	assert_int_equal(plan_choose_lcores(&f.in, MAX_LCORE, &f.lcores, &f.notes, &f.e), 0);
	assert_note(&f, 0, false,
		"nb-cores 16 asked, 2 used: this process may use CPUs 0-1, and this DPDK 128 "
		"lcores");
	assert_note(&f, 1, false, "lcore 2 is CPU 0, which it shares with main: CPUs are short");
	spread(&f);
	assert_int_equal(f.plan.asked_cores, 16);
	assert_int_equal(f.plan.nb_workers, 2);
	assert_true(f.plan.main_shares);
	assert_int_equal(f.plan.workers[0].nb_tx, 24);
	finish(&f);
}

static void
test_E6_choose_only_what_is_allowed(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 16);
	f.ports[0].node = 1;
	machine_allow(&topo, "2,5-6");
	/* Main on the port's node, as CPU 0 is closed anyway. */
	choose(&f, "5-6", 5);
	f.in.nb_cores = 2;
	choose(&f, "2,5-6", 5);
	/* Nothing at all on the port's node. */
	machine_allow(&topo, "1-2");
	f.in.nb_cores = 0;
	choose(&f, "1-2", 1);
	machine_allow(&topo, "");
	assert_int_equal(plan_choose_lcores(&f.in, MAX_LCORE, &f.lcores, &f.notes, &f.e), -1);
	assert_int_equal(f.e.status, EXIT_MACHINE);
	finish(&f);
}

static void
test_choose_with_main_given(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 4, 1);
	start(&f, 1, 16);
	f.in.main_given = true;
	f.in.main_lcore = 2;
	choose(&f, "0-3", 2);
	f.in.main_lcore = 9;
	assert_int_equal(plan_choose_lcores(&f.in, MAX_LCORE, &f.lcores, &f.notes, &f.e), -1);
	assert_int_equal(f.e.status, EXIT_USAGE);
	assert_non_null(strstr(f.e.msg, "they are 0-3"));
	finish(&f);
}

static void
test_E2_choose_above_the_lcore_limit(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 96, 1);
	start(&f, 1, 3);
	f.ports[0].node = 1;
	machine_allow(&topo, "0,127-191");
	choose(&f, "0,1@128,2@129,127", 0);
	assert_note(&f, 0, false, "lcore 1 is CPU 128: lcore ids end at 127 in this DPDK");
	assert_note(&f, 1, false, "lcore 2 is CPU 129: lcore ids end at 127 in this DPDK");
	/* As many workers as ids are left after main's. */
	machine_allow(&topo, "0-191");
	f.in.txq = 1000;
	f.in.nb_cores = 180;
	assert_int_equal(plan_choose_lcores(&f.in, MAX_LCORE, &f.lcores, &f.notes, &f.e), 0);
	assert_int_equal(f.lcores.nb, 128);
	assert_int_equal(f.lcores.lcore[127].id, 127);
	finish(&f);
}

static void
test_E5_choose_keeps_to_one_node(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 3);
	f.ports[0].node = TOPOLOGY_NODE_UNKNOWN;
	machine_allow(&topo, "0-1,4-7");
	/* Most CPUs are on node 1. */
	choose(&f, "0,4-6", 0);
	machine_allow(&topo, "0-7");
	choose(&f, "0-3", 0);
	finish(&f);
}

static void
test_blocks_of_queues(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 4, 1);
	start(&f, 1, 16);
	use_lcores(&f, "0-3");
	spread(&f);
	assert_owners(&f.plan, "1 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3");
	assert_int_equal(f.plan.nb_workers, 3);
	assert_int_equal(f.plan.main_lcore, 0);
	assert_int_equal(f.plan.main_cpu, 0);
	assert_false(f.plan.main_shares);
	assert_int_equal(f.plan.workers[0].nb_tx, 6);
	assert_int_equal(f.plan.workers[0].flows, 16);
	assert_int_equal(f.plan.streams[5].tx_index, 5);
	assert_int_equal(f.plan.streams[5].flows, 2);
	assert_int_equal(f.plan.streams[6].tx_index, 0);
	assert_int_equal(f.plan.streams[6].flows, 4);
	assert_int_equal(f.plan.streams[15].queue, 15);
	assert_int_equal(f.notes.nb, 0);
	finish(&f);
}

static void
test_streams_are_ordered(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 4, 1);
	start(&f, 2, 2);
	f.ports[0].port_id = 5;
	f.ports[0].rx = true;
	f.ports[1].port_id = 7;
	f.ports[1].tx = false;
	f.ports[1].rx = true;
	f.in.rxq = 3;
	use_lcores(&f, "0-2");
	spread(&f);
	assert_int_equal(f.plan.nb_streams, 8);
	assert_int_equal(f.plan.streams[0].dir, PLAN_TX);
	assert_int_equal(f.plan.streams[2].dir, PLAN_RX);
	assert_int_equal(f.plan.streams[2].port_id, 5);
	assert_int_equal(f.plan.streams[2].queue, 0);
	assert_int_equal(f.plan.streams[5].port_id, 7);
	assert_int_equal(f.plan.streams[5].port, 1);
	assert_int_equal(f.plan.streams[5].flows, 0);
	assert_owners(&f.plan, "1 1 1 1 2 2 2 2");
	assert_int_equal(f.plan.workers[0].nb_tx, 2);
	assert_int_equal(f.plan.workers[0].nb_rx, 2);
	assert_int_equal(f.plan.workers[1].flows, 0);
	finish(&f);
}

static void
test_each_queue_has_one_owner(void **state)
{
	(void)state;
	machine_make(&topo, 2, 16, 1);
	for (uint16_t queues = 1; queues <= 20; queues++) {
		for (unsigned cores = 1; cores <= 31; cores++) {
			struct fixture f;
			unsigned most = 0, least = UINT32_MAX, sum = 0;

			start(&f, 3, queues);
			f.ports[1].node = 1;
			f.ports[2].node = TOPOLOGY_NODE_UNKNOWN;
			f.in.nb_cores = cores;
			use_lcores(&f, "0-31");
			spread(&f);
			for (unsigned w = 0; w < f.plan.nb_workers; w++) {
				unsigned nb = f.plan.workers[w].nb_tx;

				most = nb > most ? nb : most;
				least = nb < least ? nb : least;
				sum += nb;
			}
			assert_int_equal(sum, 3 * queues);
			assert_true(least >= 1 && most - least <= 1);
			assert_true(f.plan.nb_workers == cores ||
				    f.plan.nb_workers == f.plan.nb_streams);
			finish(&f);
		}
	}
}

static void
test_queues_stay_on_their_node(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 2, 4);
	f.ports[0].node = 1;
	f.ports[1].node = 0;
	use_lcores(&f, "0-2,4-5");
	spread(&f);
	assert_owners(&f.plan, "4 4 5 5 1 1 2 2");
	assert_int_equal(f.notes.nb, 0);
	/* The one queue more goes where it is at home. */
	plan_free(&f.plan);
	f.ports[0].max_txq = 5;
	f.in.txq = 5;
	f.ports[1].max_txq = 4;
	spread(&f);
	assert_owners(&f.plan, "4 4 4 5 5 1 1 2 2");
	assert_int_equal(f.notes.nb, 1);
	finish(&f);
}

static void
test_fewer_cores_than_given_lcores(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 8);
	f.ports[0].node = 1;
	f.in.nb_cores = 2;
	f.in.nb_cores_given = true;
	use_lcores(&f, "0-7");
	spread(&f);
	/* Not the first two, which are on the other node. */
	assert_owners(&f.plan, "4 4 4 4 5 5 5 5");
	finish(&f);
	start(&f, 1, 8);
	f.in.nb_cores = 8;
	f.in.nb_cores_given = true;
	use_lcores(&f, "0-7");
	assert_refused(&f, EXIT_USAGE, "the lcores given leave 7 workers besides main");
	assert_string_equal(f.e.option, "nb-cores");
	finish(&f);
}

static void
test_crossing_is_named_with_its_cost(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 4);
	f.ports[0].node = 0;
	use_lcores(&f, "0-1,4-5");
	spread(&f);
	assert_owners(&f.plan, "1 1 4 5");
	assert_false(f.plan.streams[1].crossing);
	assert_true(f.plan.streams[2].crossing);
	assert_int_equal(f.notes.nb, 1);
	assert_note(&f, 0, true,
		"lcores 4-5 (node 1) for port 0 (node 0): each frame then crosses the socket "
		"interconnect; expect tens of percent fewer packets");
	finish(&f);
}

static void
test_E5_unknown_node_claims_no_crossing(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 4);
	f.ports[0].node = TOPOLOGY_NODE_UNKNOWN;
	use_lcores(&f, "0,4-5");
	spread(&f);
	assert_int_equal(f.plan.ports[0].node, TOPOLOGY_NODE_UNKNOWN);
	assert_false(f.plan.streams[0].crossing);
	assert_int_equal(f.notes.nb, 0);
	plan_free(&f.plan);
	/* Lcores on both nodes are worth a warning. */
	use_lcores(&f, "0-1,4-5");
	spread(&f);
	assert_int_equal(f.notes.nb, 1);
	assert_true(f.notes.note[0].warning);
	assert_non_null(strstr(f.notes.note[0].text,
		"port 0: its node is unknown and its lcores are on nodes 0-1"));
	assert_false(f.plan.streams[2].crossing);
	finish(&f);
}

static void
test_E4_more_cores_than_queues(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 8, 1);
	start(&f, 1, 1);
	use_lcores(&f, "0-2");
	/* Lcores listed, or one number by default: capped. */
	spread(&f);
	assert_int_equal(f.plan.nb_workers, 1);
	assert_owners(&f.plan, "1");
	assert_note(&f, 0, false, "2 lcores for 1 queue: 1 used, a queue has one lcore only");
	plan_free(&f.plan);
	f.in.nb_cores = 2;
	f.in.nb_cores_given = true;
	spread(&f);
	assert_int_equal(f.plan.nb_workers, 1);
	plan_free(&f.plan);
	/* Both numbers given: a contradiction. */
	f.in.txq_given = true;
	assert_refused(&f, EXIT_USAGE, "more than the 1 queue to poll (--txq, --rxq), and");
	assert_string_equal(f.e.option, "nb-cores");
	/* The other direction's number is not the one that matters. */
	f.in.txq_given = false;
	f.in.rxq_given = true;
	spread(&f);
	finish(&f);
}

static void
test_F2_device_with_one_queue(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 8, 1);
	start(&f, 1, 4);
	f.in.nb_cores = 4;
	f.in.nb_cores_given = f.in.txq_given = f.in.rxq_given = true;
	f.ports[0].max_txq = f.ports[0].max_rxq = 1;
	use_lcores(&f, "0-4");
	spread(&f);
	assert_int_equal(f.plan.ports[0].asked_txq, 4);
	assert_int_equal(f.plan.ports[0].used_txq, 1);
	assert_int_equal(f.plan.ports[0].used_rxq, 1);
	assert_int_equal(f.plan.nb_workers, 1);
	assert_note(&f, 0, false, "port 0: txq 4 asked, 1 used: the device's limit");
	assert_note(&f, 1, false, "port 0: rxq 4 asked, 1 used: the device's limit");
	assert_note(&f, 2, false, "4 lcores for 1 queue: 1 used, a queue has one lcore only");
	finish(&f);
}

static void
test_F2_48_queues_on_a_device_with_16(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 17, 1);
	start(&f, 1, 48);
	f.in.nb_cores = 16;
	f.in.nb_cores_given = f.in.txq_given = true;
	f.ports[0].max_txq = 16;
	use_lcores(&f, "0-16");
	spread(&f);
	assert_int_equal(f.plan.nb_workers, 16);
	assert_int_equal(f.notes.nb, 1);
	assert_note(&f, 0, false, "port 0: txq 48 asked, 16 used: the device's limit");
	finish(&f);
}

static void
test_F2_no_queue_of_a_direction(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, 1);
	f.ports[0].max_rxq = 0;
	use_lcores(&f, "0-1");
	/* Not needed, not asked for: no word about it. */
	spread(&f);
	assert_int_equal(f.plan.ports[0].used_rxq, 0);
	assert_int_equal(f.notes.nb, 0);
	plan_free(&f.plan);
	f.ports[0].max_txq = 0;
	assert_refused(&f, EXIT_MACHINE, "port 0 has no such queue (--txq)");
	f.ports[0].max_txq = 1;
	f.in.txq = 0;
	assert_refused(&f, EXIT_USAGE, "port 0 is to work with at least 1 such queue");
	finish(&f);
}

static void
test_E1_no_worker(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, 1);
	use_lcores(&f, "0");
	assert_refused(&f, EXIT_USAGE, "need at least one worker lcore besides main");
	finish(&f);
}

static void
test_nothing_to_do(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 0, 1);
	use_lcores(&f, "0-1");
	assert_refused(&f, EXIT_MACHINE, "no port");
	f.in.nb_ports = 1;
	assert_refused(&f, EXIT_USAGE, "no port sends or receives");
	finish(&f);
}

static void
test_flows_for_every_queue(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, 48);
	use_lcores(&f, "0-1");
	spread(&f);
	assert_int_equal(f.plan.asked_flows, 16);
	assert_int_equal(f.plan.used_flows, 48);
	assert_int_equal(f.plan.workers[0].flows, 48);
	assert_int_equal(f.plan.streams[47].flows, 1);
	assert_note(&f, 0, false,
		"flows-per-core 16 by default, 48 used: one for each TX queue of an lcore");
	plan_free(&f.plan);
	f.in.flows_given = true;
	assert_refused(&f, EXIT_USAGE, "lcore 1 has 48 TX queues and each needs a flow");
	assert_string_equal(f.e.option, "flows-per-core");
	/* Receiving needs no flows. */
	f.ports[0].tx = false;
	f.ports[0].rx = true;
	spread(&f);
	assert_int_equal(f.plan.workers[0].flows, 0);
	finish(&f);
}

static void
test_lcore_ids_up_to_1023(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 1024, 1);
	start(&f, 1, 1023);
	use_lcores(&f, "0-1023");
	spread(&f);
	assert_int_equal(f.plan.nb_workers, 1023);
	assert_int_equal(f.plan.workers[1022].lcore, 1023);
	assert_int_equal(f.plan.workers[1022].cpu, 1023);
	assert_int_equal(f.plan.streams[1022].worker, 1022);
	finish(&f);
}

static void
test_floating_lcores(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 1, 3);
	use_lcores(&f, "0@(0,1),1@(1-2),2@(3-4),3");
	spread(&f);
	assert_int_equal(f.plan.main_cpu, -1);
	assert_true(f.plan.main_shares);
	assert_int_equal(f.plan.workers[0].cpu, -1);
	assert_int_equal(f.plan.workers[0].node, 0);
	assert_int_equal(f.plan.workers[1].node, TOPOLOGY_NODE_UNKNOWN);
	/* Own node first: lcores 1 and 3; the floating one gets the rest, without a claim. */
	assert_owners(&f.plan, "1 3 2");
	assert_false(f.plan.streams[2].crossing);
	finish(&f);
}

static void
test_E5_print(void **state)
{
	struct fixture f;
	struct memory_need need = {
		.nb_nodes = 2,
		.node = {{.id = 0,
				 .bytes = 70 << 20,
				 .page_kb = 2048,
				 .pages = 36,
				 .free_pages = 768},
			{.id = 1}},
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	machine_make(&topo, 2, 4, 1);
	start(&f, 2, 6);
	f.ports[0].node = TOPOLOGY_NODE_UNKNOWN;
	f.ports[0].max_txq = 4;
	f.ports[1].node = 1;
	f.ports[1].tx = false;
	f.ports[1].rx = true;
	use_lcores(&f, "0-2,4");
	spread(&f);
	plan_print(out, &f.plan, &need, &f.notes);
	fclose(out);
	assert_string_equal(text,
		"Lcores\n"
		"  main    lcore    0  CPU 0        node 0\n"
		"  worker  lcore    1  CPU 1        node 0, 16 flows (6 or 5 a queue)\n"
		"          port  0 tx queues 0-2\n"
		"  worker  lcore    2  CPU 2        node 0, 16 flows\n"
		"          port  0 tx queues 3\n"
		"          port  1 rx queues 4-5  (on another node)\n"
		"  worker  lcore    4  CPU 4        node 1\n"
		"          port  1 rx queues 0-3\n"
		"Ports\n"
		"  port  0  node unknown  txq 4 of 6 asked  rxq 6 (not polled)\n"
		"  port  1  node 1        txq 6 (not polled)  rxq 6\n"
		"Memory\n"
		"  node 0       71 MB: 36 pages of 2048 kB, 768 free\n"
		"Note: port 0: txq 6 asked, 4 used: the device's limit\n"
		"Warning: lcore 2 (node 0) for port 1 (node 1): each frame then crosses the\n"
		"         socket interconnect; expect tens of percent fewer packets\n");
	free(text);
	finish(&f);
}

static void
test_print_stays_below_80_columns(void **state)
{
	struct fixture f;
	char *text = NULL, *line, *save = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	machine_make(&topo, 2, 512, 1);
	start(&f, 4, 1000);
	for (unsigned p = 0; p < 4; p++) {
		f.ports[p].rx = true;
		f.ports[p].port_id = (uint16_t)(28 + p);
		f.ports[p].node = (int)p - 1;
		f.ports[p].max_txq = (uint16_t)(900 + p);
	}
	use_lcores(&f, "0-1023");
	spread(&f);
	plan_print(out, &f.plan, NULL, &f.notes);
	fclose(out);
	for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) >= 80)
			fail_msg("%zu columns: %s", strlen(line), line);
		if (line[strlen(line) - 1] == ' ')
			fail_msg("a blank at the end of '%s'", line);
	}
	free(text);
	finish(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flows_of_a_queue),
		cmocka_unit_test(test_choose_one_queue),
		cmocka_unit_test(test_choose_on_the_ports_node),
		cmocka_unit_test(test_choose_in_proportion_to_queues),
		cmocka_unit_test(test_choose_on_a_small_machine),
		cmocka_unit_test(test_choose_clamps_to_the_machine),
		cmocka_unit_test(test_E6_choose_only_what_is_allowed),
		cmocka_unit_test(test_choose_with_main_given),
		cmocka_unit_test(test_E2_choose_above_the_lcore_limit),
		cmocka_unit_test(test_E5_choose_keeps_to_one_node),
		cmocka_unit_test(test_blocks_of_queues),
		cmocka_unit_test(test_streams_are_ordered),
		cmocka_unit_test(test_each_queue_has_one_owner),
		cmocka_unit_test(test_queues_stay_on_their_node),
		cmocka_unit_test(test_fewer_cores_than_given_lcores),
		cmocka_unit_test(test_crossing_is_named_with_its_cost),
		cmocka_unit_test(test_E5_unknown_node_claims_no_crossing),
		cmocka_unit_test(test_E4_more_cores_than_queues),
		cmocka_unit_test(test_F2_device_with_one_queue),
		cmocka_unit_test(test_F2_48_queues_on_a_device_with_16),
		cmocka_unit_test(test_F2_no_queue_of_a_direction),
		cmocka_unit_test(test_E1_no_worker),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_flows_for_every_queue),
		cmocka_unit_test(test_lcore_ids_up_to_1023),
		cmocka_unit_test(test_floating_lcores),
		cmocka_unit_test(test_E5_print),
		cmocka_unit_test(test_print_stays_below_80_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

static struct topology topo; /* large */

static void
assert_has(const struct err *e, enum exit_status status, const char *part)
{
	assert_int_equal(e->status, status);
	if (strstr(e->msg, part) == NULL)
		fail_msg("'%s' lacks '%s'", e->msg, part);
}

static void
test_pool_holds_all_that_can_hold_mbufs(void **state)
{
	static const struct {
		struct memory_pool_in in;
		uint32_t mbufs;
	} rows[] = {
		/* descriptors + 1.5 caches x (1 + holders) + 2 bursts for each queue */
		{{.descriptors = 1024, .queues = 1, .peers = 1, .cache = 250, .burst = 32}, 1838},
		{{.descriptors = 1024, .queues = 1, .peers = 7, .cache = 250, .burst = 32}, 1838},
		{{.descriptors = 16384, .queues = 16, .peers = 3, .cache = 256, .burst = 64},
			19968},
		{{.descriptors = 128, .queues = 1, .peers = 0, .cache = 0, .burst = 32}, 192},
		/* An odd cache's half rounds up. */
		{{.descriptors = 128, .queues = 1, .peers = 0, .cache = 3, .burst = 1}, 135},
		{{.descriptors = 256, .queues = 0, .peers = 4, .cache = 0, .burst = 32}, 320},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct memory_pool pool;
		struct err e;

		assert_int_equal(memory_pool_size(&rows[i].in, &pool, &e), 0);
		assert_int_equal(pool.mbufs, rows[i].mbufs);
		assert_int_equal(pool.minimum, rows[i].mbufs);
		assert_int_equal(pool.cache, rows[i].in.cache);
		/* What mempools demand. */
		assert_true(pool.cache * 3 <= pool.mbufs * 2);
	}
}

static void
test_pool_of_the_users_size(void **state)
{
	struct memory_pool_in in = {
		.descriptors = 1024, .queues = 1, .peers = 1, .cache = 250, .burst = 32};
	struct memory_pool pool;
	struct err e = {0};

	(void)state;
	in.asked = 1838;
	assert_int_equal(memory_pool_size(&in, &pool, &e), 0);
	assert_int_equal(pool.mbufs, 1838);
	in.asked = 16384;
	assert_int_equal(memory_pool_size(&in, &pool, &e), 0);
	assert_int_equal(pool.mbufs, 16384);
	assert_int_equal(pool.minimum, 1838);
	in.asked = 1837;
	assert_int_equal(memory_pool_size(&in, &pool, &e), -1);
	assert_has(&e, EXIT_USAGE,
		"too few: a pool needs at least 1838 here (1024 "
		"descriptors, 750 in caches of 250, 64 in bursts)");
}

static void
test_pool_limits(void **state)
{
	struct memory_pool_in in = {.descriptors = 128, .queues = 1, .cache = 512, .burst = 32};
	struct memory_pool pool;
	struct err e = {0};

	(void)state;
	assert_int_equal(memory_pool_size(&in, &pool, &e), 0);
	in.cache = 513;
	assert_int_equal(memory_pool_size(&in, &pool, &e), -1);
	assert_has(&e, EXIT_USAGE, "valid are 0 to 512");
	assert_string_equal(e.option, "mbcache");
	in.cache = 0;
	in.descriptors = UINT32_MAX;
	assert_int_equal(memory_pool_size(&in, &pool, &e), -1);
	assert_has(&e, EXIT_USAGE, "too many for one pool");
}

static void
test_mbuf_size(void **state)
{
	static const struct {
		uint32_t asked, frame, size; /* size 0: refused */
	} rows[] = {
		{0, 60, 2176},
		{0, 1514, 2176},
		{0, 2048, 2176},
		{0, 2049, 2240},
		{0, 9014, 9152},
		{0, 65407, 65535},
		{0, 65408, 0},
		{2048, 1514, 2048},
		{2048, 1920, 2048},
		{2048, 1921, 0},
		{188, 60, 188},
		{187, 60, 0},
		{65535, 60, 65535},
		{65536, 60, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t size = 0;
		struct err e = {0};
		int ret = memory_mbuf_size(rows[i].asked, rows[i].frame, 0, &size, &e);

		assert_int_equal(ret, rows[i].size != 0 ? 0 : -1);
		assert_int_equal(size, rows[i].size);
		if (ret < 0)
			assert_int_equal(e.status, EXIT_USAGE);
	}
}

/* Messages speak of the frame's own length, whatever is kept free behind it. */
static void
test_G3_frame_too_long_for_an_mbuf(void **state)
{
	uint32_t size = 0;
	struct err e = {0};

	(void)state;
	assert_int_equal(memory_mbuf_size(0, 65279, 128, &size, &e), 0);
	assert_int_equal(size, 65535);
	assert_int_equal(memory_mbuf_size(0, 65280, 128, &size, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_null(e.option);
	assert_string_equal(e.msg,
		"a frame or segment of 65280 bytes fits no mbuf: the limit is 65279 (65535 less "
		"128 of headroom and 128 after the frame)");
	assert_int_equal(memory_mbuf_size(0, 65535, 0, &size, &e), -1);
	assert_string_equal(e.msg,
		"a frame or segment of 65535 bytes fits no mbuf: the limit is 65407 (65535 less "
		"128 of headroom)");
	assert_int_equal(memory_mbuf_size(1686, 1430, 128, &size, &e), 0);
	assert_int_equal(memory_mbuf_size(1685, 1430, 128, &size, &e), -1);
	assert_string_equal(e.option, "mbuf-size");
	assert_string_equal(e.msg,
		"a frame or segment of 1430 bytes needs 1686, with 128 of headroom and 128 after "
		"the frame; valid are 1686 to 65535");
}

/* As DPDK 22.11 lays them out. */
static void
test_object_size(void **state)
{
	(void)state;
	assert_int_equal(memory_obj_bytes(2176, 0), 2368);
	assert_int_equal(memory_obj_bytes(1152, 0), 1344);
	assert_int_equal(memory_obj_bytes(9128, 0), 9408);
	assert_int_equal(memory_obj_bytes(9184, 0), 9408);
	assert_int_equal(memory_obj_bytes(2240, 0), 2496);
	assert_int_equal(memory_obj_bytes(1664, 0), 1856);
	assert_int_equal(memory_obj_bytes(2240, 1), 2432);
	assert_int_equal(memory_obj_bytes(2240, 4), 2496);
	/* 39 lines share a divisor with 3 channels, 40 don't. */
	assert_int_equal(memory_obj_bytes(2304, 3), 2560);
}

static void
test_pool_bytes(void **state)
{
	struct memory_pool pool = {.mbufs = 16384, .cache = 250};
	uint64_t bytes;

	(void)state;
	/* 885 objects on each 2 MB page; 39,209 kB were measured. */
	bytes = memory_pool_bytes(&pool, 2368, 2048, 128);
	assert_int_equal(bytes, 18ULL * 2097152 + 454 * 2368 + 32768 * 8 + 8192 + 128 * 8320);
	assert_in_range(bytes / 1024, 39209, 39209 + 100);
	/* With ordinary pages each object has its own; 66,826 kB were measured. */
	bytes = memory_pool_bytes(&pool, 2368, 4, 128);
	assert_in_range(bytes / 1024, 66826, 66826 + 100);
	/* Larger objects than pages take several. */
	bytes = memory_pool_bytes(&pool, 9408, 4, 128);
	assert_int_equal(bytes, 16384ULL * 12288 + 32768 * 8 + 8192 + 128 * 8320);
	pool.cache = 0;
	pool.mbufs = 1023;
	assert_int_equal(
		memory_pool_bytes(&pool, 2368, 2048, 128), 2097152 + 138 * 2368 + 1024 * 8 + 8192);
}

/* A plan of one port for each given node, all its queues on one worker of the same node. */
struct fixture {
	struct plan_port ports[4];
	struct plan_worker workers[4];
	struct plan_stream streams[64];
	struct plan plan;
	struct memory_in in;
	struct memory_need need;
	struct err e;
};

static void
start(struct fixture *f, unsigned nb_ports, const int *nodes, uint16_t queues)
{
	*f = (struct fixture){
		.plan = {.nb_ports = nb_ports,
			.ports = f->ports,
			.nb_workers = nb_ports,
			.workers = f->workers,
			.streams = f->streams},
		.in = {.topo = &topo,
			.rxd = 1024,
			.txd = 1024,
			.cache = 250,
			.burst = 32,
			.mbuf_size = 2176,
			.max_lcore = 128},
	};
	for (unsigned p = 0; p < nb_ports; p++) {
		f->ports[p] = (struct plan_port){
			.node = nodes[p], .tx = true, .used_txq = queues, .used_rxq = 1};
		f->workers[p] =
			(struct plan_worker){.lcore = p + 1, .node = nodes[p], .nb_tx = queues};
		for (unsigned q = 0; q < queues; q++)
			f->streams[f->plan.nb_streams++] = (struct plan_stream){
				.port = p, .worker = p, .queue = (uint16_t)q, .dir = PLAN_TX};
	}
}

static void
need_plan(struct fixture *f)
{
	if (memory_need_plan(&f->need, &f->plan, &f->in, &f->e) < 0)
		fail_msg("%s", f->e.msg);
}

static void
test_pools_of_a_plan(void **state)
{
	struct fixture f;
	struct memory_pool pool;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, (int[]){0}, 4);
	assert_int_equal(memory_pool_of(&f.plan, 0, 0, PLAN_TX, &f.in, &pool, &f.e), 0);
	assert_int_equal(pool.mbufs, 4 * 1024 + 2 * 375 + 4 * 2 * 32);
	assert_int_equal(memory_pool_of(&f.plan, 0, 0, PLAN_RX, &f.in, &pool, &f.e), 0);
	assert_int_equal(pool.mbufs, 0);
	/* The receive queue that nobody polls is main's to feed. */
	assert_int_equal(memory_pool_of_main(&f.plan, &f.in, &pool, &f.e), 0);
	assert_int_equal(pool.mbufs, 1024 + 256 + 64);
	assert_int_equal(pool.cache, 0);
	f.ports[0].rx = true;
	assert_int_equal(memory_pool_of_main(&f.plan, &f.in, &pool, &f.e), 0);
	assert_int_equal(pool.mbufs, 256 + 64);
	f.in.asked_mbufs = 1000;
	assert_int_equal(memory_pool_of(&f.plan, 0, 0, PLAN_TX, &f.in, &pool, &f.e), -1);
	assert_int_equal(memory_need_plan(&f.need, &f.plan, &f.in, &f.e), -1);
	assert_has(&f.e, EXIT_USAGE, "too few: a pool needs");
	assert_string_equal(f.e.option, "total-num-mbufs");
}

static void
test_C7_many_queues_in_64_mb(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	machine_pages(&topo, 0, 2048, 32, 32);
	start(&f, 1, (int[]){0}, 16);
	f.in.txd = f.in.rxd = 4096;
	need_plan(&f);
	assert_int_equal(f.need.node[0].page_kb, 2048);
	/* 65,536 descriptors at 2368 bytes are 148 MB, their rings 17 MB. */
	assert_in_range(f.need.node[0].pages, 90, 105);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE,
		"not enough hugepages: need 93 pages of 2048 kB on node 0 "
		"(186 MB), 32 free of 32; reserve with: echo 93 > "
		"/sys/devices/system/node/node0/hugepages/"
		"hugepages-2048kB/nr_hugepages");
	/* Exactly enough is enough. */
	topo.nodes[0].pages[0].free = f.need.node[0].pages;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), 0);
	topo.nodes[0].pages[0].free--;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
}

static void
test_C1_pages_that_others_hold(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	machine_pages(&topo, 0, 2048, 1024, 0);
	machine_pages(&topo, 0, 1048576, 0, 0);
	start(&f, 1, (int[]){0}, 1);
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "0 free of 1024; reserve with: echo 103");
}

/* What EAL has taken before the check is part of the need, not gone. */
static void
test_what_is_held_already_counts(void **state)
{
	uint64_t held[TOPOLOGY_MAX_NODES] = {0};
	struct fixture f;
	uint64_t pages;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	machine_pages(&topo, 0, 2048, 1024, 1024);
	start(&f, 1, (int[]){0}, 1);
	need_plan(&f);
	pages = f.need.node[0].pages;
	assert_true(pages > 2);
	topo.nodes[0].pages[0].free = pages - 2;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	held[0] = 2 * 2048 * 1024;
	f.in.held = held;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), 0);
	held[0]--;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
}

static void
test_C4_the_node_that_lacks_is_named(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 2, 1);
	machine_pages(&topo, 0, 2048, 512, 512);
	machine_pages(&topo, 1, 2048, 8, 3);
	start(&f, 2, (int[]){0, 1}, 4);
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "on node 1");
	assert_has(&f.e, EXIT_MACHINE, "/node1/hugepages");
	/* More are reserved, never fewer than there are. */
	assert_has(&f.e, EXIT_MACHINE, "3 free of 8; reserve with: echo 1");
	assert_null(strstr(f.e.msg, "on node 0"));
	/* A node the machine doesn't have counts on its first one. */
	machine_make(&topo, 1, 2, 1);
	machine_pages(&topo, 0, 2048, 512, 512);
	need_plan(&f);
	assert_int_equal(f.need.nb_nodes, 1);
	assert_int_equal(memory_check(&f.need, &f.e), 0);
}

static void
test_C5_by_node_and_page_size(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 4, 2, 1);
	for (unsigned n = 0; n < 4; n++) {
		machine_pages(&topo, n, 2048, 0, 0);
		machine_pages(&topo, n, 1048576, n == 3 ? 1 : 0, n == 3 ? 1 : 0);
		topo.nodes[n].mem_total_kb = n == 2 ? 4096 : 1 << 20;
	}
	start(&f, 2, (int[]){2, 3}, 1);
	f.plan.main_node = 3;
	need_plan(&f);
	/* Nodes without lcores and ports need nothing. */
	assert_int_equal(f.need.node[0].bytes, 0);
	assert_int_equal(f.need.node[1].bytes, 0);
	/* 1 GB pages where they are, 2 MB pages where none are. */
	assert_int_equal(f.need.node[2].page_kb, 2048);
	assert_int_equal(f.need.node[3].page_kb, 1048576);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "on node 2");
	assert_has(&f.e, EXIT_MACHINE, "the node has 4 MB in all");
	assert_null(strstr(f.e.msg, "on node 3"));
}

static void
test_C5_each_lacking_node_is_told(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 2, 2, 1);
	machine_pages(&topo, 0, 2048, 0, 0);
	machine_pages(&topo, 1, 2048, 0, 0);
	start(&f, 2, (int[]){0, 1}, 1);
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "/node0/hugepages/hugepages-2048kB/nr_hugepages; need");
	assert_has(&f.e, EXIT_MACHINE, "/node1/hugepages/hugepages-2048kB/nr_hugepages");
}

static void
test_machine_without_nodes(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	topo.numa = false;
	start(&f, 1, (int[]){TOPOLOGY_NODE_UNKNOWN}, 1);
	need_plan(&f);
	assert_int_equal(f.need.node[0].page_kb, 0);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "0 free of 0; reserve with: echo");
	assert_has(&f.e, EXIT_MACHINE, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
}

static void
test_need_grows_with_segments_and_what_eal_is_told(void **state)
{
	static const uint64_t socket_mem[TOPOLOGY_MAX_NODES] = {64, 256};
	struct fixture f;
	uint64_t single;

	(void)state;
	machine_make(&topo, 2, 2, 1);
	machine_pages(&topo, 0, 2048, 512, 512);
	machine_pages(&topo, 1, 2048, 512, 512);
	start(&f, 1, (int[]){0}, 1);
	need_plan(&f);
	single = f.need.node[0].bytes;
	f.in.segments = 3;
	need_plan(&f);
	/* 1838 mbufs, and 3676 more. */
	assert_in_range(f.need.node[0].bytes - single, 3676ULL * 2368, 3676ULL * 2368 + (3 << 20));
	f.in.segments = 1;
	need_plan(&f);
	/* The one stream sends: it has a table by flow, and an account only if it receives. */
	single = f.need.node[0].bytes;
	f.in.account_bytes = 3 << 20;
	need_plan(&f);
	assert_int_equal(f.need.node[0].bytes, single);
	f.streams[0].flows = 65536;
	need_plan(&f);
	assert_int_equal(f.need.node[0].bytes - single, 65536 * 20);
	f.streams[0].dir = PLAN_RX;
	need_plan(&f);
	/* Larger than half a page: alone in its pages. */
	assert_in_range(f.need.node[0].bytes, 4 << 20, single + (4 << 20));
	f.streams[0] = (struct plan_stream){.dir = PLAN_TX};
	f.in.socket_mem_mb = socket_mem;
	need_plan(&f);
	assert_int_equal(f.need.node[0].bytes, 64 << 20);
	assert_int_equal(f.need.node[1].bytes, 256 << 20);
	f.in.socket_mem_mb = NULL;
	f.in.memory_mb = 512;
	f.workers[0].node = 1;
	need_plan(&f);
	assert_int_equal(f.need.node[0].bytes, 256 << 20);
	assert_int_equal(f.need.node[1].bytes, 256 << 20);
}

static void
test_ordinary_memory(void **state)
{
	struct fixture f;

	(void)state;
	machine_make(&topo, 1, 2, 1);
	start(&f, 1, (int[]){0}, 4);
	f.in.no_huge = true;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), 0);
	f.in.txd = 8192;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), -1);
	assert_has(&f.e, EXIT_MACHINE, "with --no-huge EAL takes 64 MB; give -m 149 (before '--')");
	f.in.memory_mb = 512;
	need_plan(&f);
	assert_int_equal(memory_check(&f.need, &f.e), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_holds_all_that_can_hold_mbufs),
		cmocka_unit_test(test_pool_of_the_users_size),
		cmocka_unit_test(test_pool_limits),
		cmocka_unit_test(test_mbuf_size),
		cmocka_unit_test(test_G3_frame_too_long_for_an_mbuf),
		cmocka_unit_test(test_object_size),
		cmocka_unit_test(test_pool_bytes),
		cmocka_unit_test(test_pools_of_a_plan),
		cmocka_unit_test(test_C7_many_queues_in_64_mb),
		cmocka_unit_test(test_C1_pages_that_others_hold),
		cmocka_unit_test(test_what_is_held_already_counts),
		cmocka_unit_test(test_C4_the_node_that_lacks_is_named),
		cmocka_unit_test(test_C5_by_node_and_page_size),
		cmocka_unit_test(test_C5_each_lacking_node_is_told),
		cmocka_unit_test(test_machine_without_nodes),
		cmocka_unit_test(test_need_grows_with_segments_and_what_eal_is_told),
		cmocka_unit_test(test_ordinary_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

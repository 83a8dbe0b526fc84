/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What accounting costs a frame: bursts of mbufs with tags of 65,536 flows (or a power of two
 * below, as the argument), each the next of its flow, as a receiver takes them. Only the accounting
 * is timed, in rounds of 65,536 frames. Prints the median of the rounds in nanoseconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>

#include "account_burst.h"

enum {
	MAX_FLOWS = 65536,
	BURST = 32,
	MBUFS = 4096, /* that circulate */
	ROUNDS = 101,
	WARM = 5,
	ROOM = 256, /* an mbuf, its headroom, its frame's first line */
};

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
ns_per_cycle(void)
{
	struct timespec a, b;
	uint64_t tsc = rte_rdtsc(), end;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while (b.tv_sec - a.tv_sec < 1);
	end = rte_rdtsc();
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
	       (double)(end - tsc);
}

/* Untimed, as if a device had written it. */
static void
receive(struct rte_mbuf *m, uint32_t flow, uint32_t sequence)
{
	uint8_t *p = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t be[2] = {rte_cpu_to_be_32(flow), rte_cpu_to_be_32(sequence + tag_start(flow))};

	memcpy(p + TAG_FLOW_OFFSET, be, sizeof(be));
}

static struct rte_mbuf *
make_mbufs(void)
{
	uint8_t *memory = aligned_alloc(64, (size_t)MBUFS * ROOM);
	const struct frame_spec spec = {
		.src_ip = 0xc6120001, .dst_ip = 0xc6120002, .len = 64, .cksum = FRAME_CKSUM_NONE};
	const struct tag tag = {.kind = TAG_DATA, .run = 3};

	if (memory == NULL)
		abort();
	memset(memory, 0, (size_t)MBUFS * ROOM);
	for (unsigned i = 0; i < MBUFS; i++) {
		struct rte_mbuf *m = (void *)(memory + (size_t)i * ROOM);

		m->buf_addr = m + 1;
		m->data_off = 64;
		m->data_len = 64;
		m->pkt_len = 64;
		m->refcnt = 1;
		m->nb_segs = 1;
		frame_build(rte_pktmbuf_mtod(m, uint8_t *), &spec);
		tag_write(rte_pktmbuf_mtod(m, uint8_t *) + TAG_OFFSET, &tag);
	}
	return (void *)memory;
}

int
main(int argc, char **argv)
{
	const uint32_t flows = argc > 1 ? (uint32_t)atoi(argv[1]) : MAX_FLOWS;
	void *memory = aligned_alloc(64, account_size(MAX_FLOWS));
	uint8_t *mbufs = (uint8_t *)make_mbufs();
	struct rte_mbuf *pkts[BURST];
	double ns[ROUNDS], scale = ns_per_cycle();
	struct account_total total;
	struct account *a;
	unsigned next = 0;

	if (memory == NULL)
		abort();
	memset(memory, 0, account_size(MAX_FLOWS));
	a = account_init(memory, MAX_FLOWS);
	for (uint32_t round = 0; round < ROUNDS + WARM; round++) {
		uint64_t cycles = 0;

		for (uint32_t frame = 0; frame < MAX_FLOWS; frame += BURST) {
			uint64_t before;

			for (unsigned i = 0; i < BURST; i++) {
				pkts[i] = (void *)(mbufs + (size_t)next * ROOM);
				next = (next + 1) % MBUFS;
				/* Flows come in no order that a prefetcher knows. */
				receive(pkts[i], (frame + i) * 40503u % flows,
					(round * MAX_FLOWS + frame + i) / flows);
			}
			before = rte_rdtsc_precise();
			(void)account_burst(a, pkts, BURST);
			cycles += rte_rdtsc_precise() - before;
		}
		if (round >= WARM)
			ns[round - WARM] = (double)cycles * scale / MAX_FLOWS;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), compare);
	if (account_sum(&a, 1, &total, 1) != 1 ||
		total.received != (uint64_t)MAX_FLOWS * (ROUNDS + WARM) || total.missing != 0)
		return 1;
	printf("%.2f\n", ns[ROUNDS / 2]);
	free(memory);
	free(mbufs);
	return 0;
}

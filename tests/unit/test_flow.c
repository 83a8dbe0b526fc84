/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow.h"

static uint32_t
pair_number(struct flow_ports p)
{
	return (uint32_t)(p.src - FLOW_PORT_FIRST) << FLOW_PORT_BITS | (p.dst - FLOW_PORT_FIRST);
}

/* The whole domain: 1024 lcores of 65,536 flows use each of the 2^26 pairs exactly once. */
static void
test_H5_all_lcores_are_disjoint_in_the_whole_domain(void **state)
{
	const size_t bytes = 1u << 23;
	uint8_t *seen = calloc(bytes, 1);

	(void)state;
	assert_non_null(seen);
	for (uint32_t lcore = 0; lcore < FLOW_MAX_LCORES; lcore++) {
		for (uint32_t i = 0; i < FLOW_MAX_PER_CORE; i++) {
			uint32_t n = pair_number(flow_ports(lcore, FLOW_MAX_PER_CORE, i));

			if (seen[n >> 3] & 1 << (n & 7))
				fail_msg("lcore %u flow %u has a pair of another", lcore, i);
			seen[n >> 3] |= (uint8_t)(1 << (n & 7));
		}
	}
	free(seen);
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Odd numbers of flows, where lcores don't start at round numbers. */
static void
test_H5_disjoint_for_any_number_of_flows(void **state)
{
	static const uint32_t counts[] = {1, 3, 7, 16, 17, 100};
	static uint32_t n[FLOW_MAX_LCORES * 100];

	(void)state;
	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		size_t nb = 0;

		for (uint32_t lcore = 0; lcore < FLOW_MAX_LCORES; lcore++) {
			for (uint32_t i = 0; i < counts[k]; i++)
				n[nb++] = pair_number(flow_ports(lcore, counts[k], i));
		}
		qsort(n, nb, sizeof(n[0]), compare);
		for (size_t i = 1; i < nb; i++)
			assert_int_not_equal(n[i - 1], n[i]);
	}
}

static void
test_ports_stay_in_the_range_and_off_tunnels(void **state)
{
	(void)state;
	for (uint32_t lcore = 0; lcore < FLOW_MAX_LCORES; lcore += 31) {
		for (uint32_t i = 0; i < 1000; i++) {
			struct flow_ports p = flow_ports(lcore, 1000, i);

			assert_in_range(p.src, FLOW_PORT_FIRST, FLOW_PORT_LAST);
			assert_in_range(p.dst, FLOW_PORT_FIRST, FLOW_PORT_LAST);
		}
	}
	assert_true(FLOW_PORT_FIRST >= 1024);
	for (uint32_t port = FLOW_PORT_FIRST; port <= FLOW_PORT_LAST; port++)
		assert_false(flow_port_is_tunnel((uint16_t)port));
	assert_true(flow_port_is_tunnel(4789));
	assert_true(flow_port_is_tunnel(6081));
	assert_true(flow_port_is_tunnel(2152));
	assert_false(flow_port_is_tunnel(53));
}

/* Toeplitz as cards compute it over the 12 bytes of addresses and ports. */
static uint32_t
toeplitz(const uint8_t *key, const uint8_t *data, size_t len)
{
	uint32_t hash = 0;

	for (size_t bit = 0; bit < len * 8; bit++) {
		if (!(data[bit / 8] & 0x80 >> bit % 8))
			continue;
		for (size_t k = 0; k < 32; k++) {
			size_t b = bit + k;

			if (key[b / 8] & 0x80 >> b % 8)
				hash ^= 0x80000000u >> k;
		}
	}
	return hash;
}

static const uint8_t key_microsoft[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41,
	0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4,
	0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01,
	0xfa};

/* The table that maps 128 hash values to queues, as drivers fill it. */
static unsigned
queue_of(const uint8_t *key, struct flow_ports p, unsigned queues)
{
	const uint8_t data[12] = {198, 18, 0, 1, 198, 18, 0, 2, (uint8_t)(p.src >> 8),
		(uint8_t)p.src, (uint8_t)(p.dst >> 8), (uint8_t)p.dst};

	return toeplitz(key, data, sizeof(data)) % 128 % queues;
}

/* Sixteen lcores of 16 flows: every queue gets some, a power of two of queues nearly evenly. */
static void
test_H2_flows_spread_over_queues(void **state)
{
	uint8_t key_symmetric[40];
	const uint8_t *keys[] = {key_microsoft, key_symmetric};

	(void)state;
	for (size_t i = 0; i < sizeof(key_symmetric); i++)
		key_symmetric[i] = i % 2 == 0 ? 0x6d : 0x5a;
	for (size_t k = 0; k < 2; k++) {
		for (unsigned queues = 2; queues <= 32; queues++) {
			unsigned got[32] = {0}, min = 256, max = 0;

			for (uint32_t lcore = 0; lcore < 16; lcore++) {
				for (uint32_t i = 0; i < 16; i++)
					got[queue_of(keys[k], flow_ports(lcore, 16, i), queues)]++;
			}
			for (unsigned q = 0; q < queues; q++) {
				min = got[q] < min ? got[q] : min;
				max = got[q] > max ? got[q] : max;
			}
			assert_true(min > 0);
			/* Tables of 128 entries give some queues one entry more than others. */
			assert_true(max <= 2 * min);
		}
	}
}

/* One lcore's 16 flows alone reach all of 2, 4 and 8 queues. */
static void
test_H2_one_lcore_reaches_eight_queues(void **state)
{
	(void)state;
	for (unsigned queues = 2; queues <= 8; queues *= 2) {
		unsigned got[8] = {0};

		for (uint32_t i = 0; i < 16; i++)
			got[queue_of(key_microsoft, flow_ports(1, 16, i), queues)]++;
		for (unsigned q = 0; q < queues; q++)
			assert_int_equal(got[q], 16 / queues);
	}
}

/* A card that hashes the source port only, or the destination port only, still sees every flow. */
static void
test_H4_each_port_alone_tells_flows_apart(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		for (uint32_t k = 0; k < i; k++) {
			struct flow_ports a = flow_ports(5, 16, i), b = flow_ports(5, 16, k);

			assert_int_not_equal(a.src, b.src);
			assert_int_not_equal(a.dst, b.dst);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_H5_all_lcores_are_disjoint_in_the_whole_domain),
		cmocka_unit_test(test_H5_disjoint_for_any_number_of_flows),
		cmocka_unit_test(test_ports_stay_in_the_range_and_off_tunnels),
		cmocka_unit_test(test_H2_flows_spread_over_queues),
		cmocka_unit_test(test_H2_one_lcore_reaches_eight_queues),
		cmocka_unit_test(test_H4_each_port_alone_tells_flows_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "compat.h"

enum {
	WORDS = (sizeof(struct sample_interval) + sizeof(uint64_t) - 1) / sizeof(uint64_t),
};

/* A sequence lock: odd while main writes. Words are atomic, so a torn read is seen, not undefined.
 */
static struct {
	_Atomic uint64_t sequence;
	_Atomic bool sends, receives;
	_Atomic uint64_t word[WORDS];
} live;

void
live_directions(bool sends, bool receives)
{
	atomic_store(&live.sends, sends);
	atomic_store(&live.receives, receives);
}

void
live_publish(const struct sample_interval *interval)
{
	uint64_t sequence = atomic_load_explicit(&live.sequence, memory_order_relaxed);
	uint64_t word[WORDS] = {0};

	memcpy(word, interval, sizeof(*interval));
	atomic_store_explicit(&live.sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < WORDS; i++)
		atomic_store_explicit(&live.word[i], word[i], memory_order_relaxed);
	atomic_store_explicit(&live.sequence, sequence + 2, memory_order_release);
}

bool
live_read(struct sample_interval *interval)
{
	uint64_t before, after, word[WORDS];

	do {
		before = atomic_load_explicit(&live.sequence, memory_order_acquire);
		for (size_t i = 0; i < WORDS; i++)
			word[i] = atomic_load_explicit(&live.word[i], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&live.sequence, memory_order_relaxed);
	} while (before % 2 != 0 || before != after);
	memcpy(interval, word, sizeof(*interval));
	return before != 0;
}

static uint64_t
whole(double x)
{
	return isnan(x) ? 0 : (uint64_t)llround(x);
}

/* Telemetry has no null: a figure that is not known is left out. */
static void
add_count(struct rte_tel_data *d, const char *name, struct sample_count c)
{
	if (c.known)
		compat_tel_add_uint(d, name, c.value);
}

static int
answer(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct sample_interval s;

	(void)cmd;
	(void)params;
	rte_tel_data_start_dict(d);
	if (!live_read(&s))
		return 0;
	rte_tel_data_add_dict_string(d, "phase", s.warmup ? "warmup" : "measure");
	compat_tel_add_uint(d, "t_ms", whole(s.t_s * 1000));
	compat_tel_add_uint(d, "length_ms", whole(s.length_s * 1000));
	if (atomic_load(&live.sends)) {
		compat_tel_add_uint(d, "tx_pps", whole(s.tx.pps));
		compat_tel_add_uint(d, "tx_bps", whole(s.tx.bps));
		compat_tel_add_uint(d, "tx_unsent", s.unsent);
	}
	if (atomic_load(&live.receives)) {
		compat_tel_add_uint(d, "rx_pps", whole(s.rx.pps));
		compat_tel_add_uint(d, "rx_bps", whole(s.rx.bps));
	}
	add_count(d, "drops", s.drops);
	return 0;
}

int
live_register(void)
{
	return rte_telemetry_register_cmd("/pmdperf/sample", answer,
		"The latest finished sample: rates per second, bandwidth in bits per second. No "
		"parameters.");
}

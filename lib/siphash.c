/* SPDX-License-Identifier: BSD-3-Clause */
#include "siphash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t
rotated(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void
mix(struct state *s, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotated(s->v1, 13) ^ s->v0;
		s->v3 = rotated(s->v3, 16) ^ s->v2;
		s->v0 = rotated(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = rotated(s->v1, 17) ^ s->v2;
		s->v3 = rotated(s->v3, 21) ^ s->v0;
		s->v2 = rotated(s->v2, 32);
	}
}

static void
add(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, 2);
	s->v0 ^= word;
}

uint64_t
siphash(const struct siphash_key *key, const uint64_t *word, size_t n)
{
	/* "somepseudorandomlygeneratedbytes" */
	struct state s = {
		.v0 = key->k0 ^ UINT64_C(0x736f6d6570736575),
		.v1 = key->k1 ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key->k0 ^ UINT64_C(0x6c7967656e657261),
		.v3 = key->k1 ^ UINT64_C(0x7465646279746573),
	};

	for (size_t i = 0; i < n; i++)
		add(&s, word[i]);
	/* The last block: no bytes are left over, and the length modulo 256 on top. */
	add(&s, (uint64_t)(n * 8) << 56);
	s.v2 ^= 0xff;
	mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

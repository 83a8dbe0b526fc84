/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): who does not know the
 * key can neither make nor foresee the hash of any words.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1;
};

/* The hash of n words, taken as 8 bytes each in little-endian order. */
uint64_t siphash(const struct siphash_key *key, const uint64_t *word, size_t n);

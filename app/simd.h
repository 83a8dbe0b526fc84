/* SPDX-License-Identifier: BSD-3-Clause */
/* Between our code, built for the machine it runs on, and drivers, built for any. */
#pragma once

#ifdef __AVX__
#include <immintrin.h>
#endif

/*
 * To be called before each burst of a driver. Where AVX instructions leave the upper halves of
 * registers in use, each SSE instruction after them has to keep these halves, and waits for them:
 * in a distribution's DPDK that is every copy. The compiler does not see to it in all functions
 * (the copies of rte_mempool among them). Worth a tenth of the rate of a vhost receiver.
 * (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Mixing AVX code with SSE code")
 */
static inline void
simd_leave(void)
{
#ifdef __AVX__
	_mm256_zeroupper();
#endif
}

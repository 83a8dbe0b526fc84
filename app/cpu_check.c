/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says so when the program is started on a CPU that it was not compiled for, instead of ending by
 * an illegal instruction: a virtual machine may show less of a CPU than there is. It comes before
 * all other code, DPDK's constructors too, and is itself for any x86-64.
 */
#if defined(__x86_64__)
#include <unistd.h>

#include "err.h"

#define ANY_CPU __attribute__((target("arch=x86-64")))

ANY_CPU static void
say(const char *text)
{
	size_t len = 0;

	while (text[len] != '\0')
		len++;
	(void)!write(STDERR_FILENO, text, len);
}

ANY_CPU static void
check_cpu(void)
{
	const char *lacks = NULL;

	__builtin_cpu_init();
#ifdef __SSE4_2__
	if (!__builtin_cpu_supports("sse4.2"))
		lacks = "SSE4.2";
#endif
#ifdef __POPCNT__
	if (!__builtin_cpu_supports("popcnt"))
		lacks = "POPCNT";
#endif
#ifdef __BMI2__
	if (!__builtin_cpu_supports("bmi2"))
		lacks = "BMI2";
#endif
#ifdef __AVX2__
	if (!__builtin_cpu_supports("avx2"))
		lacks = "AVX2";
#endif
#ifdef __AVX512F__
	if (!__builtin_cpu_supports("avx512f"))
		lacks = "AVX-512";
#endif
	if (lacks == NULL)
		return;
	say("pmdperf: this CPU has no ");
	say(lacks);
	say(", which this build needs. A virtual machine gets it with the CPU model of its host "
	    "(host-passthrough); or build pmdperf on this machine\n");
	_exit(EXIT_MACHINE);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = check_cpu;
#endif

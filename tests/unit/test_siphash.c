/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "siphash.h"

/* The reference's own vectors: the key 00 01 .. 0f, the input 00 01 02 .. of so many bytes. */
static void
test_vectors(void **state)
{
	const struct siphash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	const uint64_t word[] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908),
		UINT64_C(0x1716151413121110)};

	(void)state;
	assert_true(siphash(&key, word, 0) == UINT64_C(0x726fdb47dd0e0e31));
	assert_true(siphash(&key, word, 1) == UINT64_C(0x93f5f5799a932462));
	assert_true(siphash(&key, word, 2) == UINT64_C(0x3f2acc7f57c29bdb));
}

static void
test_key_and_words_matter(void **state)
{
	struct siphash_key key = {1, 2};
	uint64_t word[] = {3, 4}, hash = siphash(&key, word, 2);

	(void)state;
	word[1]++;
	assert_true(siphash(&key, word, 2) != hash);
	word[1]--;
	key.k1++;
	assert_true(siphash(&key, word, 2) != hash);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_key_and_words_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

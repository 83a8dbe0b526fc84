/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpuset.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
	WORD_BITS = 64,
	WORDS = CPUSET_MAX / WORD_BITS,
};

/* An unsigned constant: shifting an int by 31 or more is where such sets usually break. */
static uint64_t
bit_of(unsigned id)
{
	return UINT64_C(1) << (id % WORD_BITS);
}

void
cpuset_zero(struct cpuset *set)
{
	*set = (struct cpuset){0};
}

void
cpuset_add(struct cpuset *set, unsigned id)
{
	if (id < CPUSET_MAX)
		set->word[id / WORD_BITS] |= bit_of(id);
}

void
cpuset_remove(struct cpuset *set, unsigned id)
{
	if (id < CPUSET_MAX)
		set->word[id / WORD_BITS] &= ~bit_of(id);
}

bool
cpuset_has(const struct cpuset *set, unsigned id)
{
	return id < CPUSET_MAX && (set->word[id / WORD_BITS] & bit_of(id)) != 0;
}

unsigned
cpuset_count(const struct cpuset *set)
{
	unsigned count = 0;

	for (unsigned i = 0; i < WORDS; i++)
		count += (unsigned)__builtin_popcountll(set->word[i]);
	return count;
}

bool
cpuset_empty(const struct cpuset *set)
{
	return cpuset_next(set, 0) < 0;
}

int
cpuset_next(const struct cpuset *set, unsigned from)
{
	uint64_t word;

	if (from >= CPUSET_MAX)
		return -1;
	word = set->word[from / WORD_BITS] & (UINT64_MAX << (from % WORD_BITS));
	for (unsigned i = from / WORD_BITS;; word = set->word[i]) {
		if (word != 0)
			return (int)(i * WORD_BITS) + __builtin_ctzll(word);
		if (++i == WORDS)
			return -1;
	}
}

void
cpuset_and(struct cpuset *set, const struct cpuset *other)
{
	for (unsigned i = 0; i < WORDS; i++)
		set->word[i] &= other->word[i];
}

void
cpuset_or(struct cpuset *set, const struct cpuset *other)
{
	for (unsigned i = 0; i < WORDS; i++)
		set->word[i] |= other->word[i];
}

bool
cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static const char *
skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Reads an id and the blanks around it. @return past it, NULL if there is none below the limit */
static const char *
parse_id(const char *s, unsigned *id)
{
	unsigned v = 0;

	s = skip_blanks(s);
	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (unsigned)(*s - '0');
		if (v >= CPUSET_MAX)
			return NULL;
	}
	*id = v;
	return skip_blanks(s);
}

int
cpuset_parse(struct cpuset *set, const char *text, struct err *e)
{
	const char *s = skip_blanks(text);

	*set = (struct cpuset){0};
	while (*s != '\0') {
		unsigned first, last;

		s = parse_id(s, &first);
		last = first;
		if (s != NULL && *s == '-')
			s = parse_id(s + 1, &last);
		if (s == NULL || (*s != ',' && *s != '\0') || (*s == ',' && s[1] == '\0')) {
			*set = (struct cpuset){0};
			return err_set(e, EXIT_USAGE,
				"'%s' is not a list of ids such as 0-3,8, each from 0 to %d", text,
				CPUSET_MAX - 1);
		}
		if (first > last) {
			unsigned swap = first;

			first = last;
			last = swap;
		}
		for (unsigned id = first; id <= last; id++)
			cpuset_add(set, id);
		if (*s == ',')
			s++;
	}
	return 0;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
cpuset_parse_mask(struct cpuset *set, const char *text, struct err *e)
{
	const char *s = skip_blanks(text);
	size_t len;

	*set = (struct cpuset){0};
	if (s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	len = strlen(s);
	while (len > 0 && isspace((unsigned char)s[len - 1]))
		len--;
	/* From the right: the last digit holds ids 0 to 3, whatever the length. */
	for (size_t digit = 0; digit < len; digit++) {
		int v = hex_value(s[len - 1 - digit]);

		if (v < 0) {
			*set = (struct cpuset){0};
			return err_set(
				e, EXIT_USAGE, "'%s' is not a hexadecimal mask such as 0xff", text);
		}
		if (v != 0 && digit >= CPUSET_MAX / 4) {
			*set = (struct cpuset){0};
			return err_set(e, EXIT_USAGE, "the mask '%s' has ids above %d", text,
				CPUSET_MAX - 1);
		}
		for (unsigned bit = 0; bit < 4; bit++) {
			if (v & (1 << bit))
				cpuset_add(set, (unsigned)digit * 4 + bit);
		}
	}
	if (cpuset_empty(set))
		return err_set(
			e, EXIT_USAGE, "the mask '%s' is empty: set one bit for each id", text);
	return 0;
}

const char *
cpuset_format(const struct cpuset *set, char *buf, size_t size)
{
	static const char more[] = ",...";
	size_t used = 0;
	int first;

	if (size == 0)
		return buf;
	buf[0] = '\0';
	for (first = cpuset_next(set, 0); first >= 0;) {
		char item[16];
		int last = first;
		int next, len;

		while ((next = cpuset_next(set, (unsigned)last + 1)) == last + 1)
			last = next;
		len = snprintf(item, sizeof(item), last > first ? "%s%d-%d" : "%s%d",
			used > 0 ? "," : "", first, last);
		/* Every item but the last leaves room to say that there are more. */
		if (used + (size_t)len + (next >= 0 ? sizeof(more) : 1) > size) {
			snprintf(buf + used, size - used, "%s", used > 0 ? more : more + 1);
			break;
		}
		memcpy(buf + used, item, (size_t)len + 1);
		used += (size_t)len;
		first = next;
	}
	return buf;
}

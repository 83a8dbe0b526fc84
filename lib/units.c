/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	/* Digits after the point: 10^18 still fits in 64 bits, and nobody writes more. */
	MAX_DECIMALS = 18,
};

/*
 * A product of a 64-bit number and a factor or 10^18 needs more than 64 bits. __extension__ because
 * the type is not in the standard.
 */
__extension__ typedef unsigned __int128 wide_t;

struct unit {
	const char *name;
	uint64_t factor;
};

/* From large to small; the first that divides without rest is printed. */
static const struct unit durations[] = {
	{"h", 3600 * UNITS_NS_PER_S},
	{"m", 60 * UNITS_NS_PER_S},
	{"s", UNITS_NS_PER_S},
	{"ms", 1000000},
	{"us", 1000},
	{"ns", 1},
};

static const struct unit rates[] = {
	{"", 1},
	{"k", UINT64_C(1000)},
	{"K", UINT64_C(1000)},
	{"M", UINT64_C(1000000)},
	{"G", UINT64_C(1000000000)},
	{"T", UINT64_C(1000000000000)},
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number as written: value / 10^decimals. */
struct decimal {
	uint64_t value;
	unsigned int decimals;
};

/* Reads DIGITS or DIGITS.DIGITS and moves *text behind it. Returns 0, -EINVAL or -ERANGE. */
static int
parse_decimal(const char **text, struct decimal *d)
{
	const char *p = *text;
	bool point = false;

	*d = (struct decimal){0};
	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			if (!is_digit(p[1]))
				return -EINVAL;
			continue;
		}
		if (__builtin_mul_overflow(d->value, 10, &d->value) ||
			__builtin_add_overflow(d->value, (uint64_t)(*p - '0'), &d->value))
			return -ERANGE;
		if (point && ++d->decimals > MAX_DECIMALS)
			return -EINVAL;
	}
	*text = p;
	return 0;
}

/* d x factor, exactly: -EINVAL if that is not a whole number, -ERANGE if it needs over 64 bits. */
static int
scale(const struct decimal *d, uint64_t factor, uint64_t *result)
{
	wide_t product = (wide_t)d->value * factor;
	uint64_t divisor = 1;

	for (unsigned int i = 0; i < d->decimals; i++)
		divisor *= 10;
	if (product % divisor != 0)
		return -EINVAL;
	product /= divisor;
	if (product > UINT64_MAX)
		return -ERANGE;
	*result = (uint64_t)product;
	return 0;
}

int
units_parse_duration(const char *text, uint64_t *ns)
{
	struct decimal d;
	int rc = parse_decimal(&text, &d);

	if (rc < 0)
		return rc;
	if (*text == '\0')
		return scale(&d, UNITS_NS_PER_S, ns);
	for (size_t i = 0; i < ARRAY_LEN(durations); i++)
		if (strcmp(text, durations[i].name) == 0)
			return scale(&d, durations[i].factor, ns);
	return -EINVAL;
}

int
units_parse_rate(const char *text, struct units_rate *rate)
{
	struct decimal d;
	int rc = parse_decimal(&text, &d);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		size_t len = strlen(rates[i].name);
		enum units_rate_kind kind;

		if (strncmp(text, rates[i].name, len) != 0)
			continue;
		if (strcmp(text + len, "pps") == 0)
			kind = UNITS_PPS;
		else if (strcmp(text + len, "bps") == 0)
			kind = UNITS_BPS;
		else
			continue;
		rc = scale(&d, rates[i].factor, &rate->value);
		if (rc == 0)
			rate->kind = kind;
		return rc;
	}
	return -EINVAL;
}

int
units_parse_percent(const char *text, uint64_t *millionths)
{
	struct decimal d;
	int rc = parse_decimal(&text, &d);

	if (rc < 0)
		return rc;
	return strcmp(text, "%") == 0 ? scale(&d, 10000, millionths) : -EINVAL;
}

int
units_parse_count(const char *text, uint64_t *count)
{
	struct decimal d;
	int rc = parse_decimal(&text, &d);

	if (rc < 0)
		return rc;
	if (*text != '\0' || d.decimals > 0)
		return -EINVAL;
	*count = d.value;
	return 0;
}

int
units_parse_hex(const char *text, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t sum = 0;
	bool overflow = false;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (*text == '\0')
		return -EINVAL;
	for (; *text != '\0'; text++) {
		char c = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
		const char *digit = strchr(digits, c);

		if (digit == NULL)
			return -EINVAL;
		overflow = overflow || sum >> 60 != 0;
		sum = sum << 4 | (uint64_t)(digit - digits);
	}
	if (overflow)
		return -ERANGE;
	*value = sum;
	return 0;
}

double
units_per_second(uint64_t count, uint64_t ns)
{
	if (ns == 0)
		return NAN;
	return (double)count * (double)UNITS_NS_PER_S / (double)ns;
}

const char *
units_format_duration(uint64_t ns, char *buf)
{
	for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
		const struct unit *u = &durations[i];

		if (ns != 0 && ns % u->factor == 0) {
			snprintf(buf, UNITS_LEN, "%" PRIu64 "%s", ns / u->factor, u->name);
			return buf;
		}
	}
	snprintf(buf, UNITS_LEN, "0s");
	return buf;
}

const char *
units_format_seconds(uint64_t ns, char *buf)
{
	int len = snprintf(
		buf, UNITS_LEN, "%" PRIu64 ".%09" PRIu64, ns / UNITS_NS_PER_S, ns % UNITS_NS_PER_S);

	while (buf[len - 1] == '0')
		len--;
	if (buf[len - 1] == '.')
		len--;
	buf[len] = '\0';
	return buf;
}

/*
 * Writes value / factor with three decimals. printf's own would put a comma for the point in some
 * locales.
 */
static const char *
format_thousandths(double value, double factor, const char *unit, char *buf)
{
	double thousandths = value / factor * 1000 + 0.5;
	uint64_t n;

	if (!(value >= 0) || thousandths >= 0x1p64) {
		snprintf(buf, UNITS_LEN, "n/a");
		return buf;
	}
	n = (uint64_t)thousandths;
	snprintf(buf, UNITS_LEN, "%" PRIu64 ".%03" PRIu64 "%s", n / 1000, n % 1000, unit);
	return buf;
}

const char *
units_format_mpps(double pps, char *buf)
{
	return format_thousandths(pps, 1e6, "", buf);
}

const char *
units_format_gbps(double bps, char *buf)
{
	return format_thousandths(bps, 1e9, "", buf);
}

/* names: the unit with the factors 1, 10^3, 10^6, ... */
static const char *
format_scaled(double value, const char *const *names, size_t nb_names, char *buf)
{
	double factor = 1;
	size_t i = 0;

	/* What rounds to 1000.000 of a unit is 1.000 of the next. */
	while (i + 1 < nb_names && value / factor >= (i == 0 ? 999.5 : 999.9995)) {
		factor *= 1000;
		i++;
	}
	if (i > 0 || !(value >= 0))
		return format_thousandths(value, factor, names[i], buf);
	snprintf(buf, UNITS_LEN, "%" PRIu64 "%s", (uint64_t)(value + 0.5), names[0]);
	return buf;
}

const char *
units_format_pps(double pps, char *buf)
{
	static const char *const names[] = {" pps", " kpps", " Mpps", " Gpps"};

	return format_scaled(pps, names, ARRAY_LEN(names), buf);
}

const char *
units_format_bps(double bps, char *buf)
{
	static const char *const names[] = {" bit/s", " kbit/s", " Mbit/s", " Gbit/s", " Tbit/s"};

	return format_scaled(bps, names, ARRAY_LEN(names), buf);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers with units, from text and to text. Nothing here depends on the locale. A parser reads the
 * whole text or refuses it: no sign, blank, exponent or anything after the unit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	UNITS_LEN = 40,                /* room for any text that a formatter here writes */
	UNITS_L1_BYTES_PER_FRAME = 24, /* preamble 8, gap 12, CRC 4: what L1 adds to L2 */
};

#define UNITS_NS_PER_S UINT64_C(1000000000)

/*
 * Durations: 250us 500ms 3s 10m 1h, also 1.5s; a bare number is seconds.
 * @return 0; -EINVAL not a duration, or finer than 1 ns; -ERANGE more than 64 bits of ns.
 */
int units_parse_duration(const char *text, uint64_t *ns);

enum units_rate_kind {
	UNITS_PPS, /* frames per second */
	UNITS_BPS, /* bits per second */
};

struct units_rate {
	enum units_rate_kind kind;
	uint64_t value; /* per second */
};

/*
 * Rates: 10Mpps 100kpps 5Gbps 1.5Mpps 99pps; the factor is one of k M G T in steps of 1000.
 * @return 0; -EINVAL not a rate, or not a whole number per second; -ERANGE more than 64 bits.
 */
int units_parse_rate(const char *text, struct units_rate *rate);

/*
 * A share: 40%, 12.5%.
 * @param millionths of the whole
 * @return 0; -EINVAL not a share, or finer than a millionth; -ERANGE more than 64 bits.
 */
int units_parse_percent(const char *text, uint64_t *millionths);

/* Decimal digits only. @return 0; -EINVAL not a number; -ERANGE more than 64 bits. */
int units_parse_count(const char *text, uint64_t *count);

/* Hex digits, with or without 0x. @return 0; -EINVAL not a hex number; -ERANGE more than 64 bits.
 */
int units_parse_hex(const char *text, uint64_t *value);

/* @return count per second over a time of ns, in double; NAN over no time. */
double units_per_second(uint64_t count, uint64_t ns);

/*
 * Each formatter writes into buf of at least UNITS_LEN bytes and returns buf. A rate that is not a
 * number, infinite or negative becomes "n/a".
 */
const char *units_format_duration(uint64_t ns, char *buf); /* "500ms", "90s", "1h": exact */
const char *units_format_seconds(uint64_t ns, char *buf);  /* "0.5", "90": exact, no unit */
const char *units_format_mpps(double pps, char *buf);      /* "14.880": in Mpps, no unit */
const char *units_format_gbps(double bps, char *buf);      /* "9.999": in Gbit/s, no unit */
const char *units_format_pps(double pps, char *buf); /* "1.234 Mpps", "12.500 kpps", "99 pps" */
const char *units_format_bps(double bps, char *buf); /* "81.920 Gbit/s", "64 bit/s" */

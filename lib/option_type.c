/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of values that an option can have. */
#include "option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "addr.h"
#include "units.h"

/* Adds to the text in buf; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void
append(char *buf, size_t len, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + used, len - used, fmt, ap);
	va_end(ap);
}

static const char *
parse_flag(const struct option *o, const char *text, void *field)
{
	bool *value = field;

	(void)o;
	if (text != NULL && strcmp(text, "false") == 0)
		*value = false;
	else if (text == NULL || strcmp(text, "true") == 0)
		*value = true;
	else
		return "neither true nor false";
	return NULL;
}

static void
format_flag(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "%s", *(const bool *)field ? "true" : "false");
}

static void
range_flag(const struct option *o, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "true or false");
}

static const char *
check_range(const struct option *o, uint64_t value)
{
	if (value < o->min)
		return "too small";
	if (value > o->max)
		return "too large";
	return NULL;
}

static const char *
parse_count(const struct option *o, const char *text, uint64_t *value)
{
	int rc = units_parse_count(text, value);

	if (rc == -ERANGE)
		return "too large";
	if (rc < 0)
		return "not a whole number";
	return check_range(o, *value);
}

/* "1 to 512 frames" */
static void
range_count(const struct option *o, char *buf, size_t len)
{
	snprintf(buf, len, "%" PRIu64 " to %" PRIu64 "%s%s", o->min, o->max,
		o->unit == NULL ? "" : " ", o->unit == NULL ? "" : o->unit);
}

static const char *
parse_u16(const struct option *o, const char *text, void *field)
{
	uint64_t value;
	const char *wrong = parse_count(o, text, &value);

	if (wrong == NULL)
		*(uint16_t *)field = (uint16_t)value;
	return wrong;
}

static void
format_u16(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "%u", *(const uint16_t *)field);
}

static const char *
parse_u32(const struct option *o, const char *text, void *field)
{
	uint64_t value;
	const char *wrong = parse_count(o, text, &value);

	if (wrong == NULL)
		*(uint32_t *)field = (uint32_t)value;
	return wrong;
}

static void
format_u32(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "%" PRIu32, *(const uint32_t *)field);
}

static const char *
parse_u64(const struct option *o, const char *text, void *field)
{
	uint64_t value;
	const char *wrong = parse_count(o, text, &value);

	if (wrong == NULL)
		*(uint64_t *)field = value;
	return wrong;
}

static void
format_u64(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "%" PRIu64, *(const uint64_t *)field);
}

static const char *
parse_mask(const struct option *o, const char *text, void *field)
{
	uint64_t value;
	int rc = units_parse_hex(text, &value);
	const char *wrong;

	if (rc == -EINVAL)
		return "not a hex number";
	if (rc < 0)
		return "too large";
	wrong = check_range(o, value);
	if (wrong == NULL)
		*(uint64_t *)field = value;
	return wrong;
}

static void
format_mask(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "0x%" PRIx64, *(const uint64_t *)field);
}

static void
range_mask(const struct option *o, char *buf, size_t len)
{
	snprintf(buf, len, "0x%" PRIx64 " to 0x%" PRIx64, o->min, o->max);
}

static const char *
parse_duration(const struct option *o, const char *text, void *field)
{
	uint64_t value;
	int rc = units_parse_duration(text, &value);
	const char *wrong;

	if (rc == -ERANGE)
		return "too large";
	if (rc < 0)
		return "not a duration like 500ms, 3s, 10m (a bare number is seconds)";
	wrong = value == 0 ? NULL : check_range(o, value);
	if (wrong == NULL)
		*(uint64_t *)field = value;
	return wrong;
}

/* In seconds and without the unit: also the number that JSON wants. */
static void
format_duration(const struct option *o, const void *field, char *buf, size_t len)
{
	char text[UNITS_LEN];

	(void)o;
	snprintf(buf, len, "%s", units_format_seconds(*(const uint64_t *)field, text));
}

static void
range_duration(const struct option *o, char *buf, size_t len)
{
	char min[UNITS_LEN], max[UNITS_LEN];

	units_format_duration(o->min, min);
	units_format_duration(o->max, max);
	snprintf(buf, len, "%s to %s%s", min, max, o->min > 0 ? ", or 0" : "");
}

/* The text must outlive the field; option_set() gives its own copy. */
static const char *
parse_string(const struct option *o, const char *text, void *field)
{
	(void)o;
	if (*text == '\0')
		return "empty";
	*(const char **)field = text;
	return NULL;
}

/* Any text, even an empty one: only the caller, who checks it, can list the names that are valid.
 */
static const char *
parse_name(const struct option *o, const char *text, void *field)
{
	(void)o;
	*(const char **)field = text;
	return NULL;
}

static void
format_string(const struct option *o, const void *field, char *buf, size_t len)
{
	const char *text = *(const char *const *)field;

	(void)o;
	snprintf(buf, len, "%s", text == NULL ? "" : text);
}

static const char *
parse_ipv4(const struct option *o, const char *text, void *field)
{
	(void)o;
	return addr_parse_ipv4(text, field) < 0 ? "not an IPv4 address like 192.0.2.1" : NULL;
}

static void
format_ipv4(const struct option *o, const void *field, char *buf, size_t len)
{
	char text[ADDR_IPV4_LEN];

	(void)o;
	snprintf(buf, len, "%s", addr_format_ipv4(*(const uint32_t *)field, text));
}

static const char *
parse_mac(const struct option *o, const char *text, void *field)
{
	(void)o;
	return addr_parse_mac(text, field) < 0 ? "not a MAC address like 02:00:00:00:00:01" : NULL;
}

static void
format_mac(const struct option *o, const void *field, char *buf, size_t len)
{
	char text[ADDR_MAC_LEN];

	(void)o;
	snprintf(buf, len, "%s", addr_format_mac(field, text));
}

static const char *
parse_choice(const struct option *o, const char *text, void *field)
{
	for (unsigned int i = 0; o->words[i] != NULL; i++) {
		if (strcmp(text, o->words[i]) == 0) {
			*(unsigned int *)field = i;
			return NULL;
		}
	}
	return "not one of the choices";
}

static void
format_choice(const struct option *o, const void *field, char *buf, size_t len)
{
	snprintf(buf, len, "%s", o->words[*(const unsigned int *)field]);
}

static void
range_choice(const struct option *o, char *buf, size_t len)
{
	buf[0] = '\0';
	for (unsigned int i = 0; o->words[i] != NULL; i++) {
		const char *glue = i == 0 ? "" : o->words[i + 1] == NULL ? " or " : ", ";

		append(buf, len, "%s%s", glue, o->words[i]);
	}
}

static const char *
parse_u16_list(const struct option *o, const char *text, void *field)
{
	uint16_t *item = field;
	unsigned int n = 0;

	memset(item, 0, o->items * sizeof(*item));
	for (;;) {
		size_t len = strcspn(text, ",");
		char part[UNITS_LEN];
		const char *wrong;

		if (n == o->items)
			return "too many items";
		if (len == 0)
			return "an item is empty";
		if (len >= sizeof(part))
			return "not a list of whole numbers";
		memcpy(part, text, len);
		part[len] = '\0';
		wrong = parse_u16(o, part, &item[n]);
		if (wrong != NULL)
			return wrong;
		n++;
		if (text[len] == '\0')
			return NULL;
		text += len + 1;
	}
}

static void
format_u16_list(const struct option *o, const void *field, char *buf, size_t len)
{
	const uint16_t *item = field;

	buf[0] = '\0';
	for (unsigned int i = 0; i < o->items && item[i] != 0; i++)
		append(buf, len, "%s%u", i == 0 ? "" : ",", item[i]);
}

static void
range_u16_list(const struct option *o, char *buf, size_t len)
{
	range_count(o, buf, len);
	append(buf, len, " each, at most %u of them", o->items);
}

/* One of each kind at most; 0 of either would be reached by anything. */
static const char *
parse_rates(const struct option *o, const char *text, void *field)
{
	struct option_rates *rates = field;

	(void)o;
	*rates = (struct option_rates){0};
	for (;;) {
		size_t len = strcspn(text, ",");
		char part[UNITS_LEN];
		struct units_rate rate;
		uint64_t *value;

		if (len >= sizeof(part))
			return "not a rate";
		memcpy(part, text, len);
		part[len] = '\0';
		switch (units_parse_rate(part, &rate)) {
		case 0:
			break;
		case -ERANGE:
			return "a rate is too large";
		default:
			return "not a rate";
		}
		value = rate.kind == UNITS_PPS ? &rates->pps : &rates->bps;
		if (rate.value == 0)
			return "a rate is 0";
		if (*value != 0)
			return "two rates of one kind";
		*value = rate.value;
		if (text[len] == '\0')
			return NULL;
		text += len + 1;
	}
}

static void
format_rates(const struct option *o, const void *field, char *buf, size_t len)
{
	const struct option_rates *rates = field;

	(void)o;
	buf[0] = '\0';
	if (rates->pps != 0)
		append(buf, len, "%" PRIu64 "pps", rates->pps);
	if (rates->bps != 0)
		append(buf, len, "%s%" PRIu64 "bps", rates->pps != 0 ? "," : "", rates->bps);
}

static const char *
parse_one_rate(const struct option *o, const char *text, void *field)
{
	struct option_rate *rate = field;
	struct units_rate r;
	int rc;

	(void)o;
	*rate = (struct option_rate){0};
	if (strchr(text, '%') != NULL) {
		rc = units_parse_percent(text, &rate->millionths);
		if (rc == 0 && (rate->millionths == 0 || rate->millionths > 1000000))
			return "not a share above 0 and up to 100%";
	} else {
		rc = units_parse_rate(text, &r);
		if (rc == 0)
			*(r.kind == UNITS_PPS ? &rate->pps : &rate->bps) = r.value;
		if (rc == 0 && r.value == 0)
			return "a rate is 0";
	}
	if (rc == -ERANGE)
		return "a rate is too large";
	return rc == 0 ? NULL : "not a rate";
}

static void
format_one_rate(const struct option *o, const void *field, char *buf, size_t len)
{
	const struct option_rate *rate = field;

	(void)o;
	buf[0] = '\0';
	if (rate->pps != 0)
		append(buf, len, "%" PRIu64 "pps", rate->pps);
	else if (rate->bps != 0)
		append(buf, len, "%" PRIu64 "bps", rate->bps);
	else if (rate->millionths != 0)
		append(buf, len, "%g%%", (double)rate->millionths / 10000);
}

/* Without a unit only 0 is clear. */
static const char *
parse_share(const struct option *o, const char *text, void *field)
{
	uint64_t millionths;
	int rc = units_parse_percent(strcmp(text, "0") == 0 ? "0%" : text, &millionths);

	(void)o;
	if (rc != 0)
		return "not a share in %, or finer than a millionth";
	if (millionths > 1000000)
		return "more than 100%";
	*(uint64_t *)field = millionths;
	return NULL;
}

static void
format_share(const struct option *o, const void *field, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "%g%%", (double)*(const uint64_t *)field / 10000);
}

static void
range_share(const struct option *o, char *buf, size_t len)
{
	(void)o;
	snprintf(buf, len, "0%% to 100%%, as 0.1%%");
}

static void
range_one_rate(const struct option *o, char *buf, size_t len)
{
	(void)o;
	append(buf, len, "10Mpps, 5Gbps, or 40%% of a known link speed");
}

static void
range_rates(const struct option *o, char *buf, size_t len)
{
	(void)o;
	append(buf, len, "12Mpps, 50Gbps or both with a comma between");
}

const struct option_type option_flag = {
	.json = OPTION_JSON_BOOL,
	.size = sizeof(bool),
	.parse = parse_flag,
	.format = format_flag,
	.range = range_flag,
};

const struct option_type option_u16 = {
	.arg = "N",
	.json = OPTION_JSON_NUMBER,
	.size = sizeof(uint16_t),
	.parse = parse_u16,
	.format = format_u16,
	.range = range_count,
};

const struct option_type option_u32 = {
	.arg = "N",
	.json = OPTION_JSON_NUMBER,
	.size = sizeof(uint32_t),
	.parse = parse_u32,
	.format = format_u32,
	.range = range_count,
};

const struct option_type option_u64 = {
	.arg = "N",
	.json = OPTION_JSON_NUMBER,
	.size = sizeof(uint64_t),
	.parse = parse_u64,
	.format = format_u64,
	.range = range_count,
};

const struct option_type option_mask = {
	.arg = "MASK",
	.json = OPTION_JSON_STRING,
	.size = sizeof(uint64_t),
	.parse = parse_mask,
	.format = format_mask,
	.range = range_mask,
};

const struct option_type option_duration = {
	.arg = "TIME",
	.json = OPTION_JSON_NUMBER,
	.size = sizeof(uint64_t),
	.parse = parse_duration,
	.format = format_duration,
	.range = range_duration,
};

const struct option_type option_file = {
	.arg = "FILE",
	.json = OPTION_JSON_STRING,
	.size = sizeof(const char *),
	.text = true,
	.parse = parse_string,
	.format = format_string,
};

const struct option_type option_name = {
	.arg = "NAME",
	.json = OPTION_JSON_STRING,
	.size = sizeof(const char *),
	.text = true,
	.parse = parse_name,
	.format = format_string,
};

const struct option_type option_string = {
	.arg = "TEXT",
	.json = OPTION_JSON_STRING,
	.size = sizeof(const char *),
	.text = true,
	.parse = parse_string,
	.format = format_string,
};

const struct option_type option_ipv4 = {
	.arg = "IP",
	.json = OPTION_JSON_STRING,
	.size = sizeof(uint32_t),
	.parse = parse_ipv4,
	.format = format_ipv4,
};

const struct option_type option_mac = {
	.arg = "MAC",
	.json = OPTION_JSON_STRING,
	.size = sizeof(struct mac),
	.parse = parse_mac,
	.format = format_mac,
};

/* Enums are as large as unsigned int with the compilers in use; the table asserts it. */
const struct option_type option_choice = {
	.arg = "WORD",
	.json = OPTION_JSON_STRING,
	.size = sizeof(unsigned int),
	.parse = parse_choice,
	.format = format_choice,
	.range = range_choice,
};

const struct option_type option_rates = {
	.arg = "PPS,BPS",
	.json = OPTION_JSON_STRING,
	.size = sizeof(struct option_rates),
	.parse = parse_rates,
	.format = format_rates,
	.range = range_rates,
};

const struct option_type option_rate = {
	.arg = "RATE",
	.json = OPTION_JSON_STRING,
	.size = sizeof(struct option_rate),
	.parse = parse_one_rate,
	.format = format_one_rate,
	.range = range_one_rate,
};

const struct option_type option_share = {
	.arg = "SHARE",
	.json = OPTION_JSON_STRING,
	.size = sizeof(uint64_t),
	.parse = parse_share,
	.format = format_share,
	.range = range_share,
};

const struct option_type option_u16_list = {
	.arg = "N,...",
	.json = OPTION_JSON_STRING,
	.parse = parse_u16_list,
	.format = format_u16_list,
	.range = range_u16_list,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options as data. A table row describes one option: its name, type, range, default, help and the
 * field it fills. Whatever needs options walks the table: the command line, the configuration file,
 * the help, the echo in the result file.
 *
 * Every value given is remembered with the place where it was given. That list answers where a
 * value came from, and finds values that contradict each other. A later source wins over an earlier
 * one (command line over file over default); within one source the same option may be given twice
 * only with the same value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "err.h"

enum {
	OPTION_MAX_VALUE = 1023, /* characters of a value; a longer one is refused */
	OPTION_TEXT_LEN = 4096,  /* room for the values of a keyed option as one text */
	OPTION_MAX_ITEMS = 16,   /* of a list */
};

/* A rate of each kind. */
struct option_rates {
	uint64_t pps; /* 0: not given */
	uint64_t bps;
};

/* One rate, of one of these kinds; the others are 0. */
struct option_rate {
	uint64_t pps;
	uint64_t bps;
	uint64_t millionths; /* of the links' speed */
};

/* What a field can be. */
union option_field {
	bool flag;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	uint16_t u16_list[OPTION_MAX_ITEMS];
	struct option_rates rates;
	struct option_rate rate;
	unsigned int choice;
	const char *text;
	struct mac mac;
};

/* In rising order of who wins. */
enum option_source {
	OPTION_DEFAULT,
	OPTION_FILE,
	OPTION_ARGV,
};

struct option_place {
	enum option_source source;
	const char *file; /* of OPTION_FILE; borrowed, outlives the settings */
	int line;         /* of OPTION_FILE, from 1 */
};

/* How a value is written in JSON. */
enum option_json {
	OPTION_JSON_NULL, /* there is no value */
	OPTION_JSON_BOOL,
	OPTION_JSON_NUMBER,
	OPTION_JSON_STRING,
};

struct option;

/* A new type of value is one more of these. */
struct option_type {
	const char *arg; /* what the help calls the value; NULL: a flag, which needs none */
	enum option_json json;
	size_t size; /* bytes of one field */
	bool text;   /* the field is a const char *, NULL without a value */
	/* Reads text into field. Returns NULL, or what is wrong with it, in a few words. */
	const char *(*parse)(const struct option *o, const char *text, void *field);
	/* Writes the value as parse() would read it. */
	void (*format)(const struct option *o, const void *field, char *buf, size_t len);
	/* Writes what is valid, for messages and help; NULL: nothing to say. */
	void (*range)(const struct option *o, char *buf, size_t len);
};

extern const struct option_type option_flag; /* bool */
extern const struct option_type option_u16;  /* uint16_t within min and max, decimal */
extern const struct option_type option_u32;  /* uint32_t */
extern const struct option_type option_u64;  /* uint64_t */
extern const struct option_type option_mask; /* uint64_t, always hex, with or without 0x */
extern const struct option_type
	option_duration;                       /* uint64_t in ns; 0 always valid, else min to max */
extern const struct option_type option_string; /* const char *, not empty */
extern const struct option_type option_file;   /* the same, called FILE */
extern const struct option_type option_name;   /* any text, called NAME; the caller checks it */
extern const struct option_type option_ipv4;   /* uint32_t, host byte order */
extern const struct option_type option_mac;    /* struct mac */
extern const struct option_type option_rates;  /* struct option_rates: "12Mpps,50Gbps", or one */
extern const struct option_type option_rate;   /* struct option_rate: "10Mpps", "5Gbps", "40%" */
extern const struct option_type option_share;  /* uint64_t, millionths: "0.1%", "0" */
extern const struct option_type option_choice; /* enum: index of one of words */
extern const struct option_type
	option_u16_list; /* uint16_t[items], none 0; a 0 ends a shorter one */

struct option {
	const char *name; /* without dashes */
	const char *arg;  /* what the help calls the value; NULL: as the type does */
	const struct option_type *type;
	const char *group; /* heading in the help, section in the file */
	const char *unit;  /* of the range; NULL: none */
	uint64_t min, max;
	const char *def;     /* default as text; NULL: no value */
	const char *without; /* what happens without a value, for the help; NULL: def says it */
	const char *help;    /* one or two sentences */
	size_t offset;       /* of the field in the struct that is filled */
	const char *const *words; /* of option_choice, ends with NULL */
	unsigned int items;       /* of option_u16_list: how many at most */
	unsigned int keys;        /* above 0: PORT SEP VALUE, an array of so many fields */
	char sep;                 /* of a keyed option: '=' or ',' */
	const char *const *parts; /* no field: A,B sets these options; ends with NULL */
	int question;             /* no field: not 0 asks for an answer instead of a run */
	bool testpmd;             /* testpmd has an option of this name and meaning */
	bool argv_only;           /* means nothing in a file */
	const char
		*then; /* the option that the next plain word belongs to; NULL: none may follow */
};

struct option_setting {
	const struct option *option;
	unsigned int key; /* of a keyed option, else 0 */
	char *value;      /* without the key; owned */
	char *spelled;    /* "--burst=32", or "burst = 32" in a file; owned */
	struct option_place place;
};

/* A table, the struct it fills, and what was given so far. */
struct options {
	const struct option *table;
	unsigned int nb_options;
	void *base;
	struct option_setting *setting;
	unsigned int nb_settings;
};

/*
 * Sets every field to its default. The table's defaults are valid text by construction (a unit test
 * parses them all). String fields point into the table or into the settings.
 */
void options_init(struct options *s, const struct option *table, unsigned int n, void *base);

/* Frees the settings. String fields that came from them are invalid then. */
void options_free(struct options *s);

/* Returns the row of that name, or NULL. */
const struct option *option_find(const struct options *s, const char *name);

/* Returns the name most like this one, or NULL if none is. */
const char *option_nearest(const struct options *s, const char *name);

/* What the help calls the value of o; NULL: it needs none. */
const char *option_arg(const struct option *o);

/*
 * Reads one value into its field, unless a later source already gave it.
 * @param text the value as given; NULL for a flag without one
 * @return 0, or -1: malformed, out of range, or contradicting the same source. The message names
 *         place, option, text, range.
 */
int option_set(struct options *s, const struct option *o, const char *text,
	const struct option_place *place, struct err *e);

/* The setting in force for an option and key, or NULL: the default. */
const struct option_setting *option_in_force(
	const struct options *s, const struct option *o, unsigned int key);

/* "command line", "pmdperf.ini:12" or "default". Writes into buf and returns buf. */
const char *option_place_text(const struct option_place *place, char *buf, size_t len);

/*
 * Puts "--burst=32" or "pmdperf.ini:12: burst = 32" before the message of e; nothing for NULL, a
 * default. Returns -1.
 */
int option_blame(const struct option_setting *setting, struct err *e);

/* The value in force as text, keyed values as "0=txonly 1=rxonly"; and how JSON writes it. */
enum option_json option_value(
	const struct options *s, const struct option *o, char *buf, size_t len);

/* Writes the valid range, for example "1 to 512 frames". Empty if the type has none. */
void option_range(const struct option *o, char *buf, size_t len);

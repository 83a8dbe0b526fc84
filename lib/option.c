/* SPDX-License-Identifier: BSD-3-Clause */
#include "option.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"
#include "units.h"

static bool
has_field(const struct option *o)
{
	return o->parts == NULL && o->question == 0;
}

static size_t
field_size(const struct option *o)
{
	return o->items > 0 ? o->items * sizeof(uint16_t) : o->type->size;
}

static void *
field_of(const struct options *s, const struct option *o, unsigned int key)
{
	return (char *)s->base + o->offset + key * field_size(o);
}

void
options_init(struct options *s, const struct option *table, unsigned int n, void *base)
{
	*s = (struct options){.table = table, .nb_options = n, .base = base};
	for (unsigned int i = 0; i < n; i++) {
		const struct option *o = &table[i];

		if (!has_field(o))
			continue;
		memset(field_of(s, o, 0), 0, field_size(o) * (o->keys > 0 ? o->keys : 1));
		if (o->def != NULL)
			o->type->parse(o, o->def, field_of(s, o, 0));
	}
}

void
options_free(struct options *s)
{
	for (unsigned int i = 0; i < s->nb_settings; i++) {
		free(s->setting[i].value);
		free(s->setting[i].spelled);
	}
	free(s->setting);
	s->setting = NULL;
	s->nb_settings = 0;
}

const struct option *
option_find(const struct options *s, const char *name)
{
	for (unsigned int i = 0; i < s->nb_options; i++)
		if (strcmp(s->table[i].name, name) == 0)
			return &s->table[i];
	return NULL;
}

const char *
option_nearest(const struct options *s, const char *name)
{
	struct suggest suggest;

	suggest_init(&suggest, name);
	for (unsigned int i = 0; i < s->nb_options; i++)
		suggest_offer(&suggest, s->table[i].name);
	return suggest.best;
}

const char *
option_arg(const struct option *o)
{
	return o->arg != NULL ? o->arg : o->type->arg;
}

void
option_range(const struct option *o, char *buf, size_t len)
{
	char inner[256] = "";

	if (o->type->range != NULL)
		o->type->range(o, inner, sizeof(inner));
	if (o->keys > 0)
		snprintf(buf, len, "%s, PORT from 0 to %u%s%s%s%s", option_arg(o), o->keys - 1,
			inner[0] == '\0' ? "" : ", ", inner[0] == '\0' ? "" : o->type->arg,
			inner[0] == '\0' ? "" : " ", inner);
	else if (o->parts != NULL)
		snprintf(buf, len, "%s%s%s", option_arg(o), inner[0] == '\0' ? "" : ", each ",
			inner);
	else
		snprintf(buf, len, "%s", inner);
}

const char *
option_place_text(const struct option_place *place, char *buf, size_t len)
{
	switch (place->source) {
	case OPTION_FILE:
		snprintf(buf, len, "%s:%d", place->file, place->line);
		break;
	case OPTION_ARGV:
		snprintf(buf, len, "command line");
		break;
	case OPTION_DEFAULT:
		snprintf(buf, len, "default");
		break;
	}
	return buf;
}

int
option_blame(const struct option_setting *setting, struct err *e)
{
	if (setting == NULL)
		return -1;
	err_prefix(e, "%s", setting->spelled);
	if (setting->place.source == OPTION_FILE)
		err_prefix(e, "%s:%d", setting->place.file, setting->place.line);
	return -1;
}

const struct option_setting *
option_in_force(const struct options *s, const struct option *o, unsigned int key)
{
	const struct option_setting *best = NULL;

	for (unsigned int i = 0; i < s->nb_settings; i++) {
		const struct option_setting *setting = &s->setting[i];

		if (setting->option == o && setting->key == key &&
			(best == NULL || setting->place.source > best->place.source))
			best = setting;
	}
	return best;
}

/* The user's words for an option, to be freed. NULL: memory is short. */
static char *
spell(const struct option *o, const char *text, const struct option_place *place)
{
	bool in_file = place->source == OPTION_FILE;
	char *spelled = NULL;

	if (asprintf(&spelled, "%s%s%s%s", in_file ? "" : "--", o->name,
		    text == NULL ? ""
		    : in_file    ? " = "
				 : "=",
		    text == NULL ? "" : text) < 0)
		return NULL;
	return spelled;
}

static int
refuse(const struct option *o, const char *wrong, struct err *e)
{
	char range[512];

	option_range(o, range, sizeof(range));
	return err_set(e, EXIT_USAGE, "%s%s%s", wrong, range[0] == '\0' ? "" : "; valid: ", range);
}

/* A repetition must say the same. Reads the earlier text again: its field may hold another value.
 */
static bool
same_value(const struct option_setting *old, const union option_field *value)
{
	const struct option *o = old->option;
	union option_field old_value = {0};

	o->type->parse(o, old->value, &old_value);
	if (o->type->text)
		return strcmp(old_value.text, value->text) == 0;
	return memcmp(&old_value, value, field_size(o)) == 0;
}

static int
contradiction(const struct option_setting *old, struct err *e)
{
	if (old->place.source == OPTION_FILE)
		return err_set(e, EXIT_USAGE, "contradicts \"%s\" in line %d; keep one of them",
			old->spelled, old->place.line);
	return err_set(e, EXIT_USAGE, "contradicts %s; keep one of them", old->spelled);
}

/* Takes over one reading of a value, which is in setting. The setting keeps its two texts. */
static int
take(struct options *s, const struct option_setting *setting, struct err *e)
{
	const struct option *o = setting->option;
	union option_field value = {0};
	const struct option_setting *in_force = option_in_force(s, o, setting->key);
	bool wins = in_force == NULL || in_force->place.source <= setting->place.source;
	struct option_setting *grown;
	const char *wrong = o->type->parse(o, setting->value, &value);

	if (wrong != NULL)
		return refuse(o, wrong, e);
	for (unsigned int i = 0; i < s->nb_settings; i++) {
		const struct option_setting *old = &s->setting[i];

		if (old->option == o && old->key == setting->key &&
			old->place.source == setting->place.source && !same_value(old, &value))
			return contradiction(old, e);
	}
	grown = realloc(s->setting, (s->nb_settings + 1) * sizeof(*grown));
	if (grown == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory");
	s->setting = grown;
	s->setting[s->nb_settings++] = *setting;
	if (wins)
		memcpy(field_of(s, o, setting->key), &value, field_size(o));
	return 0;
}

/* Reads the text up to the separator as the key. Returns the value behind it, or NULL. */
static const char *
split_key(const struct option *o, const char *text, unsigned int *key, struct err *e)
{
	const char *sep = strchr(text, o->sep);
	char number[UNITS_LEN] = "";
	uint64_t n;

	if (sep == NULL) {
		refuse(o, "no port number before the value", e);
		return NULL;
	}
	if ((size_t)(sep - text) < sizeof(number))
		memcpy(number, text, (size_t)(sep - text));
	if (units_parse_count(number, &n) < 0 || n >= o->keys) {
		refuse(o, "not a port number", e);
		return NULL;
	}
	*key = (unsigned int)n;
	return sep + 1;
}

/* value: len bytes, of the option's own text or a part of it. NULL: a flag without one. */
static int
set_one(struct options *s, const struct option *o, const char *value, size_t len, char *spelled,
	const struct option_place *place, struct err *e)
{
	struct option_setting setting = {.option = o, .place = *place};

	setting.spelled = strdup(spelled);
	setting.value = strndup(value == NULL ? "true" : value, value == NULL ? 4 : len);
	if (setting.spelled == NULL || setting.value == NULL) {
		err_set(e, EXIT_MACHINE, "out of memory");
		goto fail;
	}
	if (o->keys > 0) {
		const char *rest = split_key(o, setting.value, &setting.key, e);

		if (rest == NULL)
			goto fail;
		memmove(setting.value, rest, strlen(rest) + 1);
	}
	if (take(s, &setting, e) < 0)
		goto fail;
	return 0;
fail:
	free(setting.value);
	free(setting.spelled);
	return -1;
}

/* A,B sets the options that are named as parts, as if each had been given. */
static int
set_parts(struct options *s, const struct option *o, const char *text, char *spelled,
	const struct option_place *place, struct err *e)
{
	for (const char *const *part = o->parts; *part != NULL; part++) {
		size_t len = strcspn(text, ",");

		if ((text[len] == ',') != (part[1] != NULL))
			return refuse(o, "wrong number of values", e);
		if (set_one(s, option_find(s, *part), text, len, spelled, place, e) < 0)
			return -1;
		text += len + 1;
	}
	return 0;
}

int
option_set(struct options *s, const struct option *o, const char *text,
	const struct option_place *place, struct err *e)
{
	bool too_long = text != NULL && strlen(text) > OPTION_MAX_VALUE;
	char *spelled = spell(o, too_long ? NULL : text, place);
	int rc;

	if (spelled == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory");
	if (too_long)
		rc = err_set(
			e, EXIT_USAGE, "the value is longer than %d characters", OPTION_MAX_VALUE);
	else if (o->question != 0 || (o->argv_only && place->source == OPTION_FILE))
		rc = err_set(e, EXIT_USAGE, "belongs on the command line");
	else if (text == NULL && option_arg(o) != NULL)
		rc = refuse(o, "needs a value", e);
	else if (o->parts != NULL)
		rc = set_parts(s, o, text, spelled, place, e);
	else
		rc = set_one(s, o, text, text == NULL ? 0 : strlen(text), spelled, place, e);
	if (rc < 0)
		option_blame(&(struct option_setting){.spelled = spelled, .place = *place}, e);
	free(spelled);
	return rc;
}

enum option_json
option_value(const struct options *s, const struct option *o, char *buf, size_t len)
{
	bool any = false;

	buf[0] = '\0';
	for (unsigned int key = 0; key < (o->keys > 0 ? o->keys : 1); key++) {
		size_t used = strlen(buf);

		if (option_in_force(s, o, key) == NULL && o->def == NULL)
			continue;
		if (o->keys > 0)
			used += (size_t)snprintf(
				buf + used, len - used, "%s%u%c", any ? " " : "", key, o->sep);
		if (used < len)
			o->type->format(o, field_of(s, o, key), buf + used, len - used);
		any = true;
	}
	return !any ? OPTION_JSON_NULL : o->keys > 0 ? OPTION_JSON_STRING : o->type->json;
}

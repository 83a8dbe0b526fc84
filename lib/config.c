/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "config_table.h"
#include "tag.h"

static const char config_option[] = "config";

bool
config_is_option(const char *name)
{
	const struct options s = {.table = config_table, .nb_options = config_table_len};

	return option_find(&s, name) != NULL;
}

const char *
config_nearest(const char *name)
{
	const struct options s = {.table = config_table, .nb_options = config_table_len};

	return option_nearest(&s, name);
}

const struct option *
config_row(const struct config *c, const char *name)
{
	return option_find(&c->given, name);
}

/* Sets the words of the command line: only --config, or only the others. */
static int
set_words(struct options *s, const struct config_word *words, unsigned int n, bool config,
	struct err *e)
{
	const struct option_place place = {.source = OPTION_ARGV};

	for (unsigned int i = 0; i < n; i++) {
		if ((strcmp(words[i].option->name, config_option) == 0) != config)
			continue;
		if (option_set(s, words[i].option, words[i].text, &place, e) < 0)
			return -1;
	}
	return 0;
}

int
config_parse(struct config *c, int argc, char **argv, const char *const *engines,
	struct ini_eal_words *eal, struct err *e)
{
	struct config_word *words = calloc((size_t)argc + 1, sizeof(*words));
	unsigned int nb_words;
	int rc;

	memset(c, 0, sizeof(*c));
	options_init(&c->given, config_table, config_table_len, c);
	if (words == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory");

	/* The file comes before the rest, so that its bad lines are found whatever overrides them.
	 */
	rc = config_words_read(&c->given, argc, argv, words, &nb_words, e);
	if (rc == 0)
		rc = set_words(&c->given, words, nb_words, true, e);
	if (rc == 0 && c->config_file != NULL)
		rc = config_file_read(c->config_file, &c->given, eal, e);
	if (rc == 0)
		rc = set_words(&c->given, words, nb_words, false, e);
	if (rc == 0)
		rc = config_check(c, engines, e);
	free(words);
	return rc;
}

void
config_free(struct config *c)
{
	options_free(&c->given);
}

/* The setting that decides over an option: for a keyed one, the strongest of all keys. */
static const struct option_setting *
decisive(const struct config *c, const struct option *o)
{
	const struct option_setting *best = NULL;

	for (unsigned int key = 0; key < (o->keys > 0 ? o->keys : 1); key++) {
		const struct option_setting *setting = option_in_force(&c->given, o, key);

		if (setting != NULL && (best == NULL || setting->place.source > best->place.source))
			best = setting;
	}
	return best;
}

bool
config_given(const struct config *c, const char *name)
{
	const struct option *o = config_row(c, name);

	return o != NULL && decisive(c, o) != NULL;
}

const char *
config_origin(const struct config *c, const char *name, char *buf, size_t len)
{
	const struct option *o = config_row(c, name);
	const struct option_setting *setting = o == NULL ? NULL : decisive(c, o);
	const struct option_place none = {.source = OPTION_DEFAULT};

	return option_place_text(setting == NULL ? &none : &setting->place, buf, len);
}

int
config_blame(const struct config *c, const char *option, unsigned int key, struct err *e)
{
	const struct option *o = config_row(c, option);
	const struct option_setting *setting =
		o == NULL ? NULL : option_in_force(&c->given, o, o->keys > 0 ? key : 0);

	return setting == NULL ? err_prefix(e, "--%s", option) : option_blame(setting, e);
}

int
config_blame_err(const struct config *c, struct err *e)
{
	const char *option = e->option;

	e->option = NULL;
	return option == NULL ? -1 : config_blame(c, option, 0, e);
}

void
config_foreach(
	const struct config *c, void (*fn)(void *arg, const struct config_echo *echo), void *arg)
{
	for (unsigned int i = 0; i < config_table_len; i++) {
		const struct option *o = &config_table[i];
		char value[OPTION_TEXT_LEN], origin[512];
		struct config_echo echo = {.name = o->name};

		if (o->question != 0 || o->parts != NULL)
			continue;
		echo.json = option_value(&c->given, o, value, sizeof(value));
		echo.value = echo.json == OPTION_JSON_NULL ? NULL : value;
		echo.origin = config_origin(c, o->name, origin, sizeof(origin));
		fn(arg, &echo);
	}
}

uint32_t
config_frame_len(const struct config *c)
{
	uint32_t len = 0;

	for (unsigned int i = 0; i < c->nb_txpkts; i++)
		len += c->txpkts[i];
	return len;
}

bool
config_tagged(const struct config *c)
{
	return !c->no_tag && c->nb_txpkts > 0 && c->txpkts[0] >= TAG_MIN_FRAME;
}

const char *
config_mode(const struct config *c, unsigned int port)
{
	if (port < CONFIG_MAX_PORTS && c->port_mode[port] != NULL)
		return c->port_mode[port];
	return c->forward_mode;
}

const struct mac *
config_dst_mac(const struct config *c, unsigned int port)
{
	if (port < CONFIG_MAX_PORTS && (c->eth_peer_set >> port & 1) != 0)
		return &c->eth_peer[port];
	return c->has_dst_mac ? &c->dst_mac : NULL;
}

bool
config_next_hop(const struct config *c, uint32_t *ip)
{
	if (c->gateway == 0 && !config_given(c, "dst-ip"))
		return false;
	*ip = c->gateway != 0 ? c->gateway : c->dst_ip;
	return true;
}

uint32_t
config_own_ip(const struct config *c, bool sends, bool any_sends)
{
	if (sends || (!any_sends && (config_given(c, "src-ip") || c->has_own_src_ip)))
		return c->src_ip;
	return c->dst_ip;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "config_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eal_option.h"
#include "suggest.h"

struct reader {
	const char *path;
	FILE *file;
	struct options *options;
	struct ini_eal_words *eal;
	struct err *e;
	int line;   /* of the text handed to the parser last */
	int failed; /* line of the first error, 0: none yet; the parser goes on after one */
};

void
ini_eal_words_free(struct ini_eal_words *words)
{
	for (unsigned int i = 0; i < words->nb; i++) {
		free(words->word[i].name);
		free(words->word[i].value);
	}
	free(words->word);
	*words = (struct ini_eal_words){0};
}

static int
eal_words_add(struct ini_eal_words *words, const char *name, const char *value, int line)
{
	struct ini_eal_word *grown = realloc(words->word, (words->nb + 1) * sizeof(*grown));
	struct ini_eal_word word = {.line = line};

	if (grown == NULL)
		return -1;
	words->word = grown;
	word.name = strdup(name);
	word.value = strdup(value);
	if (word.name == NULL || word.value == NULL) {
		free(word.name);
		free(word.value);
		return -1;
	}
	words->word[words->nb++] = word;
	return 0;
}

/* Ends the reading at the line in hand, whose message is in e. */
static void
fail(struct reader *r)
{
	r->failed = r->line;
	err_prefix(r->e, "%s:%d", r->path, r->line);
}

/* The parser wants one line in str of num bytes. Counts lines; refuses what would not fit. */
static char *
read_line(char *str, int num, void *stream)
{
	struct reader *r = stream;
	int n = 0, c;

	if (r->failed != 0)
		return NULL;
	r->line++;
	while ((c = getc(r->file)) != EOF) {
		if (c == '\0') {
			err_set(r->e, EXIT_USAGE, "a zero byte; this is not a text file");
			fail(r);
			return NULL;
		}
		/* The parser would take an indented line for more of the value above it. */
		if (n == 0 && (c == ' ' || c == '\t'))
			continue;
		if (n + 1 == num) {
			err_set(r->e, EXIT_USAGE, "the line is longer than %d characters", num - 2);
			fail(r);
			return NULL;
		}
		str[n++] = (char)c;
		if (c == '\n')
			break;
	}
	str[n] = '\0';
	return n == 0 ? NULL : str;
}

static bool
is_section(const struct options *s, const char *section)
{
	if (strcmp(section, "pmdperf") == 0)
		return true;
	for (unsigned int i = 0; i < s->nb_options; i++)
		if (strcmp(s->table[i].group, section) == 0)
			return true;
	return false;
}

static int
refuse_section(const struct options *s, const char *section, struct err *e)
{
	struct suggest nearest;

	if (section[0] == '\0')
		return err_set(e, EXIT_USAGE, "no section yet; put [pmdperf] or [eal] above it");
	suggest_init(&nearest, section);
	suggest_offer(&nearest, "pmdperf");
	suggest_offer(&nearest, "eal");
	for (unsigned int i = 0; i < s->nb_options; i++)
		suggest_offer(&nearest, s->table[i].group);
	if (nearest.best != NULL)
		return err_set(e, EXIT_USAGE, "unknown section [%s]; did you mean [%s]?", section,
			nearest.best);
	return err_set(e, EXIT_USAGE,
		"unknown section [%s]; options go into [pmdperf], EAL's words into [eal]", section);
}

static int
refuse_key(const struct options *s, const char *name, struct err *e)
{
	const char *bare = name + strspn(name, "-");
	const char *nearest = option_nearest(s, bare);
	size_t len = strlen(bare);

	if (len > 0 && (len == 1 ? eal_option_short(bare[0]) : eal_option_long(bare, len, true)))
		return err_set(e, EXIT_USAGE, "%s is EAL's: put it under [eal]", bare);
	if (nearest != NULL)
		return err_set(e, EXIT_USAGE, "unknown key '%s'; did you mean %s?", name, nearest);
	return err_set(e, EXIT_USAGE,
		"unknown key '%s'; keys are the options of --help without their dashes", name);
}

static int
take_eal(struct reader *r, const char *name, const char *value)
{
	if (name[0] == '\0')
		return err_set(r->e, EXIT_USAGE, "no name before the \"=\"");
	if (eal_words_add(r->eal, name, value, r->line) < 0)
		return err_set(r->e, EXIT_MACHINE, "out of memory");
	return 0;
}

/* Called by the parser for each NAME = VALUE. Returns 0 for an error, as it wants. */
static int
on_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;
	const struct option_place place = {.source = OPTION_FILE, .file = r->path, .line = r->line};
	const struct option *o;
	int rc;

	if (r->failed != 0)
		return 0;
	if (value == NULL)
		value = "";
	if (strcmp(section, "eal") == 0 && r->eal != NULL) {
		rc = take_eal(r, name, value);
	} else if (!is_section(r->options, section)) {
		rc = refuse_section(r->options, section, r->e);
	} else if ((o = option_find(r->options, name)) == NULL) {
		rc = refuse_key(r->options, name, r->e);
	} else {
		/* Names the place itself. */
		if (option_set(r->options, o, value, &place, r->e) == 0)
			return 1;
		r->failed = r->line;
		return 0;
	}
	if (rc < 0)
		fail(r);
	return rc == 0;
}

/* A name that leads nowhere is the user's mistake; anything else is the machine's. */
static enum exit_status
open_status(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case ELOOP:
	case ENAMETOOLONG:
		return EXIT_USAGE;
	default:
		return EXIT_MACHINE;
	}
}

int
config_file_read(const char *path, struct options *s, struct ini_eal_words *eal, struct err *e)
{
	struct reader r = {.path = path, .options = s, .eal = eal, .e = e};
	int rc, error;

	r.file = fopen(path, "re");
	if (r.file == NULL)
		return err_set(e, open_status(errno), "--config=%s: cannot open the file: %s", path,
			strerror(errno));
	errno = 0;
	rc = ini_parse_stream(read_line, &r, on_key, &r);
	error = ferror(r.file) ? errno : 0;
	fclose(r.file);

	if (error != 0)
		return err_set(e, open_status(error), "--config=%s: cannot read the file: %s", path,
			strerror(error));
	if (rc > 0 && (r.failed == 0 || rc < r.failed)) {
		r.line = rc;
		err_set(e, EXIT_USAGE, "neither [section] nor name = value");
		fail(&r);
	}
	if (r.failed != 0)
		return -1;
	if (rc < 0)
		return err_set(e, EXIT_MACHINE, "--config=%s: out of memory", path);
	return 0;
}

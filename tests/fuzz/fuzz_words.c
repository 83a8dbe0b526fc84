/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything a user can type: an INI file, EAL's words and ours. The input is text; lines before
 * one that is "--" are the file, those after it the words of a command line, parted by the next
 * "--" as on a command line. For clang's -fsanitize=fuzzer.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "eal_args.h"

enum {
	MAX_WORDS = 64,
};

static const char *const engines[] = {"rxonly", "txonly", NULL};

/* Every refusal says why, in one text that fits, with a status that says whose fault it is. */
static void
check(const struct err *e)
{
	assert(e->status == EXIT_USAGE || e->status == EXIT_MACHINE);
	assert(e->msg[0] != '\0');
	assert(memchr(e->msg, '\0', sizeof(e->msg)) != NULL);
}

static void
ignore_echo(void *arg, const struct config_echo *echo)
{
	(void)arg;
	assert(echo->name != NULL && echo->origin != NULL);
}

/* What was read can be echoed, noted and asked for port by port. */
static void
use_config(const struct config *c)
{
	struct notes notes = {0};

	config_foreach(c, ignore_echo, NULL);
	config_notes(c, &notes);
	assert(config_frame_len(c) >= 60 && config_frame_len(c) <= UINT16_MAX);
	for (unsigned port = 0; port < CONFIG_MAX_PORTS; port++) {
		(void)config_mode(c, port);
		(void)config_dst_mac(c, port);
	}
}

static void
use_args(const struct eal_args *args)
{
	char **argv = NULL;
	struct err e;
	int argc;

	if (eal_args_build(args, "pmdperf", 1, &argc, &argv, &e) != 0)
		return;
	assert(argc > 0 && argv[argc] == NULL);
	for (int i = 0; i < argc; i++)
		assert(argv[i] != NULL);
	eal_args_argv_free(argv);
}

static bool
is_own(const char *name)
{
	return config_is_option(name);
}

static void
run(int eal_argc, char **eal_argv, int argc, char **argv)
{
	static struct config cfg;
	struct ini_eal_words ini = {0};
	struct eal_args args = {0};
	struct err e = {0};
	int rc = config_parse(&cfg, argc, argv, engines, &ini, &e);

	if (rc < 0)
		check(&e);
	if (rc == 0)
		use_config(&cfg);
	if (rc <= 0) {
		e = (struct err){0};
		rc = eal_args_parse(&args, eal_argc, eal_argv, &ini, cfg.config_file, is_own, &e);
		if (rc < 0)
			check(&e);
		else
			use_args(&args);
		eal_args_free(&args);
	}
	ini_eal_words_free(&ini);
	config_free(&cfg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *words[MAX_WORDS + 1], *text = malloc(size + 1), *next, *file_end;
	int nb = 0, split = 0, fd = memfd_create("fuzz", 0);
	char config[64];

	if (text == NULL || fd < 0)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	/* The file may hold zero bytes; the words cannot. */
	file_end = memmem(text, size, "\n--\n", 4);
	next = file_end == NULL ? text + size : file_end + 4;
	if (write(fd, text, file_end == NULL ? size : (size_t)(file_end - text)) < 0)
		abort();
	snprintf(config, sizeof(config), "--config=/proc/self/fd/%d", fd);
	while (*next != '\0' && nb < MAX_WORDS - 1) {
		char *word = strsep(&next, "\n");

		if (strcmp(word, "--") == 0 && split == 0) {
			split = nb;
			if (next == NULL)
				break;
			continue;
		}
		words[nb++] = word;
		if (next == NULL)
			break;
	}
	words[nb] = config;
	run(split, words, nb - split + 1, words + split);
	close(fd);
	free(text);
	return 0;
}

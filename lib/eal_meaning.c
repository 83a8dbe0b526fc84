/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_meaning.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "eal_option.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

const char *
eal_word_spelled(const struct eal_word *word)
{
	return word->line == 0 ? word->name : word->name + strspn(word->name, "-");
}

static int
parse_number(
	const struct eal_word *word, uint64_t min, uint64_t max, uint64_t *number, struct err *e)
{
	char *end;

	errno = 0;
	*number = strtoull(word->value, &end, 10);
	if (!isdigit((unsigned char)word->value[0]) || *end != '\0' || errno != 0 ||
		*number < min || *number > max)
		return err_set(e, EXIT_USAGE, "%s '%s': valid are whole numbers from %llu to %llu",
			eal_word_spelled(word), word->value, (unsigned long long)min,
			(unsigned long long)max);
	return 0;
}

/* Reads "1024,0,512": megabytes by node. */
static int
parse_node_list(const struct eal_word *word, uint64_t *mb, struct err *e)
{
	const char *s = word->value;

	for (unsigned node = 0; node < TOPOLOGY_MAX_NODES; node++) {
		char *end;

		errno = 0;
		mb[node] = strtoull(s, &end, 10);
		if (!isdigit((unsigned char)*s) || errno != 0 || (*end != ',' && *end != '\0'))
			break;
		if (*end == '\0')
			return 0;
		s = end + 1;
	}
	return err_set(e, EXIT_USAGE, "%s '%s': valid are megabytes by node, such as 1024,0",
		eal_word_spelled(word), word->value);
}

/* "debug", "8", "lib.eal:debug", "lib.*,8". EAL mistakes anything else for something to ignore. */
static int
check_log_level(const struct eal_word *word, struct err *e)
{
	static const char *const names[] = {"emergency", "alert", "critical", "error", "warning",
		"notice", "info", "debug", "max"};
	const char *level = word->value + strlen(word->value);

	while (level > word->value && level[-1] != ':' && level[-1] != ',')
		level--;
	if ((level[0] >= '1' && level[0] <= '8' && level[1] == '\0') ||
		strcmp(word->value, "help") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(level, names[i]) == 0)
			return 0;
	}
	return err_set(e, EXIT_USAGE,
		"%s '%s': valid are emergency, alert, critical, error, warning, notice, info, "
		"debug "
		"or 1 to 8, alone or behind a component and a colon: lib.eal:debug",
		eal_word_spelled(word), word->value);
}

static int
push(const char ***list, unsigned *nb, const char *text, struct err *e)
{
	const char **grown = realloc(*list, (*nb + 1) * sizeof(**list));

	if (grown == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory for EAL's words");
	grown[(*nb)++] = text;
	*list = grown;
	return 0;
}

int
eal_word_understand(struct eal_args *args, const struct eal_word *word, struct err *e)
{
	uint64_t number;

	switch (word->option->id) {
	case EAL_OPT_ALLOW:
		return push(&args->allow, &args->nb_allow, word->value, e);
	case EAL_OPT_BLOCK:
		return push(&args->block, &args->nb_block, word->value, e);
	case EAL_OPT_VDEV:
		return push(&args->vdevs, &args->nb_vdevs, word->value, e);
	case EAL_OPT_COREMASK:
	case EAL_OPT_LCORES:
		args->lcores_given = true;
		args->lcores_option = word->name;
		args->lcores_value = word->value;
		if ((word->option->id == EAL_OPT_LCORES
				    ? lcores_parse(&args->lcores, word->value, e)
				    : lcores_parse_mask(&args->lcores, word->value, e)) < 0)
			return err_prefix(e, "%s", eal_word_spelled(word));
		return 0;
	case EAL_OPT_MAIN_LCORE:
		if (parse_number(word, 0, CPUSET_MAX - 1, &number, e) < 0)
			return -1;
		args->main_lcore = (int)number;
		return 0;
	case EAL_OPT_SERVICE:
		return err_set(e, EXIT_USAGE,
			"%s: service lcores have no work here, every lcore polls queues: leave it "
			"out",
			eal_word_spelled(word));
	case EAL_OPT_REMAP:
		return err_set(e, EXIT_USAGE,
			"%s: high CPU ids are mapped to lcore ids without it: leave it out",
			eal_word_spelled(word));
	case EAL_OPT_PROC_TYPE:
		if (strcasecmp(word->value, "secondary") == 0)
			return err_set(e, EXIT_USAGE,
				"%s 'secondary': this program owns its ports and runs as primary "
				"only; two of them need different --file-prefix",
				eal_word_spelled(word));
		if (strcmp(word->value, "primary") != 0 && strcmp(word->value, "auto") != 0)
			return err_set(e, EXIT_USAGE, "%s '%s': valid are primary and auto",
				eal_word_spelled(word), word->value);
		args->memory_mode |= EAL_MEM_PROC_TYPE;
		return 0;
	case EAL_OPT_FILE_PREFIX:
		/* It becomes part of file names that are removed at the end. */
		if (word->value[0] == '\0' || word->value[0] == '.' ||
			word->value[strspn(word->value, NAME_CHARACTERS)] != '\0')
			return err_set(e, EXIT_USAGE,
				"%s '%s': valid is a name of letters, digits, '.', '_' and '-' "
				"that "
				"does not begin with '.'",
				eal_word_spelled(word), word->value);
		args->file_prefix = word->value;
		return 0;
	case EAL_OPT_MEMORY:
		return parse_number(word, 1, UINT32_MAX, &args->memory_mb, e);
	case EAL_OPT_CHANNELS:
		if (parse_number(word, 1, 64, &number, e) < 0)
			return -1;
		args->channels = (unsigned)number;
		return 0;
	case EAL_OPT_RANKS:
		if (parse_number(word, 1, 16, &number, e) < 0)
			return -1;
		args->ranks = (unsigned)number;
		return 0;
	case EAL_OPT_SOCKET_MEM:
		args->socket_mem_given = true;
		return parse_node_list(word, args->socket_mem_mb, e);
	case EAL_OPT_SOCKET_LIMIT:
		args->socket_limit_given = true;
		return parse_node_list(word, args->socket_limit_mb, e);
	case EAL_OPT_HUGE_DIR:
		args->huge_dir = word->value;
		args->memory_mode |= EAL_MEM_HUGE_DIR;
		return 0;
	case EAL_OPT_IN_MEMORY:
		args->in_memory = true;
		args->memory_mode |= EAL_MEM_IN_MEMORY;
		return 0;
	case EAL_OPT_NO_HUGE:
		args->no_huge = true;
		args->memory_mode |= EAL_MEM_NO_HUGE;
		return 0;
	case EAL_OPT_HUGE_UNLINK:
		args->memory_mode |= EAL_MEM_HUGE_UNLINK;
		return 0;
	case EAL_OPT_LEGACY_MEM:
		args->memory_mode |= EAL_MEM_LEGACY;
		return 0;
	case EAL_OPT_MATCH_ALLOCATIONS:
		args->memory_mode |= EAL_MEM_MATCH_ALLOCATIONS;
		return 0;
	case EAL_OPT_NO_SHCONF:
		args->memory_mode |= EAL_MEM_NO_SHCONF;
		return 0;
	case EAL_OPT_SINGLE_FILE:
		args->memory_mode |= EAL_MEM_SINGLE_FILE;
		return 0;
	case EAL_OPT_IOVA_MODE:
		if (strcmp(word->value, "pa") != 0 && strcmp(word->value, "va") != 0)
			return err_set(e, EXIT_USAGE, "%s '%s': valid are pa and va",
				eal_word_spelled(word), word->value);
		args->iova_mode = word->value;
		return 0;
	case EAL_OPT_NO_PCI:
		args->no_pci = true;
		return 0;
	case EAL_OPT_HELP:
		args->help = true;
		return 0;
	case EAL_OPT_VERSION:
		args->version = true;
		return 0;
	case EAL_OPT_LOG_LEVEL:
		return check_log_level(word, e);
	case EAL_OPT_PASS:
		return 0;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

static char **arguments; /* EAL keeps pointers into them until the end */

static bool
has_word(const struct eal_args *args, const char *name)
{
	for (unsigned i = 0; i < args->nb_words; i++) {
		if (strcmp(args->words[i].name, name) == 0)
			return true;
	}
	return false;
}

/* EAL prints usage errors through getopt, beside its log. */
static int
init(int argc, char **argv, bool verbose, char **text)
{
	size_t size = 0;
	FILE *log = NULL;
	int rc;

	*text = NULL;
	if (!verbose) {
		rte_log_set_global_level(RTE_LOG_WARNING);
		log = open_memstream(text, &size);
		if (log != NULL)
			rte_openlog_stream(log);
	}
	rc = rte_eal_init(argc, argv);
	if (log != NULL) {
		rte_openlog_stream(NULL);
		fclose(log);
	}
	return rc;
}

int
eal_start(const struct eal_args *args, const char *program, struct err *e)
{
	char **scratch, *log;
	int argc, rc;

	if (eal_args_build(args, program, getpid(), &argc, &arguments, e) != 0)
		return -1;
	/* EAL reorders the vector. */
	scratch = calloc((size_t)argc + 1, sizeof(*scratch));
	if (scratch == NULL) {
		eal_args_argv_free(arguments);
		return err_set(e, EXIT_MACHINE, "no memory");
	}
	memcpy(scratch, arguments, (size_t)argc * sizeof(*scratch));
	rc = init(argc, scratch, has_word(args, "--log-level"), &log);
	if (rc < 0) {
		int error = rte_errno;

		if (log != NULL)
			fputs(log, stderr);
		err_set(e, error == EINVAL ? EXIT_USAGE : EXIT_MACHINE,
			"EAL did not start (%s); its messages are above%s", rte_strerror(error),
			error == EINVAL ? ", check the words before --" : "");
	}
	free(log);
	free(scratch);
	return rc < 0 ? -1 : 0;
}

void
eal_stop(void)
{
	rte_eal_cleanup();
	eal_args_argv_free(arguments);
	arguments = NULL;
}

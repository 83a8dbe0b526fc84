/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include "capture.h"

static char **arguments; /* EAL keeps pointers into them until the end */

bool
eal_is_verbose(const struct eal_args *args)
{
	for (unsigned i = 0; i < args->nb_words; i++) {
		if (strcmp(args->words[i].name, "--log-level") == 0)
			return true;
	}
	return false;
}

static bool
hugetlbfs_mounted(void)
{
	FILE *mounts = setmntent("/proc/mounts", "r");
	struct mntent *m;
	bool found = false;

	while (mounts != NULL && !found && (m = getmntent(mounts)) != NULL)
		found = strcmp(m->mnt_type, "hugetlbfs") == 0;
	if (mounts != NULL)
		endmntent(mounts);
	return found;
}

int
eal_check_memory(const struct eal_args *args, const struct host *host, struct err *e)
{
	uint64_t free_mb = 0;
	struct statfs fs;

	if (args->no_huge && args->huge_dir != NULL)
		return err_set(e, EXIT_USAGE, "--huge-dir and --no-huge contradict each other");
	if (args->no_huge)
		return 0;
	for (unsigned i = 0; i < host->nb_pages; i++)
		free_mb += host->pages[i].free * (host->pages[i].size >> 20);
	if (free_mb == 0)
		return err_set(e, EXIT_MACHINE,
			"no free hugepages: reserve some, for example by\n"
			"  echo 256 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages\n"
			"(pmdperf --plan shows how many are needed), or test without them: "
			"--no-huge "
			"before --");
	if (args->memory_mb > free_mb)
		return err_set(e, EXIT_MACHINE,
			"-m %" PRIu64 ": only %" PRIu64
			" MB are free in hugepages; ask for less, or "
			"reserve more pages",
			args->memory_mb, free_mb);
	if (args->memory_mode != 0 && !args->in_memory && args->huge_dir == NULL &&
		!hugetlbfs_mounted()) {
		err_set(e, EXIT_MACHINE,
			"keeps hugepages in files, and no hugetlbfs is mounted: mount one (mkdir "
			"-p "
			"/dev/hugepages && mount -t hugetlbfs none /dev/hugepages), or leave the "
			"option out: nothing needs files then");
		return eal_args_blame_memory(args, e);
	}
	if (args->huge_dir != NULL &&
		(statfs(args->huge_dir, &fs) != 0 || fs.f_type != HUGETLBFS_MAGIC))
		return err_set(e, EXIT_USAGE,
			"--huge-dir=%s: no hugetlbfs is mounted there; leave the option out, "
			"hugepages "
			"are then taken without a file",
			args->huge_dir);
	return 0;
}

/* The vdev EAL's words are about, -1 if none is mentioned. */
static int
blamed_vdev(const struct eal_args *args, const char *log)
{
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(args->vdevs[i], ","),
			args->vdevs[i]);
		if (capture_mentions(log, name))
			return (int)i;
	}
	return -1;
}

static int
explain_failure(const struct eal_args *args, int error, const char *log, struct err *e)
{
	const struct eal_word *unknown = eal_args_unknown_word(args);
	int vdev = blamed_vdev(args, log);
	char reason[400];

	capture_reason(log, reason, sizeof(reason));
	if (error == EINVAL && unknown != NULL)
		return eal_args_refuse_unknown(args, unknown, e);
	if (vdev >= 0) {
		err_set(e, EXIT_MACHINE, "EAL cannot make this device (%s)",
			reason[0] == '\0' ? rte_strerror(error) : reason);
		return eal_args_blame_vdev(args, (unsigned)vdev, e);
	}
	/* EAL says "invalid" of a directory that it may not make, too. */
	if (strstr(reason, strerror(EACCES)) != NULL || strstr(reason, strerror(EROFS)) != NULL)
		error = EACCES;
	return err_set(e, error == EINVAL ? EXIT_USAGE : EXIT_MACHINE, "EAL did not start: %s%s%s",
		rte_strerror(error), reason[0] == '\0' ? "" : ": ", reason);
}

/* A vdev whose driver refuses it is only a line in EAL's log. */
static int
check_vdevs(const struct eal_args *args, const char *log, struct err *e)
{
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		const char *vdev = args->vdevs[i];
		char name[RTE_ETH_NAME_MAX_LEN], reason[400];
		uint16_t port;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(vdev, ","), vdev);
		if (rte_eth_dev_get_port_by_name(name, &port) == 0)
			continue;
		capture_reason(log, reason, sizeof(reason));
		err_set(e, EXIT_MACHINE, "its driver made no port of it (%s)",
			reason[0] == '\0' ? "and does not say why" : reason);
		return eal_args_blame_vdev(args, i, e);
	}
	return 0;
}

int
eal_start(const struct eal_args *args, const char *program, struct err *e)
{
	struct capture capture = {.fd = -1};
	char **scratch, *log = NULL;
	int argc, rc, error;

	if (eal_args_build(args, program, getpid(), &argc, &arguments, e) != 0)
		return -1;
	/* EAL reorders the vector. */
	scratch = calloc((size_t)argc + 1, sizeof(*scratch));
	if (scratch == NULL) {
		eal_args_argv_free(arguments);
		return err_set(e, EXIT_MACHINE, "no memory");
	}
	memcpy(scratch, arguments, (size_t)argc * sizeof(*scratch));
	if (!eal_is_verbose(args)) {
		rte_log_set_global_level(RTE_LOG_WARNING);
		capture_begin(&capture);
	}
	rc = rte_eal_init(argc, scratch);
	error = rte_errno;
	capture_end(&capture, &log);
	free(scratch);
	if (rc < 0) {
		explain_failure(args, error, log, e);
		eal_args_argv_free(arguments);
	} else if (check_vdevs(args, log, e) != 0) {
		eal_stop();
		rc = -1;
	}
	free(log);
	return rc < 0 ? -1 : 0;
}

void
eal_stop(void)
{
	rte_eal_cleanup();
	eal_args_argv_free(arguments);
	arguments = NULL;
}

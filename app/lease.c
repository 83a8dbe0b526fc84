/* SPDX-License-Identifier: BSD-3-Clause */
#include "lease.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_pci.h>

#define LEASE_DIR "/run/pmdperf/nic"

enum {
	LEASE_LINE = 33, /* always as long, so that each line covers the one before */
};

/* DPDK keeps the name as it was given, "5e:00.0"; the file has the address in full. */
static int
lease_path(char *path, size_t size, const char *name)
{
	struct rte_pci_addr address;
	char full[PCI_PRI_STR_SIZE];

	if (rte_pci_addr_parse(name, &address) == 0) {
		rte_pci_device_name(&address, full, sizeof(full));
		name = full;
	}
	if (strchr(name, '/') != NULL)
		return -1;
	return snprintf(path, size, LEASE_DIR "/%s/lease", name) < (int)size ? 0 : -1;
}

/* The first word of trouble is the last: without a lease there is nothing to renew. */
static void
give_up(struct lease *l, struct notes *notes, const char *reason)
{
	notes_warn(notes,
		"%s: its lease cannot be renewed (%s); the dead man's switch will end this run",
		l->name, reason);
	lease_close(l);
}

void
lease_open(struct lease *l, const char *name, struct notes *notes)
{
	char path[PATH_MAX];
	struct stat st;

	*l = (struct lease){.name = name};
	if (lease_path(path, sizeof(path), name) != 0)
		return;
	/* A FIFO would wait for a reader. */
	l->fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (l->fd < 0) {
		int error = errno;

		l->fd = 0;
		if (error != ENOENT && error != ENOTDIR)
			give_up(l, notes, strerror(error));
		return;
	}
	if (fstat(l->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		give_up(l, notes, "it is no regular file");
		return;
	}
	lease_renew(l, notes);
}

void
lease_renew(struct lease *l, struct notes *notes)
{
	char line[LEASE_LINE + 1];
	ssize_t n;

	if (l->fd == 0)
		return;
	snprintf(line, sizeof(line), "%-11d %-20" PRIu64 "\n", (int)getpid(), ++l->count);
	n = pwrite(l->fd, line, LEASE_LINE, 0);
	if (n != LEASE_LINE)
		give_up(l, notes, n < 0 ? strerror(errno) : "the line was cut short");
}

void
lease_close(struct lease *l)
{
	if (l->fd != 0)
		close(l->fd);
	l->fd = 0;
}

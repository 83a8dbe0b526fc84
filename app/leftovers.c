/* SPDX-License-Identifier: BSD-3-Clause */
#include "leftovers.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum {
	MAX = 16,
};

static char paths[MAX][PATH_MAX];
static _Atomic unsigned nb_paths;

void
leftovers_add(const char *path)
{
	unsigned n = atomic_load(&nb_paths);

	if (n == MAX || snprintf(paths[n], PATH_MAX, "%s", path) >= PATH_MAX)
		return;
	atomic_store(&nb_paths, n + 1);
}

void
leftovers_remove(void)
{
	for (unsigned i = 0; i < atomic_load(&nb_paths); i++)
		unlink(paths[i]);
}

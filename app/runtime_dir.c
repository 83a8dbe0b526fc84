/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <mntent.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Made before EAL starts: a signal handler can neither allocate nor format. */
static struct {
	char dir[PATH_MAX];
	char prefix[NAME_MAX];
	char huge_dir[PATH_MAX]; /* "": wherever hugetlbfs is mounted */
	bool shared;             /* EAL keeps files others can open, under a lock */
	bool made;               /* the directory was not there before */
	bool all;                /* whatever is in it is ours */
} runtime;

/* The directory EAL will use (lib/eal: eal_create_runtime_dir). */
static void
base_dir(char *buf, size_t size)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (dir == NULL)
		dir = getuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");
	snprintf(buf, size, "%s/dpdk", dir == NULL ? "/tmp" : dir);
}

static void remove_all(void);

/* @return the process that holds the lock of the prefix, 0 if none does */
static int
holder_of(const char *config)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(config, O_RDWR | O_CLOEXEC);
	int pid = 0;

	if (fd < 0)
		return 0;
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		pid = lock.l_pid;
	close(fd);
	return pid;
}

int
runtime_dir_init(const struct eal_args *args, struct err *e)
{
	char base[PATH_MAX - NAME_MAX - 1], config[PATH_MAX + sizeof("/config")];
	struct stat st;

	base_dir(base, sizeof(base));
	if (args->file_prefix == NULL)
		snprintf(runtime.prefix, sizeof(runtime.prefix), "pmdperf-%d", (int)getpid());
	else if (snprintf(runtime.prefix, sizeof(runtime.prefix), "%s", args->file_prefix) >=
		 (int)sizeof(runtime.prefix))
		return err_set(e, EXIT_USAGE, "--file-prefix: at most %zu characters",
			sizeof(runtime.prefix) - 1);
	snprintf(runtime.dir, sizeof(runtime.dir), "%s/%s", base, runtime.prefix);
	if (args->huge_dir != NULL)
		snprintf(runtime.huge_dir, sizeof(runtime.huge_dir), "%s", args->huge_dir);
	runtime.shared = args->memory_mode != 0 && !args->in_memory && !args->no_huge;
	runtime.made = stat(runtime.dir, &st) != 0 && errno == ENOENT;
	runtime.all = args->file_prefix == NULL && runtime.made;
	if (runtime.shared) {
		int pid;

		snprintf(config, sizeof(config), "%s/config", runtime.dir);
		pid = holder_of(config);
		if (pid > 0)
			return err_set(e, EXIT_MACHINE,
				"--file-prefix=%s is in use by process %d; give another "
				"--file-prefix, or none: each run then has its own",
				runtime.prefix, pid);
	}
	atexit(remove_all);
	return 0;
}

void
runtime_dir_taken(void)
{
	runtime.all = runtime.all || runtime.shared;
}

/* readdir() may allocate; the system call doesn't. */
static void
empty_dir(const char *path)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		unsigned short size;
		unsigned char type;
		char name[];
	};
	alignas(struct entry) char buf[4096];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			struct entry *d = (struct entry *)(void *)(buf + at);

			unlinkat(fd, d->name, 0); /* "." and "..": refused */
			at += d->size;
		}
	}
	close(fd);
}

void
runtime_dir_remove(void)
{
	if (runtime.all)
		empty_dir(runtime.dir);
	if (runtime.all || runtime.made)
		rmdir(runtime.dir);
}

/* Files that back hugepages: PREFIXmap_0, PREFIXmap_1, ... */
static void
remove_maps(const char *dir)
{
	char pattern[PATH_MAX + NAME_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/%smap_[0-9]*", dir, runtime.prefix);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
}

static void
remove_all(void)
{
	struct mntent *m;
	FILE *mounts;

	runtime_dir_remove();
	if (!runtime.shared || !runtime.all)
		return;
	if (runtime.huge_dir[0] != '\0') {
		remove_maps(runtime.huge_dir);
		return;
	}
	mounts = setmntent("/proc/mounts", "r");
	while (mounts != NULL && (m = getmntent(mounts)) != NULL) {
		if (strcmp(m->mnt_type, "hugetlbfs") == 0)
			remove_maps(m->mnt_dir);
	}
	if (mounts != NULL)
		endmntent(mounts);
}

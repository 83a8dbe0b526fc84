/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MAX_MOUNTS = 8,
};

/* Made before EAL starts: a signal handler can neither allocate nor format. */
static struct {
	char dir[PATH_MAX];
	char prefix[NAME_MAX];
	char huge_dir[MAX_MOUNTS][PATH_MAX]; /* where files may be that back hugepages */
	unsigned nb_huge_dirs;
	bool config; /* EAL keeps a locked file "config" */
	bool maps;   /* EAL keeps files that back hugepages */
	bool made;   /* the directory was not there before */
	bool all;    /* whatever is in it is ours */
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

/* The directory of --huge-dir, or wherever hugetlbfs is mounted. */
static void
find_huge_dirs(const char *given)
{
	struct mntent *m;
	FILE *mounts;

	if (given != NULL) {
		snprintf(runtime.huge_dir[0], PATH_MAX, "%s", given);
		runtime.nb_huge_dirs = 1;
		return;
	}
	mounts = setmntent("/proc/mounts", "r");
	while (mounts != NULL && runtime.nb_huge_dirs < MAX_MOUNTS &&
		(m = getmntent(mounts)) != NULL) {
		if (strcmp(m->mnt_type, "hugetlbfs") == 0)
			snprintf(runtime.huge_dir[runtime.nb_huge_dirs++], PATH_MAX, "%s",
				m->mnt_dir);
	}
	if (mounts != NULL)
		endmntent(mounts);
}

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
	runtime.config = args->memory_mode != 0 && !args->in_memory &&
			 (args->memory_mode & EAL_MEM_NO_SHCONF) == 0;
	runtime.maps = runtime.config && !args->no_huge;
	runtime.made = stat(runtime.dir, &st) != 0 && errno == ENOENT;
	runtime.all = args->file_prefix == NULL && runtime.made;
	if (runtime.config) {
		int pid;

		snprintf(config, sizeof(config), "%s/config", runtime.dir);
		pid = holder_of(config);
		if (pid > 0)
			return err_set(e, EXIT_MACHINE,
				"--file-prefix=%s is in use by process %d; give another "
				"--file-prefix, or none: each run then has its own",
				runtime.prefix, pid);
	}
	if (runtime.maps)
		find_huge_dirs(args->huge_dir);
	atexit(runtime_dir_remove);
	return 0;
}

void
runtime_dir_taken(void)
{
	runtime.all = runtime.all || runtime.config;
}

/* What EAL puts there, and no other program's file. */
static bool
is_of_eal(const char *name)
{
	static const char *const start[] = {
		"config", "fbarray_", "hugepage_", "mp_socket", "dpdk_telemetry", "telemetry"};

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
		if (strncmp(name, start[i], strlen(start[i])) == 0)
			return true;
	}
	return false;
}

/* PREFIXmap_0, PREFIXmap_1, ...: they back hugepages. */
static bool
is_map(const char *name)
{
	size_t len = strlen(runtime.prefix);

	return strncmp(name, runtime.prefix, len) == 0 && strncmp(name + len, "map_", 4) == 0 &&
	       name[len + 4] != '\0' &&
	       name[len + 4 + strspn(name + len + 4, "0123456789")] == '\0';
}

/* readdir() may allocate; the system call doesn't. */
static void
remove_files(const char *path, bool (*wanted)(const char *))
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

			if (wanted(d->name))
				unlinkat(fd, d->name, 0);
			at += d->size;
		}
	}
	close(fd);
}

void
runtime_dir_remove(void)
{
	if (runtime.all)
		remove_files(runtime.dir, is_of_eal);
	if (runtime.all || runtime.made)
		rmdir(runtime.dir);
	for (unsigned i = 0; runtime.all && i < runtime.nb_huge_dirs; i++)
		remove_files(runtime.huge_dir[i], is_map);
}

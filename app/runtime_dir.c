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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path), /* with the final zero */
};

/* Made before EAL starts: a signal handler can neither allocate nor format. */
static struct {
	char dir[PATH_MAX];
	char prefix[NAME_MAX];
	const char *huge_dir; /* NULL: wherever hugetlbfs is mounted */
	bool shared;          /* EAL keeps files others can open, under a lock */
	bool made;            /* the directory was not there before */
	bool all;             /* whatever is in it is ours */
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
	runtime.huge_dir = args->huge_dir;
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
	if (runtime.huge_dir != NULL) {
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

static int
check_directory(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.*s", slash == NULL ? 1 : (int)(slash - path + 1),
		slash == NULL ? "." : path);
	if (access(dir, W_OK | X_OK) != 0)
		return err_set(
			e, EXIT_MACHINE, "no socket can be made in %s: %s", dir, strerror(errno));
	return 0;
}

static int
check_socket(const char *path, struct err *e)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	int fd, rc;

	if (stat(path, &st) != 0)
		return check_directory(path, e);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, EXIT_MACHINE,
			"%s is there and is not a socket; give another path", path);
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	if (rc != 0 && errno == EPROTOTYPE) {
		close(fd);
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		rc = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	}
	if (rc == 0 || errno != ECONNREFUSED) {
		close(fd);
		return err_set(e, EXIT_MACHINE,
			"another process listens on %s; end it, or give another path", path);
	}
	close(fd);
	if (unlink(path) != 0)
		return err_set(e, EXIT_MACHINE, "cannot remove the stale socket %s: %s", path,
			strerror(errno));
	return 0;
}

static bool
key_is(const char *vdev, const char *key, const char *value)
{
	char *found = vdev_arg(vdev, key);
	bool is = found != NULL && strcmp(found, value) == 0;

	free(found);
	return is;
}

enum end {
	END_NONE, /* no socket in the file system */
	END_LISTENS,
	END_CONNECTS,
};

/* Which end of a socket a vdev will be, and the key that names it. */
static enum end
end_of(const char *vdev, const char **key)
{
	if (strncmp(vdev, "net_vhost", 9) == 0 || strncmp(vdev, "eth_vhost", 9) == 0) {
		*key = "iface";
		return key_is(vdev, "client", "1") ? END_CONNECTS : END_LISTENS;
	}
	if (strncmp(vdev, "net_virtio_user", 15) == 0) {
		*key = "path";
		return key_is(vdev, "server", "1") ? END_LISTENS : END_CONNECTS;
	}
	if (strncmp(vdev, "net_memif", 9) == 0 && key_is(vdev, "socket-abstract", "no")) {
		*key = "socket";
		return key_is(vdev, "role", "server") || key_is(vdev, "role", "master")
			       ? END_LISTENS
			       : END_CONNECTS;
	}
	return END_NONE;
}

int
runtime_dir_check_sockets(const struct eal_args *args, struct err *e)
{
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		const char *vdev = args->vdevs[i], *key;
		enum end end = end_of(vdev, &key);
		char *path = end == END_NONE ? NULL : vdev_arg(vdev, key);
		int rc = 0;

		/* Drivers cut a longer one and go on. */
		if (path != NULL && strlen(path) >= PATH_BYTES)
			rc = err_set(e, EXIT_USAGE, "a socket's path has at most %d bytes",
				PATH_BYTES - 1);
		else if (path != NULL && end == END_LISTENS)
			rc = check_socket(path, e);
		/* A vhost client waits for its server; the others give up at once. */
		else if (path != NULL && strcmp(key, "iface") != 0 && access(path, F_OK) != 0)
			rc = err_set(e, EXIT_MACHINE,
				"nobody listens on %s: %s; start the other side first", path,
				strerror(errno));
		free(path);
		if (rc != 0)
			return eal_args_blame_vdev(args, i, e);
	}
	return 0;
}

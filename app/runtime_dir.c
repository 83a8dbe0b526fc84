/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Paths are made before EAL starts, so that a signal handler only has to unlink them. */
enum {
	PATH_LEN = 256,
	NB_FILES = 4,
};

static struct {
	bool ours;
	char dir[PATH_LEN];
	char file[NB_FILES][PATH_LEN];
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
runtime_dir_init(const char *prefix, bool shared, struct err *e)
{
	static const char *const names[NB_FILES] = {
		"config", "fbarray_memzone", "hugepage_info", "mp_socket"};
	char base[PATH_LEN / 2];
	struct stat st;

	base_dir(base, sizeof(base));
	if ((size_t)snprintf(runtime.dir, sizeof(runtime.dir), "%s/%s", base, prefix) >=
		sizeof(runtime.dir) - 32)
		return err_set(e, EXIT_USAGE, "--file-prefix=%s: too long", prefix);
	for (unsigned i = 0; i < NB_FILES; i++)
		snprintf(runtime.file[i], sizeof(runtime.file[i]), "%.*s/%s", PATH_LEN - 32,
			runtime.dir, names[i]);
	if (shared) {
		int pid = holder_of(runtime.file[0]);

		if (pid > 0)
			return err_set(e, EXIT_MACHINE,
				"--file-prefix=%s is in use by process %d; give another "
				"--file-prefix, or none: each run then has its own",
				prefix, pid);
	}
	runtime.ours = stat(runtime.dir, &st) != 0 && errno == ENOENT;
	atexit(runtime_dir_remove);
	return 0;
}

void
runtime_dir_remove(void)
{
	if (!runtime.ours)
		return;
	for (unsigned i = 0; i < NB_FILES; i++)
		unlink(runtime.file[i]);
	rmdir(runtime.dir);
}

static int
check_socket(const char *vdev, const char *path, struct err *e)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	int fd, rc;

	if (stat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, EXIT_MACHINE,
			"--vdev=%s: %s is there and is not a socket; give another path", vdev, path);
	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(e, EXIT_USAGE, "--vdev=%s: a socket's path has at most %zu bytes",
			vdev, sizeof(addr.sun_path) - 1);
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
			"--vdev=%s: another process listens on %s; end it, or give another path", vdev,
			path);
	}
	close(fd);
	if (unlink(path) != 0)
		return err_set(e, EXIT_MACHINE, "--vdev=%s: cannot remove the stale socket %s: %s",
			vdev, path, strerror(errno));
	return 0;
}

int
runtime_dir_stale_sockets(const struct eal_args *args, struct err *e)
{
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		const char *vdev = args->vdevs[i];
		bool vhost = strncmp(vdev, "net_vhost", 9) == 0 ||
			strncmp(vdev, "eth_vhost", 9) == 0;
		bool memif = strncmp(vdev, "net_memif", 9) == 0;
		char *path = vdev_arg(vdev, vhost ? "iface" : "socket");
		char *client = vdev_arg(vdev, "client");
		char *role = vdev_arg(vdev, "role");
		char *abstract = vdev_arg(vdev, "socket-abstract");
		bool listens = false;
		int rc = 0;

		if (vhost)
			listens = client == NULL || strcmp(client, "1") != 0;
		else if (memif)
			listens = role != NULL &&
				(strcmp(role, "server") == 0 || strcmp(role, "master") == 0) &&
				abstract != NULL && strcmp(abstract, "no") == 0;
		if (listens && path != NULL)
			rc = check_socket(vdev, path, e);
		free(path);
		free(client);
		free(role);
		free(abstract);
		if (rc != 0)
			return -1;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "vdev_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "leftovers.h"

enum {
	PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path), /* with the final zero */
};

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

/*
 * Whether some process has the socket bound. Asked with the wrong type of socket, so that nobody
 * has to accept a connection that is none. errno says why not.
 */
static bool
somebody_listens(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return true; /* not known: the driver will say */
	strcpy(addr.sun_path, path);
	error = connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 ? 0 : errno;
	close(fd);
	errno = error;
	return error != ECONNREFUSED && error != ENOENT;
}

static int
check_socket(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return check_directory(path, e);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, EXIT_MACHINE,
			"%s is there and is not a socket; give another path", path);
	if (somebody_listens(path))
		return err_set(e, EXIT_MACHINE,
			"another process listens on %s; end it, or give another path", path);
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

/* Whether one of our own vdevs will listen there. */
static bool
is_our_own(const struct eal_args *args, const char *path)
{
	bool is = false;

	for (unsigned i = 0; i < args->nb_vdevs && !is; i++) {
		const char *key;

		if (end_of(args->vdevs[i], &key) == END_LISTENS)
			is = key_is(args->vdevs[i], key, path);
	}
	return is;
}

/* It is ours from here on, and goes with us. */
static int
listen_at(const char *path, struct err *e)
{
	if (check_socket(path, e) != 0)
		return -1;
	leftovers_add(path);
	return 0;
}

int
vdev_socket_check(const struct eal_args *args, struct err *e)
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
			rc = listen_at(path, e);
		/* A vhost client waits for its server; the others give up at once. */
		else if (path != NULL && strcmp(key, "iface") != 0 && !is_our_own(args, path) &&
			 !somebody_listens(path))
			rc = err_set(e, EXIT_MACHINE,
				"nobody listens on %s: %s; start the other side first", path,
				strerror(errno));
		free(path);
		if (rc != 0)
			return eal_args_blame_vdev(args, i, e);
	}
	return 0;
}

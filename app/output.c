/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leftovers.h"

/* "/dev/stdout" and its kind lead into /proc, where a link is what a process has open. */
static bool
is_descriptor(const char *path)
{
	char name[2 * PATH_MAX], target[PATH_MAX];

	snprintf(name, sizeof(name), "%s", path);
	for (unsigned i = 0; i < 8; i++) {
		ssize_t n = readlink(name, target, sizeof(target) - 1);

		if (strncmp(name, "/proc/", 6) == 0 || strncmp(name, "/dev/fd/", 8) == 0)
			return true;
		if (n <= 0)
			return false;
		target[n] = '\0';
		/* A relative link begins where it lies. */
		if (target[0] == '/' || strrchr(name, '/') == NULL)
			name[0] = '\0';
		else
			strrchr(name, '/')[1] = '\0';
		n = (ssize_t)strlen(name);
		snprintf(name + n, sizeof(name) - (size_t)n, "%s", target);
	}
	return false;
}

/* Through links to the file itself, so that it is what gets replaced and not the link. */
static int
real_path(char *real, size_t size, const char *path)
{
	char *found = realpath(path, NULL);
	int len = snprintf(real, size, "%s", found != NULL ? found : path);

	free(found);
	return len < (int)size ? 0 : -1;
}

static int
cannot_write(struct err *e, const char *option, const char *path)
{
	return err_set(e, EXIT_USAGE,
		"%s %s: cannot be written: %s; name a file in a directory that you may write to",
		option, path, strerror(errno));
}

/* A device, a pipe, a standard stream: nothing can take its place. */
static int
open_in_place(struct output *o, const char *option, const char *path, struct err *e)
{
	/* A FIFO without a reader would wait for one. */
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 && errno == ENXIO)
		return err_set(e, EXIT_USAGE, "%s %s: nobody reads from it; start the reader first",
			option, path);
	if (fd < 0)
		return cannot_write(e, option, path);
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0 ||
		(o->f = fdopen(fd, "w")) == NULL) {
		cannot_write(e, option, path);
		close(fd);
		return -1;
	}
	return 0;
}

int
output_open(
	struct output *o, const char *option, const char *path, const char *input, struct err *e)
{
	struct stat st, in;
	bool there = stat(path, &st) == 0;

	*o = (struct output){.path = path};
	if (there && S_ISDIR(st.st_mode))
		return err_set(e, EXIT_USAGE, "%s %s: is a directory; name a file", option, path);
	if (there && input != NULL && stat(input, &in) == 0 && in.st_dev == st.st_dev &&
		in.st_ino == st.st_ino)
		return err_set(e, EXIT_USAGE,
			"%s %s: is the file of --config; name another for the result", option,
			path);
	if (there && access(path, W_OK) != 0)
		return cannot_write(e, option, path);
	/* The kernel's own links lead to what a descriptor has open, not to a name. */
	if (real_path(o->real, sizeof(o->real), path) != 0)
		return err_set(e, EXIT_USAGE, "%s: the path is too long", option);
	if (there && (!S_ISREG(st.st_mode) || is_descriptor(path)))
		return open_in_place(o, option, path, e);
	if (snprintf(o->tmp, sizeof(o->tmp), "%s.%d.tmp", o->real, (int)getpid()) >=
		(int)sizeof(o->tmp))
		return err_set(e, EXIT_USAGE, "%s: the path is too long", option);
	o->f = fopen(o->tmp, "wxe");
	if (o->f == NULL)
		return cannot_write(e, option, path);
	leftovers_add(o->tmp);
	/* What takes a file's place is as private as it was. */
	if (there && (fchmod(fileno(o->f), st.st_mode & 07777) != 0 ||
			     (fchown(fileno(o->f), st.st_uid, st.st_gid) != 0 && errno != EPERM))) {
		cannot_write(e, option, path);
		output_abort(o);
		return -1;
	}
	return 0;
}

int
output_commit(struct output *o, struct err *e)
{
	FILE *f = o->f;
	int failed;

	o->f = NULL;
	failed = ferror(f);
	if (fclose(f) != 0 || failed || (o->tmp[0] != '\0' && rename(o->tmp, o->real) != 0)) {
		err_set(e, EXIT_MACHINE, "%s: cannot be written: %s", o->path, strerror(errno));
		if (o->tmp[0] != '\0')
			unlink(o->tmp);
		return -1;
	}
	return 0;
}

void
output_abort(struct output *o)
{
	if (o->f == NULL)
		return;
	fclose(o->f);
	o->f = NULL;
	if (o->tmp[0] != '\0')
		unlink(o->tmp);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
output_open(struct output *o, const char *option, const char *path, struct err *e)
{
	struct stat st;
	bool there = stat(path, &st) == 0;

	*o = (struct output){.path = path};
	if (there && S_ISDIR(st.st_mode))
		return err_set(e, EXIT_USAGE, "%s %s: is a directory; name a file", option, path);
	if (there && access(path, W_OK) != 0)
		return err_set(e, EXIT_USAGE, "%s %s: cannot be written: %s", option, path,
			strerror(errno));
	if (there && !S_ISREG(st.st_mode)) {
		o->f = fopen(path, "we");
	} else {
		if (snprintf(o->tmp, sizeof(o->tmp), "%s.%d.tmp", path, (int)getpid()) >=
			(int)sizeof(o->tmp))
			return err_set(e, EXIT_USAGE, "%s: the path is too long", option);
		o->f = fopen(o->tmp, "wxe");
	}
	if (o->f == NULL)
		return err_set(e, EXIT_USAGE,
			"%s %s: cannot be written: %s; name a file in a directory that you may "
			"write to",
			option, path, strerror(errno));
	return 0;
}

int
output_commit(struct output *o, struct err *e)
{
	FILE *f = o->f;
	int failed;

	o->f = NULL;
	failed = ferror(f);
	if (fclose(f) != 0 || failed || (o->tmp[0] != '\0' && rename(o->tmp, o->path) != 0)) {
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

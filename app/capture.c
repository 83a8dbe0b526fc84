/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_log.h>

#include "signals.h"

enum {
	MAX_LINES = 3,
};

void
capture_begin(struct capture *c)
{
	fflush(stdout);
	fflush(stderr);
	c->fd = memfd_create("captured", MFD_CLOEXEC);
	if (c->fd < 0)
		return;
	c->out = dup(STDOUT_FILENO);
	c->err = dup(STDERR_FILENO);
	/* A closed stdout or stderr stays closed. */
	if (c->out >= 0)
		dup2(c->fd, STDOUT_FILENO);
	if (c->err >= 0)
		dup2(c->fd, STDERR_FILENO);
	signals_set_stderr(c->err);
}

void
capture_end(struct capture *c, char **text)
{
	struct stat st;
	char *copy = NULL;

	if (text != NULL)
		*text = NULL;
	if (c->fd < 0)
		return;
	fflush(stdout);
	fflush(stderr);
	if (c->out >= 0) {
		dup2(c->out, STDOUT_FILENO);
		close(c->out);
	}
	if (c->err >= 0) {
		dup2(c->err, STDERR_FILENO);
		close(c->err);
	}
	signals_set_stderr(STDERR_FILENO);
	if (text != NULL && fstat(c->fd, &st) == 0)
		copy = calloc(1, (size_t)st.st_size + 1);
	if (copy != NULL && pread(c->fd, copy, (size_t)st.st_size, 0) >= 0)
		*text = copy;
	else
		free(copy);
	close(c->fd);
	c->fd = -1;
}

static struct {
	FILE *stream;
	size_t len;
	char text[65536];
} kept_log;

static ssize_t
keep(void *cookie, const char *text, size_t size)
{
	size_t room = sizeof(kept_log.text) - 1 - kept_log.len;
	size_t n = size < room ? size : room;

	(void)cookie;
	memcpy(kept_log.text + kept_log.len, text, n);
	kept_log.len += n;
	return (ssize_t)size;
}

void
capture_log_begin(void)
{
	kept_log.len = 0;
	kept_log.stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = keep});
	if (kept_log.stream == NULL)
		return;
	setvbuf(kept_log.stream, NULL, _IOLBF, 0);
	rte_openlog_stream(kept_log.stream);
}

const char *
capture_log_text(void)
{
	if (kept_log.stream != NULL)
		fflush(kept_log.stream);
	kept_log.text[kept_log.len] = '\0';
	return kept_log.text;
}

/* What EAL says of things that are as they should be. */
static bool
is_harmless(const char *line)
{
	static const char *const harmless[] = {
		"No free 1048576 kB hugepages",
		"but no mounted hugetlbfs",
		"Detected CPU lcores",
		"Detected NUMA nodes",
		"Detected static linkage",
		"Detected shared linkage",
		"Multi-process socket",
		"Selected IOVA mode",
		"VFIO support initialized",
		"Probing VFIO support",
		"TELEMETRY:",
		"WARNING: Main core has no memory",
	};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		if (strstr(line, harmless[i]) != NULL)
			return true;
	}
	return line[strspn(line, " \t")] == '\0';
}

const char *
capture_reason(const char *text, char *buf, size_t size)
{
	char *copy = text == NULL ? NULL : strdup(text);
	const char *kept[MAX_LINES] = {NULL};
	unsigned nb = 0;
	char *save = NULL;
	size_t len = 0;

	buf[0] = '\0';
	if (copy == NULL)
		return buf;
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		bool again = false;

		if (strncmp(line, "Usage:", 6) == 0)
			break;
		if (strncmp(line, "EAL: ", 5) == 0)
			line += 5;
		if (strncmp(line, "FATAL: ", 7) == 0)
			line += 7;
		for (unsigned i = 0; i < nb; i++)
			again = again || strcmp(kept[i], line) == 0;
		if (again || is_harmless(line))
			continue;
		if (nb == MAX_LINES) {
			memmove(kept, kept + 1, sizeof(kept) - sizeof(kept[0]));
			nb--;
		}
		kept[nb++] = line;
	}
	for (unsigned i = 0; i < nb && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i == 0 ? "" : "; ", kept[i]);
	free(copy);
	return buf;
}

bool
capture_mentions(const char *text, const char *word)
{
	return text != NULL && strstr(text, word) != NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps back what other people's code prints on stdout and stderr, for a while: EAL and drivers say
 * much that is no news when all is well, and say it twice when it isn't.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct capture {
	int fd;       /* -1: nothing is kept back */
	int out, err; /* the real ones */
};

/* Begins; without it, output goes where it always goes. Both streams are flushed before. */
void capture_begin(struct capture *c);

/*
 * Ends.
 * @param text gets what was kept back, to free(); may be NULL
 */
void capture_end(struct capture *c, char **text);

/*
 * Keeps EAL's log back while the program's own lines go out: up to 64 kB, the rest is dropped.
 * Drivers log from threads of their own. One at a time.
 */
void capture_log_begin(void);

/*
 * The log so far; "" if there is none. It stays kept back: what drivers say of peers that are gone,
 * while they are taken down, is of no use to anybody.
 */
const char *capture_log_text(void);

/*
 * Picks from captured text the lines that tell what went wrong: no usage texts, no notices about
 * hugepages of other sizes, none twice. At most three, joined by "; ", last ones preferred.
 * @return buf, "" if there is nothing to tell
 */
const char *capture_reason(const char *text, char *buf, size_t size);

/* True if some line of the text speaks of the word. */
bool capture_mentions(const char *text, const char *word);

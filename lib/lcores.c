/* SPDX-License-Identifier: BSD-3-Clause */
#include "lcores.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	EAL_CPU_MAX = 1024, /* EAL keeps CPUs in a cpu_set_t */
	TEXT = 384,         /* of lists shown in messages */
};

int
lcores_add(struct lcores *lcores, unsigned id, const struct cpuset *cpus, struct err *e)
{
	struct lcore *grown;
	unsigned at = lcores->nb;

	while (at > 0 && lcores->lcore[at - 1].id >= id)
		at--;
	if (at < lcores->nb && lcores->lcore[at].id == id) {
		lcores->lcore[at].cpus = *cpus;
		return 0;
	}
	grown = realloc(lcores->lcore, (lcores->nb + 1) * sizeof(*grown));
	if (grown == NULL)
		return err_set(e, EXIT_MACHINE, "out of memory for %u lcores", lcores->nb + 1);
	memmove(grown + at + 1, grown + at, (lcores->nb - at) * sizeof(*grown));
	grown[at] = (struct lcore){.id = id, .cpus = *cpus};
	lcores->lcore = grown;
	lcores->nb++;
	return 0;
}

const struct lcore *
lcores_find(const struct lcores *lcores, unsigned id)
{
	for (unsigned i = 0; i < lcores->nb; i++) {
		if (lcores->lcore[i].id == id)
			return &lcores->lcore[i];
	}
	return NULL;
}

int
lcores_main(const struct lcores *lcores)
{
	if (lcores->nb == 0)
		return -1;
	return lcores->main_id >= 0 ? lcores->main_id : (int)lcores->lcore[0].id;
}

void
lcores_free(struct lcores *lcores)
{
	free(lcores->lcore);
	*lcores = (struct lcores){.main_id = -1};
}

static const char *
skip_blanks(const char *s)
{
	while (isblank((unsigned char)*s))
		s++;
	return s;
}

/*
 * Reads a single id, a range or a group in parentheses at *s and moves *s past it and the blanks
 * that follow.
 * @param group told whether it stood in parentheses
 */
static int
parse_set(const char **s, struct cpuset *set, bool *group, struct err *e)
{
	char part[CPUSET_TEXT_MAX];
	const char *start = skip_blanks(*s);
	size_t len;

	*group = *start == '(';
	if (*group)
		start++;
	len = strcspn(start, *group ? ")" : ",@");
	if (*group && start[len] == '\0')
		return err_set(e, EXIT_USAGE, "')' is missing");
	if (len == 0 || len >= sizeof(part))
		return err_set(e, EXIT_USAGE, "ids are missing");
	memcpy(part, start, len);
	part[len] = '\0';
	if (cpuset_parse(set, part, e) < 0)
		return -1;
	if (cpuset_empty(set))
		return err_set(e, EXIT_USAGE, "ids are missing");
	*s = skip_blanks(start + len + (*group ? 1 : 0));
	return 0;
}

/* Reads one element of a map, "ids" or "ids@cpus", and adds its lcores. */
static int
parse_element(struct lcores *lcores, const char **s, struct err *e)
{
	struct cpuset ids, cpus;
	bool group, cpu_group, own_cpu;
	int id;

	if (parse_set(s, &ids, &group, e) < 0)
		return -1;
	cpus = ids;
	/* "4-6" are three lcores on a CPU each; "(4-6)" are three that float over the three CPUs.
	 */
	own_cpu = !group && **s != '@';
	if (**s == '@') {
		(*s)++;
		if (parse_set(s, &cpus, &cpu_group, e) < 0)
			return -1;
	}
	if (**s != ',' && **s != '\0')
		return err_set(e, EXIT_USAGE, "',' or '@' expected");
	CPUSET_FOREACH (id, &ids) {
		const struct lcore *there = lcores_find(lcores, (unsigned)id);
		struct cpuset one = {0};

		cpuset_add(&one, (unsigned)id);
		if (there != NULL && !cpuset_equal(&there->cpus, own_cpu ? &one : &cpus))
			return err_set(e, EXIT_USAGE, "lcore %d is given twice", id);
		if (lcores_add(lcores, (unsigned)id, own_cpu ? &one : &cpus, e) < 0)
			return -1;
	}
	return 0;
}

int
lcores_parse(struct lcores *lcores, const char *text, struct err *e)
{
	const char *s = text;

	for (;;) {
		const char *element = s;

		if (parse_element(lcores, &s, e) < 0) {
			lcores_free(lcores);
			if (e->status != EXIT_USAGE)
				return -1;
			return err_prefix(e,
				"lcores '%s', at '%s' (valid: lists such as 0-3,8 and "
				"maps such as 1@5,(2-3)@(6-7))",
				text, element);
		}
		if (*s == '\0')
			return 0;
		s++;
	}
}

int
lcores_parse_mask(struct lcores *lcores, const char *text, struct err *e)
{
	struct cpuset ids;
	int id;

	if (cpuset_parse_mask(&ids, text, e) < 0)
		return -1;
	CPUSET_FOREACH (id, &ids) {
		struct cpuset one = {0};

		cpuset_add(&one, (unsigned)id);
		if (lcores_add(lcores, (unsigned)id, &one, e) < 0) {
			lcores_free(lcores);
			return -1;
		}
	}
	return 0;
}

static int
check_cpus(const struct lcores *lcores, const struct topology *topo, struct err *e)
{
	struct cpuset asked = {0}, usable = topology_usable(topo), bad;
	char asked_text[TEXT / 4], usable_text[TEXT / 2];
	int id;

	for (unsigned i = 0; i < lcores->nb; i++)
		cpuset_or(&asked, &lcores->lcore[i].cpus);
	bad = asked;
	CPUSET_FOREACH (id, &usable)
		cpuset_remove(&bad, (unsigned)id);
	CPUSET_FOREACH (id, &bad) {
		const struct topology_cpu *cpu = topology_find_cpu(topo, (unsigned)id);

		return err_set(e, EXIT_USAGE,
			"CPU %d %s: the CPUs this process may use are %s (%u), asked for are %s "
			"(%u)",
			id,
			cpu == NULL ? "is not there (absent or offline)"
				    : "is closed to this process (affinity or cgroup)",
			cpuset_format(&usable, usable_text, sizeof(usable_text)),
			cpuset_count(&usable),
			cpuset_format(&asked, asked_text, sizeof(asked_text)),
			cpuset_count(&asked));
	}
	if (cpuset_next(&asked, EAL_CPU_MAX) >= 0)
		return err_set(e, EXIT_USAGE, "CPU %d: EAL takes CPUs 0 to %d",
			cpuset_next(&asked, EAL_CPU_MAX), EAL_CPU_MAX - 1);
	return 0;
}

/* Appends to a text of limited size, ending in "..." where it is full. */
static void __attribute__((format(printf, 4, 5)))
append(char *text, size_t size, size_t *used, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (*used + 1 >= size)
		return;
	va_start(ap, fmt);
	len = vsnprintf(text + *used, size - *used, fmt, ap);
	va_end(ap);
	*used += (size_t)len;
	if (*used >= size) {
		*used = size;
		memcpy(text + size - 4, "...", 4);
	}
}

/* Gives lcores whose id this DPDK cannot have a free small id and tells how. */
static int
map_ids(struct lcores *lcores, unsigned max_lcore, struct notes *notes, struct err *e)
{
	struct lcores mapped = {.main_id = lcores->main_id};
	char text[NOTE_TEXT - 80], cpus[64];
	unsigned from = 0, next = 0, nb_mapped = 0;
	size_t used = 0;

	while (from < lcores->nb && lcores->lcore[from].id < max_lcore)
		from++;
	if (from == lcores->nb)
		return 0;
	for (unsigned i = 0; i < from; i++) {
		if (lcores_add(&mapped, lcores->lcore[i].id, &lcores->lcore[i].cpus, e) < 0)
			goto fail;
	}
	/*
	 * Lcores move in runs of neighbours, shown as "4-67 = 128-191". The main lcore is decided
	 * by the ids as the user gave them.
	 */
	mapped.main_id = lcores_main(lcores);
	for (unsigned i = from; i < lcores->nb;) {
		unsigned old = lcores->lcore[i].id, len = 0;

		while (lcores_find(&mapped, next) != NULL)
			next++;
		while (i < lcores->nb && lcores->lcore[i].id == old + len &&
			lcores_find(&mapped, next + len) == NULL) {
			if (lcores_main(lcores) == (int)lcores->lcore[i].id)
				mapped.main_id = (int)(next + len);
			if (lcores_add(&mapped, next + len, &lcores->lcore[i].cpus, e) < 0)
				goto fail;
			i++;
			len++;
		}
		cpuset_format(&lcores->lcore[i - len].cpus, cpus, sizeof(cpus));
		if (len == 1)
			append(text, sizeof(text), &used, "%s%u is %u (CPU %s)",
				used > 0 ? ", " : "", next, old, cpus);
		else
			append(text, sizeof(text), &used, "%s%u-%u are %u-%u", used > 0 ? ", " : "",
				next, next + len - 1, old, old + len - 1);
		nb_mapped += len;
	}
	notes_add(notes, "%u lcore ids from %u up, which this DPDK cannot have, are mapped: %s",
		nb_mapped, max_lcore, text);
	free(lcores->lcore);
	*lcores = mapped;
	return 0;
fail:
	lcores_free(&mapped);
	return -1;
}

/* Two workers on one CPU take turns, a time slice of the kernel's each. */
static void
warn_shared(const struct lcores *lcores, struct notes *notes)
{
	for (unsigned i = 0; i < lcores->nb; i++) {
		const struct lcore *a = &lcores->lcore[i];

		if ((int)a->id == lcores_main(lcores) || cpuset_count(&a->cpus) != 1)
			continue;
		for (unsigned j = i + 1; j < lcores->nb; j++) {
			const struct lcore *b = &lcores->lcore[j];

			if ((int)b->id != lcores_main(lcores) && cpuset_equal(&a->cpus, &b->cpus))
				notes_warn(notes,
					"lcores %u and %u are workers on the same CPU %d: they "
					"take turns, "
					"and each runs at half speed or less",
					a->id, b->id, cpuset_next(&a->cpus, 0));
		}
	}
}

int
lcores_check(struct lcores *lcores, const struct topology *topo, unsigned max_lcore,
	struct notes *notes, struct err *e)
{
	if (lcores->nb > max_lcore)
		return err_set(e, EXIT_USAGE,
			"%u lcores are given; this DPDK can have at most %u: give fewer",
			lcores->nb, max_lcore);
	if (lcores->main_id >= 0 && lcores_find(lcores, (unsigned)lcores->main_id) == NULL)
		return err_set(e, EXIT_USAGE,
			"--main-lcore=%d is not among the lcores given: add it to them or choose "
			"one "
			"of them",
			lcores->main_id);
	if (check_cpus(lcores, topo, e) < 0)
		return -1;
	if (lcores->nb == 1)
		return err_set(e, EXIT_USAGE,
			"need at least one worker lcore besides main: only lcore %u is given; give "
			"two, for example -l 0-1 or, on one CPU, --lcores=0@%d,1@%d",
			lcores->lcore[0].id, cpuset_next(&lcores->lcore[0].cpus, 0),
			cpuset_next(&lcores->lcore[0].cpus, 0));
	if (map_ids(lcores, max_lcore, notes, e) < 0)
		return -1;
	warn_shared(lcores, notes);
	return 0;
}

static bool
is_own_cpu(const struct lcore *lcore)
{
	return cpuset_count(&lcore->cpus) == 1 && cpuset_has(&lcore->cpus, lcore->id);
}

char *
lcores_format(const struct lcores *lcores)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (unsigned i = 0; i < lcores->nb;) {
		const struct lcore *first = &lcores->lcore[i++];
		char cpus[CPUSET_TEXT_MAX];
		unsigned last = first->id;

		fprintf(out, "%s%u", first == lcores->lcore ? "" : ",", first->id);
		if (!is_own_cpu(first)) {
			cpuset_format(&first->cpus, cpus, sizeof(cpus));
			fprintf(out, cpuset_count(&first->cpus) == 1 ? "@%s" : "@(%s)", cpus);
			continue;
		}
		while (i < lcores->nb && lcores->lcore[i].id == last + 1 &&
			is_own_cpu(&lcores->lcore[i])) {
			last++;
			i++;
		}
		if (last > first->id)
			fprintf(out, "-%u", last);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

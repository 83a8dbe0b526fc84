/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of --help, made from the table. */
#include <stdio.h>
#include <string.h>

#include "config_table.h"

enum {
	WIDTH = 79,  /* the last column of 80 makes some terminals wrap */
	INDENT = 24, /* where the explanations begin */
};

struct group {
	const char *name;
	const char *heading;
};

static const struct group groups[] = {
	{"run", "The run"},
	{"traffic", "Traffic"},
	{"ports", "Ports, queues and lcores"},
	{"memory", "Memory"},
	{"output", "Output"},
};

static const char head[] =
	"pmdperf sends and receives packets past the kernel and reports the rates.\n"
	"\n"
	"  pmdperf [EAL options] -- [options]\n"
	"  pmdperf --config=FILE [options]       EAL options in the file's section [eal]\n"
	"\n"
	"TIME is 500ms, 3s, 10m, 1h; a bare number is seconds. Options marked * are\n"
	"testpmd's. In a file the same names are keys without the dashes, under\n"
	"[pmdperf] or the group's name in brackets, and a flag is true or false.\n";

static const char tail[] =
	"\n"
	"Figures: a frame's length is counted without its CRC. L2 bit/s = PPS x length\n"
	"x 8. L1 bit/s = PPS x (length + 24) x 8: preamble 8, gap 12 and CRC 4 bytes.\n"
	"\n"
	"Exit status: 0 done; 1 it could not run; 2 wrong usage; 3 it ran and failed its\n"
	"test, for example nothing was received. SIGINT and SIGTERM end the run with\n"
	"its report, as the end of its time does.\n"
	"\n"
	"Examples:\n"
	"  pmdperf -l 0-4 -a 0000:00:06.0 -- --forward-mode=rxonly --rxq=4\n"
	"  pmdperf -l 0-4 -a 0000:00:06.0 -- --forward-mode=txonly --txq=4 \\\n"
	"    --txpkts=1430 --dst-mac=02:00:00:00:00:01 --duration=10s --json=out.json\n"
	"  pmdperf --no-pci --vdev=net_null0 -- --forward-mode=txonly --duration=3s\n";

/* Prints words from column on, continuing at INDENT. Returns the column reached. */
static int
print_words(FILE *out, const char *text, int column)
{
	while (*text != '\0') {
		int len = (int)strcspn(text, " ");

		if (column > INDENT && column + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	return column;
}

/* "(1 to 512 frames; default 32)", or nothing. */
static void
limits(const struct option *o, char *buf, size_t len)
{
	char range[512] = "";
	const char *standard = o->without != NULL ? o->without : o->def;

	if (o->type != &option_flag && o->keys == 0 && o->parts == NULL)
		option_range(o, range, sizeof(range));
	if (o->type == &option_flag)
		standard = NULL;
	buf[0] = '\0';
	if (range[0] != '\0' || standard != NULL)
		snprintf(buf, len, "(%s%s%s%s)", range,
			range[0] != '\0' && standard != NULL ? "; " : "",
			standard != NULL ? "default: " : "", standard != NULL ? standard : "");
}

static void
print_option(FILE *out, const struct option *o)
{
	const char *arg = option_arg(o);
	char text[640];
	int column;

	column = fprintf(out, "%c --%s%s%s", o->testpmd ? '*' : ' ', o->name,
		arg == NULL ? "" : "=", arg == NULL ? "" : arg);
	if (column >= INDENT) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", INDENT - column, "");
	column = print_words(out, o->help, INDENT);
	limits(o, text, sizeof(text));
	print_words(out, text, column);
	fputc('\n', out);
}

void
config_print_help(FILE *out, const char *const *engines)
{
	fputs(head, out);
	fputs("\nEngines:", out);
	for (; *engines != NULL; engines++)
		fprintf(out, " %s", *engines);
	fputc('\n', out);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(out, "\n%s [%s]\n", groups[i].heading, groups[i].name);
		for (unsigned int row = 0; row < config_table_len; row++)
			if (strcmp(config_table[row].group, groups[i].name) == 0)
				print_option(out, &config_table[row]);
	}
	fputs(tail, out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of the program: words, plan, EAL, ports, run, report, and everything given back in
 * reverse order on every path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_config.h>
#include <rte_malloc.h>
#include <rte_version.h>

#include "capture.h"
#include "clock.h"
#include "config.h"
#include "eal.h"
#include "eal_args.h"
#include "host.h"
#include "io.h"
#include "leftovers.h"
#include "live.h"
#include "next_hop.h"
#include "output.h"
#include "preplan.h"
#include "report.h"
#include "result.h"
#include "run.h"
#include "runtime_dir.h"
#include "sampler.h"
#include "signals.h"
#include "vdev_socket.h"

/* Large, and alive as long as the program: not on the stack. */
static struct app {
	struct config cfg;
	struct ini_eal_words ini;
	struct eal_args args;
	struct host host;
	struct notes notes;
	struct clock_anchor begun;
	struct memory_in mem;
	struct run run;
	struct result result;
	struct sampler_result sampled;
	struct output json;
	struct report_sink console;
} app;

/*
 * Reads all words. EAL's come before "--"; without one, all words are ours.
 * @return 0, CONFIG_HELP, CONFIG_VERSION or -1
 */
static int
read_words(int argc, char **argv, struct err *e)
{
	int split = 1, eal_argc = 0;
	int rc;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			eal_argc = i - 1;
			split = i + 1;
			break;
		}
	}
	/* A question is answered whatever else is said. */
	for (int i = 1; i <= eal_argc; i++) {
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return CONFIG_HELP;
		if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--version") == 0)
			return CONFIG_VERSION;
	}
	rc = config_parse(&app.cfg, argc - split, argv + split, engine_names(), &app.ini, e);
	if (rc != 0)
		return rc;
	if (eal_args_parse(&app.args, eal_argc, argv + 1, &app.ini, app.cfg.config_file,
		    config_is_option, e) != 0)
		return -1;
	return app.args.help ? CONFIG_HELP : app.args.version ? CONFIG_VERSION : 0;
}

static int
answer(int question)
{
	if (question == CONFIG_VERSION)
		printf("pmdperf %s, %s\n", PMDPERF_VERSION, rte_version());
	else
		config_print_help(stdout, engine_names());
	return EXIT_DONE;
}

/* Waiting for traffic is for receivers. */
static int
check_waits(const struct config *cfg, const struct plan_port_in *ports, int nb, struct err *e)
{
	static const char *const option[] = {"rx-wait", "rx-idle"};
	bool receives = false;

	for (int i = 0; i < nb; i++)
		receives = receives || ports[i].rx;
	for (unsigned i = 0; i < RTE_DIM(option) && !receives; i++) {
		if ((i == 0 ? cfg->rx_wait_ns : cfg->rx_idle_ns) == 0)
			continue;
		err_set(e, EXIT_USAGE, "no port of this run receives: leave it out");
		return config_blame(cfg, option[i], 0, e);
	}
	return 0;
}

/* Everything that can be known and refused before EAL starts. @return 0; 1: --plan is done; -1 */
static int
prepare(struct err *e)
{
	static struct plan_port_in ports[CONFIG_MAX_PORTS];
	struct config *cfg = &app.cfg;
	struct plan_in in;
	int nb;

	if (host_read(&app.host, e) != 0)
		return -1;
	if (io_add_port(cfg, &app.args, &app.notes, e) != 0)
		return -1;
	config_notes(cfg, &app.notes);
	nb = preplan_ports(cfg, &app.args, ports, e);
	if (nb < 0)
		return -1;
	if (nb == 0 && !cfg->plan)
		return preplan_no_port(&app.args, e);
	if (nb == 0) {
		const char *mode = config_mode(cfg, 0);

		notes_add(&app.notes, "no port is there yet: the plan is for one");
		ports[0] = (struct plan_port_in){
			.node = TOPOLOGY_NODE_UNKNOWN,
			.tx = mode == NULL || engine_find(mode)->sends,
			.rx = mode == NULL || engine_find(mode)->receives,
			.max_txq = PLAN_LIMIT_UNKNOWN,
			.max_rxq = PLAN_LIMIT_UNKNOWN,
		};
		nb = 1;
	}
	if (check_waits(cfg, ports, nb, e) != 0)
		return -1;
	in = preplan_in(cfg, &app.host, &app.args, ports, (unsigned)nb);
	/* EAL judges words that are not known here; a plan doesn't get that far. */
	if (cfg->plan && eal_args_unknown_word(&app.args) != NULL)
		return eal_args_refuse_unknown(&app.args, eal_args_unknown_word(&app.args), e);
	if (preplan_lcores(&in, &app.args, &app.notes, e) != 0 ||
		preplan_memory_in(cfg, &app.host, &app.args, &app.mem, e) != 0)
		return -1;
	if (!cfg->plan)
		return 0;
	return preplan_print(&in, cfg, &app.mem, &app.args.lcores, &app.notes, e) != 0 ? -1 : 1;
}

static int
start_eal(const char *program, struct err *e)
{
	const struct eal_args *args = &app.args;

	if (eal_check_memory(args, &app.host, e) != 0 || runtime_dir_init(args, e) != 0 ||
		vdev_socket_check(args, e) != 0)
		return -1;
	/* Without an endpoint the run is no worse: a newer telemetry may refuse, EAL may have none.
	 */
	(void)live_register();
	if (eal_start(args, program, e) != 0)
		return -1;
	runtime_dir_taken();
	return 0;
}

/* EAL counts its memory by socket, and a machine without nodes is socket 0. */
static void
note_held(struct memory_in *mem)
{
	static uint64_t held[TOPOLOGY_MAX_NODES];

	for (int socket = 0; socket < TOPOLOGY_MAX_NODES; socket++) {
		struct rte_malloc_socket_stats stats;

		held[socket] = socket < RTE_MAX_NUMA_NODES &&
					       rte_malloc_get_socket_stats(socket, &stats) == 0
				       ? stats.heap_totalsz_bytes
				       : 0;
	}
	mem->held = held;
}

/* The plan again, now with the devices' limits, and the memory it needs. */
static int
plan_run(struct run *run, struct err *e)
{
	static struct plan_port_in ports[CONFIG_MAX_PORTS];
	static struct memory_need need;
	struct plan_in in;
	int nb = port_discover(run->ports, &app.cfg, run->notes, e);

	if (nb < 0)
		return -1;
	if (nb == 0)
		return preplan_no_port(&app.args, e);
	run->nb_ports = (unsigned)nb;
	next_hop_set_self(run);
	run_open_leases(run);
	app.mem.rxd = app.mem.txd = 0;
	for (unsigned i = 0; i < run->nb_ports; i++) {
		struct port *p = &run->ports[i];

		if (port_descriptors(p, &app.cfg, e) != 0)
			return -1;
		ports[i] = port_plan_in(p);
		app.mem.rxd = RTE_MAX(app.mem.rxd, p->used.rxd);
		app.mem.txd = RTE_MAX(app.mem.txd, p->used.txd);
	}
	in = preplan_in(&app.cfg, &app.host, &app.args, ports, run->nb_ports);
	if (plan_streams(&in, &app.args.lcores, &run->plan, run->notes, e) != 0 ||
		config_check_tx_udp(&app.cfg, preplan_flows(&run->plan), e) != 0)
		return -1;
	note_held(&app.mem);
	if (host_refresh(&app.host, e) != 0 ||
		memory_need_plan(&need, &run->plan, &app.mem, e) != 0)
		return -1;
	return memory_check(&need, e);
}

/* Builds the run; what drivers print becomes the reason of a failure, or a note. */
static int
build_run(struct run *run, struct err *e)
{
	struct capture capture = {.fd = -1};
	char *said = NULL, reason[NOTE_TEXT - 32];
	int rc;

	if (!eal_is_verbose(&app.args))
		capture_begin(&capture);
	rc = run_build(run, e);
	capture_end(&capture, &said);
	capture_reason(said, reason, sizeof(reason));
	free(said);
	if (reason[0] == '\0')
		return rc;
	if (rc == 0)
		notes_add(run->notes, "the drivers say: %s", reason);
	else
		err_append(e, " (%s)", reason);
	return rc;
}

/* What drivers logged during the run, for the report. */
static void
note_log(struct run *run)
{
	char reason[NOTE_TEXT - 32];

	if (eal_is_verbose(&app.args))
		return;
	capture_reason(capture_log_text(), reason, sizeof(reason));
	if (reason[0] != '\0')
		notes_add(run->notes, "the drivers say: %s", reason);
}

/* Drivers complain of peers that are gone; what matters was reported before. */
static void
give_back(struct run *run)
{
	struct capture capture = {.fd = -1};

	if (!eal_is_verbose(&app.args))
		capture_begin(&capture);
	run_free(run);
	eal_stop();
	capture_end(&capture, NULL);
}

/* The JSON file, complete or not at all. @return the exit status, -1 with an error */
static int
write_json(int status, struct err *e)
{
	struct report_sink sink = {.out = app.json.f};
	int rc;

	if (app.json.f == NULL)
		return status;
	rc = report_json.end(&sink, &app.result.report);
	if (rc != 0) {
		output_abort(&app.json);
		return err_set(e, EXIT_MACHINE, "--json=%s: cannot be written: %s",
			app.cfg.json_file, strerror(-rc));
	}
	return output_commit(&app.json, e) == 0 ? status : -1;
}

/* A reader that went away is its own affair; a full disk is not. */
static int
check_console(int status, struct err *e)
{
	int error = app.console.write_errno;

	if (error == 0 || error == EPIPE)
		return status;
	return err_set(
		e, EXIT_MACHINE, "the report cannot be written to stdout: %s", strerror(error));
}

/* The TSC's frequency since the program began is good to some millionths, whatever is announced. */
static int
pace_run(struct run *run, struct err *e)
{
	struct clock_map map;

	if (clock_map_init(&map, app.begun, clock_anchor_now()) != 0)
		return err_set(e, EXIT_MACHINE, "the TSC or CLOCK_MONOTONIC does not move forward");
	return run_pace(run, clock_map_hz(&map), e);
}

static int
run_test(int argc, char **argv, struct err *e)
{
	const struct reporter *console = &report_console;
	struct run *run = &app.run;
	struct sampler_output lines = {
		.reporter = console, .sink = &app.console, .report = &app.result.report};
	int status = -1;

	run->cfg = &app.cfg;
	run->mem = &app.mem;
	run->notes = &app.notes;
	app.console = (struct report_sink){.out = stdout, .quiet = app.cfg.quiet};

	if (plan_run(run, e) != 0 || build_run(run, e) != 0)
		goto out;
	if (!eal_is_verbose(&app.args))
		capture_log_begin();
	run_wait_link(run);
	io_notes(&app.cfg, &app.notes);
	if (next_hop_resolve(run, e) != 0)
		goto out;
	if (pace_run(run, e) != 0)
		goto out;
	if (result_begin(&app.result, run, &app.host, argc, argv, e) != 0 ||
		peers_init(run, e) != 0)
		goto out;
	live_directions(app.result.report.sends, app.result.report.receives);
	(void)console->begin(&app.console, &app.result.report);
	status = sampler_run(run, &lines, &app.sampled, e);
	note_log(run);
	if (status != 0)
		goto out;
	result_end(&app.result, run, &app.sampled);
	(void)console->end(&app.console, &app.result.report);
	status = verdict_exit(app.result.verdict.status);
	status = write_json(status, e);
	if (status >= 0)
		status = check_console(status, e);
out:
	if (app.sampled.stuck > 0) {
		/* A worker is still inside a driver: its port and memory cannot be taken away. */
		if (status < 0)
			fprintf(stderr, "pmdperf: %s\n", e->msg);
		fflush(NULL);
		runtime_dir_remove();
		leftovers_remove();
		_exit(EXIT_MACHINE);
	}
	give_back(run);
	sample_fini(&app.sampled.samples);
	result_free(&app.result);
	return status;
}

/* A file opened on a free 0, 1 or 2 would get what is printed. */
static void
fill_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int
main(int argc, char **argv)
{
	struct err e = {.status = EXIT_MACHINE};
	int rc, status = -1;

	app.begun = clock_anchor_now();
	fill_standard_streams();
	signals_init();
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = read_words(argc, argv, &e);
	if (rc > 0) {
		status = answer(rc);
		goto out_words;
	}
	if (rc < 0)
		goto out_words;
	rc = prepare(&e);
	if (rc > 0)
		status = EXIT_DONE;
	if (rc != 0)
		goto out_words;
	if (app.cfg.json_file != NULL &&
		output_open(&app.json, "--json", app.cfg.json_file, app.cfg.config_file, &e) != 0)
		goto out_words;
	if (start_eal(argv[0], &e) != 0)
		goto out_output;
	status = run_test(argc, argv, &e);
out_output:
	output_abort(&app.json);
out_words:
	if (status < 0)
		config_blame_err(&app.cfg, &e);
	eal_args_free(&app.args);
	ini_eal_words_free(&app.ini);
	config_free(&app.cfg);
	if (status < 0) {
		fflush(stdout);
		fprintf(stderr, "pmdperf: %s\n", e.msg);
		if (e.status == EXIT_USAGE)
			fprintf(stderr, "Try pmdperf --help.\n");
		status = e.status;
	}
	return status;
}

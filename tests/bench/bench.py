#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures pmdperf beside dpdk-testpmd, run alternately, and compares medians of ratios.

Speed on a shared machine comes and goes. Within a round all setups of a case run one after the
other, the order turns from round to round, and a ratio is only taken within its round. A run during
which others took CPU time on the same CPUs is repeated; a round that stays disturbed is reported
but not judged, unless all were.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import signal
import statistics
import sys
import tempfile
import time

from cases import CASES
from tools import RunFailed, measure

QUIET = 0.05  # of one CPU: what others may take of ours before a run is repeated
ATTEMPTS = 3
EXIT_RAN, EXIT_FAILED, EXIT_MISSED = 0, 1, 3


class Bench:
    """What all runs share."""

    def __init__(self, args, tmp):
        self.tmp = tmp
        self.program = args.program
        self.testpmd = args.testpmd
        self.cpus = args.cpus
        self.seconds = args.seconds
        self.prefix = f"bench{os.getpid()}"


def count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return value


def parse():
    parser = argparse.ArgumentParser(prog="bench.sh", description=__doc__.splitlines()[0])
    names = [case.name for case in CASES]
    parser.add_argument("--rounds", type=count, default=11, help="default: 11")
    parser.add_argument("--seconds", type=count, default=1, help="of each run; default: 1")
    parser.add_argument(
        "--case", action="append", choices=names, metavar="NAME",
        help=f"only this case (repeatable): {', '.join(names)}",
    )
    parser.add_argument("--json", metavar="FILE", help="result file; default: results/bench-*.json")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--program", default="build/app/pmdperf", help=argparse.SUPPRESS)
    parser.add_argument("--testpmd", default="dpdk-testpmd", help=argparse.SUPPRESS)
    parser.add_argument("--cpus", nargs=2, default=["0", "1"], help=argparse.SUPPRESS)
    parser.add_argument(
        "--tool", choices=("pmdperf", "testpmd"),
        help="run only this program and print its rates: no goals are judged",
    )
    return parser.parse_args()


def others_seconds(cpus):
    """CPU time on these CPUs so far that was not ours: other processes and the hypervisor."""
    with open("/proc/stat", encoding="ascii") as file:
        rows = [line.split() for line in file]
    wanted = [row for row in rows if row[0] in {f"cpu{cpu}" for cpu in cpus}]
    # user, nice, system, irq, softirq, steal
    ticks = sum(int(row[i]) for row in wanted for i in (1, 2, 3, 6, 7, 8))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ours = sum(usage.ru_utime + usage.ru_stime for usage in used)
    return ticks / os.sysconf("SC_CLK_TCK") - ours


def measure_quietly(bench, setup):
    """The rate, and the share of a CPU that others took. Disturbed runs are repeated."""
    for _ in range(ATTEMPTS):
        began, others = time.monotonic(), others_seconds(bench.cpus)
        rate = measure(bench, setup)
        share = (others_seconds(bench.cpus) - others) / (time.monotonic() - began)
        if share <= QUIET:
            break
    return rate, max(0.0, share)


def run_case(bench, case, rounds, tool):
    """The rates of every setup, one for each round, and what others took of the CPUs meanwhile."""
    setups = [(n, s) for n, s in case.setups.items() if tool in (None, s.tool)]
    rates = {name: [] for name, _ in setups}
    others = {name: [] for name, _ in setups}
    if setups:
        print(f"\n{case.name}: {case.title}", flush=True)
    for number in range(rounds):
        turn = number % len(setups) if setups else 0
        for name, setup in setups[turn:] + setups[:turn]:
            rate, share = measure_quietly(bench, setup)
            rates[name].append(rate)
            others[name].append(share)
        line = "  ".join(f"{n} {r[-1] / 1e6:.2f}" for n, r in rates.items())
        if setups:
            print(f"  round {number + 1}, Mpps:  {line}", flush=True)
        worst = max((shares[-1] for shares in others.values()), default=0.0)
        if worst > QUIET:
            print(f"  round {number + 1}: others took {worst:.0%} of a CPU", flush=True)
    return rates, others


def quiet_rounds(rates, others):
    """The rates of the rounds that nobody disturbed; of all, if there is no such round."""
    rounds = range(len(next(iter(rates.values()), [])))
    quiet = [i for i in rounds if all(shares[i] <= QUIET for shares in others.values())]
    return {name: [values[i] for i in quiet or rounds] for name, values in rates.items()}


def judge(case, goal, rates):
    """One goal's figure, its spread over the rounds, and whether it was met."""
    if goal.over:
        figures = [a / b for a, b in zip(rates[goal.of], rates[goal.over])]
    elif goal.unit == "Mpps":
        figures = [rate / 1e6 for rate in rates[goal.of]]
    else:
        figures = [rate * case.setups[goal.of].size * 8 / 1e9 for rate in rates[goal.of]]
    median = statistics.median(figures)
    return {
        "of": goal.of,
        "over": goal.over,
        "unit": goal.unit,
        "median": median,
        "min": min(figures),
        "max": max(figures),
        "goal": goal.at_least,
        "met": median >= goal.at_least,
        "rounds": len(figures),
    }


def describe(result):
    if result["over"]:
        return f"{result['of']} / {result['over']}"
    return f"{result['of']}, {result['unit']}"


def print_table(cases):
    head = ("figure", "median", "min-max", "goal", "rounds")
    print("\n  {:<32}{:>8}{:>14}{:>7}{:>7}".format(*head))
    for case in cases:
        print(f"{case['name']}: {case['title']}")
        for result in case["goals"]:
            spread = f"{result['min']:.2f}-{result['max']:.2f}"
            verdict = "met" if result["met"] else "MISSED"
            print(
                f"  {describe(result):<32}{result['median']:>8.2f}{spread:>14}"
                f"{result['goal']:>7.2f}{result['rounds']:>7}  {verdict}"
            )


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return None


def write_result(path, args, started, cases, error):
    result = {
        "schema": "pmdperf-bench/1",
        "started_utc": started,
        "host": {"kernel": platform.release(), "cpu_model": cpu_model(), "cpus": os.cpu_count()},
        "rounds": args.rounds,
        "seconds": args.seconds,
        "cases": cases,
        "error": error,
    }
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")
    print(f"\nresults: {path}")


def run_all(bench, args, cases):
    for case in CASES:
        if args.case and case.name not in args.case:
            continue
        rates, others = run_case(bench, case, args.rounds, args.tool)
        quiet = quiet_rounds(rates, others)
        goals = [] if args.tool else [judge(case, goal, quiet) for goal in case.goals]
        cases.append(
            {
                "name": case.name,
                "title": case.title,
                "pps": rates,
                "other_cpu": others,
                "goals": goals,
            }
        )


def main():
    args = parse()
    if args.check:
        return EXIT_RAN
    # A signal ends the run like an error does: through the clean-up of every `with` block.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    path = args.json or time.strftime("results/bench-%Y%m%d-%H%M%S.json")
    tmp = tempfile.mkdtemp(prefix="pmdperf.", dir="/tmp")
    cases, error = [], None
    try:
        run_all(Bench(args, tmp), args, cases)
    except RunFailed as failure:
        error = str(failure)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    if not args.tool:
        print_table(cases)
    write_result(path, args, started, cases, error)
    if error:
        print(f"\nbench.sh: {error}", file=sys.stderr)
        return EXIT_FAILED
    met = all(goal["met"] for case in cases for goal in case["goals"])
    return EXIT_RAN if met else EXIT_MISSED


if __name__ == "__main__":
    sys.exit(main())

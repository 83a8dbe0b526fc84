# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program for the integration tests: each process with its own file prefix and a private
directory, ended by its pid whatever a test does."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PMDPERF", str(ROOT / "build" / "app" / "pmdperf"))
# A run of a second or two; whatever takes this long hangs.
LIMIT_S = 60


class Result:
    def __init__(self, status, out, err, report):
        self.status = status
        self.out = out
        self.err = err
        self.report = report  # the JSON result, None without one

    @property
    def summary(self):
        return self.report["summary"]

    def queues(self, direction):
        return [q for q in self.report["queues"] if q["dir"] == direction]


class Process:
    """A running pmdperf."""

    def __init__(self, directory, eal, own, json_file=True, prefix=(), stdout=subprocess.PIPE,
                 stdin=subprocess.DEVNULL, env=None):
        self.json = None
        words = [*prefix, PROGRAM, *eal, "--", *own]
        if json_file:
            self.json = pathlib.Path(directory) / f"result-{time.monotonic_ns()}.json"
            words += ["--json", str(self.json)]
        self.popen = subprocess.Popen(words, cwd=directory, stdin=stdin, stdout=stdout,
                                      stderr=subprocess.PIPE, text=True, env=env)
        self.pid = self.popen.pid

    def signal(self, number=signal.SIGTERM):
        self.popen.send_signal(number)

    def wait(self, limit=LIMIT_S):
        out, err = self.popen.communicate(timeout=limit)
        report = None
        if self.json is not None and self.json.exists():
            report = json.loads(self.json.read_text())
        return Result(self.popen.returncode, out, err, report)

    def stop(self, limit=LIMIT_S):
        self.signal()
        return self.wait(limit)

    def kill(self):
        if self.popen.poll() is None:
            self.popen.kill()
        with contextlib.suppress(ValueError, subprocess.TimeoutExpired):
            self.popen.communicate(timeout=10)


def wait_for(condition, what, limit=20.0):
    """Waits for something that must become true; no fixed sleeps."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"not within {limit} s: {what}"
        time.sleep(0.02)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program for the integration tests: each process with its own file prefix and a private
directory, ended by its pid whatever a test does."""
import contextlib
import json
import os
import pathlib
import shutil
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


BEGAN = time.time()
RUNTIME = pathlib.Path(os.environ.get("RUNTIME_DIRECTORY", "/var/run")) / "dpdk"


def leftovers(pid, directory=None, prefix=None):
    """What a process that has ended left behind: its runtime directory, its hugepage files, its
    unfinished results."""
    prefix = prefix or f"pmdperf-{pid}"
    found = []
    # A process id comes round again: what is older than these tests is somebody else's.
    if (RUNTIME / prefix).exists() and (RUNTIME / prefix).stat().st_mtime >= BEGAN:
        found.append(RUNTIME / prefix)
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, point, kind, *_ = line.split()
        if kind == "hugetlbfs":
            found += pathlib.Path(point).glob(f"{prefix}map_*")
    if directory is not None:
        found += pathlib.Path(directory).glob(f"*.{pid}.tmp")
    return [str(f) for f in found]


def sweep(process):
    """Clears what a process leaves that was killed, by a test or for it."""
    if process.popen.returncode == -signal.SIGKILL:
        shutil.rmtree(RUNTIME / f"pmdperf-{process.pid}", ignore_errors=True)


def call(words, directory, prefix=(), limit=LIMIT_S, env=None, stdin=subprocess.DEVNULL):
    """Runs the program with exactly these words to its end."""
    p = subprocess.Popen([*prefix, PROGRAM, *words], cwd=directory, stdin=stdin, env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = p.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        shutil.rmtree(RUNTIME / f"pmdperf-{p.pid}", ignore_errors=True)
        raise AssertionError(f"did not end within {limit} s: {words}\n{out}\n{err}") from None
    r = Result(p.returncode, out, err, None)
    r.pid = p.pid
    return r


def refused(words, directory, status, *texts, **kw):
    """The words are refused: one message with all the texts, nothing on stdout, nothing left."""
    r = call(words, directory, limit=20, **kw)
    shown = f"{' '.join(words)}\nstatus {r.status}\nstderr: {r.err}"
    assert r.status == status, shown
    assert r.out == "", shown + f"\nstdout: {r.out}"
    lines = r.err.splitlines()
    assert lines and lines[0].startswith("pmdperf: "), shown
    assert r.err.count("pmdperf: ") == 1 and "EAL:" not in r.err, shown
    # A command to copy may stand on its own line; driver and EAL text may not.
    assert len(lines) <= 4, shown
    assert (lines[-1] == "Try pmdperf --help.") == (status == 2), shown
    for text in texts:
        assert text in r.err, f"{text!r} is not in the message\n{shown}"
    assert leftovers(r.pid, directory) == []
    return r


def in_private_mounts(script):
    """Words in front of the program: a mount namespace of its own, changed by a shell script."""
    return ["unshare", "-m", "sh", "-ec", script + '\nexec "$@"', "sh"]


def fake_hugepages(directory, free, total=None):
    """A script for in_private_mounts() after which the kernel seems to have so many 2 MB pages and
    none of other sizes."""
    total = free if total is None else total
    lines = []
    for name, number in (("free", free), ("total", total), ("zero", 0)):
        path = pathlib.Path(directory) / f"fake-{name}"
        path.write_text(f"{number}\n")
    for d in [*pathlib.Path("/sys/kernel/mm/hugepages").glob("hugepages-*"),
              *pathlib.Path("/sys/devices/system/node").glob("node*/hugepages/hugepages-*")]:
        ours = d.name == "hugepages-2048kB" and ("node" not in str(d) or "node0/" in str(d))
        for file, name in (("free_hugepages", "free"), ("nr_hugepages", "total")):
            fake = pathlib.Path(directory) / f"fake-{name if ours else 'zero'}"
            lines.append(f"mount --bind {fake} {d}/{file}")
        lines.append(f"[ ! -e {d}/resv_hugepages ] || "
                     f"mount --bind {directory}/fake-zero {d}/resv_hugepages")
    return "\n".join(lines)

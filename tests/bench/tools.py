# SPDX-License-Identifier: BSD-3-Clause
"""Runs pmdperf or dpdk-testpmd once and returns the rate in packets a second.

Both programs get the same CPUs, memory words, devices and rings. The sender and its main lcore are
on the first CPU, the receiver and its main lcore on the second; a single program is on the second.
"""

import json
import os
import re
import signal
import subprocess
import time

RING = 1024
START_TIMEOUT = 30.0
STOP_TIMEOUT = 15.0
SETTLE = 1.0  # seconds of traffic before the measured time, for both programs


class RunFailed(Exception):
    """The message ends with the last lines of the program's log."""


class Process:
    """One program. Leaving the `with` block ends it, whatever happened."""

    def __init__(self, bench, name, words):
        self.name = name
        self.log_path = os.path.join(bench.tmp, f"{name}.log")
        self.words = words
        environment = dict(os.environ, RUNTIME_DIRECTORY=bench.tmp)
        with open(self.log_path, "wb") as log:
            self.child = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self.child.stdin.close()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def fail(self, what):
        tail = "\n".join(self.log().splitlines()[-12:])
        raise RunFailed(f"{self.name}: {what}\n{' '.join(self.words)}\n{tail}")

    def wait_until(self, condition, what):
        deadline = time.monotonic() + START_TIMEOUT
        while not condition():
            if self.child.poll() is not None:
                self.fail(f"ended with status {self.child.returncode} before {what}")
            if time.monotonic() > deadline:
                self.fail(f"no {what} within {START_TIMEOUT:.0f} s")
            time.sleep(0.02)

    def type(self, line):
        self.child.stdin.write(line.encode() + b"\n")
        self.child.stdin.flush()

    def wait_end(self, timeout, good=(0,)):
        try:
            self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.fail(f"did not end within {timeout:.0f} s")
        if self.child.returncode not in good:
            self.fail(f"ended with status {self.child.returncode}")


def eal_words(bench, cpu, name, devices):
    words = ["--lcores", f"0@{cpu},1@{cpu}", "--no-pci", "--in-memory"]
    if any("virtio_user" in device for device in devices):
        words.append("--single-file-segments")
    words += ["--file-prefix", f"{bench.prefix}-{name}", "-m", "256"]
    for device in devices:
        words += ["--vdev", device]
    return words


def devices_of(setup, socket):
    """The receiver's and the sender's device. The receiver starts first and makes the socket."""
    packed = ",packed_vq=1" if setup.packed else ""
    return (
        f"net_vhost0,iface={socket}",
        f"net_virtio_user0,path={socket},queues=1,queue_size={RING}{packed}",
    )


def measure(bench, setup):
    run = {
        ("pmdperf", False): pmdperf_single,
        ("pmdperf", True): pmdperf_pair,
        ("testpmd", False): testpmd_single,
        ("testpmd", True): testpmd_pair,
    }[setup.tool, setup.pair]
    return run(bench, setup)


# pmdperf measures itself: the rates are in its result file.


def pmdperf(bench, setup, name, cpu, device, *options):
    words = [bench.program, *eal_words(bench, cpu, name, [device]), "--"]
    words += [*setup.options, "--quiet", "--json", os.path.join(bench.tmp, f"{name}.json")]
    return Process(bench, name, words + list(options))


def pmdperf_summary(bench, name):
    with open(os.path.join(bench.tmp, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)["summary"]


def pmdperf_send_options(bench, setup):
    return (
        "--forward-mode=txonly",
        f"--txpkts={setup.size}",
        f"--warmup={SETTLE:g}",
        f"--duration={bench.seconds:g}",
    )


def pmdperf_single(bench, setup):
    if setup.send:
        options, direction = pmdperf_send_options(bench, setup), "tx"
    else:
        options = ("--forward-mode=rxonly", f"--warmup={SETTLE:g}", f"--duration={bench.seconds:g}")
        direction = "rx"
    with pmdperf(bench, setup, "single", bench.cpus[1], "net_null0", *options) as process:
        process.wait_end(SETTLE + bench.seconds + START_TIMEOUT)
    return pmdperf_summary(bench, "single")[direction]["pps"]


def pmdperf_pair(bench, setup):
    socket = os.path.join(bench.tmp, "pair.sock")
    receiving, sending = devices_of(setup, socket)
    receive = ("--forward-mode=rxonly", f"--warmup={SETTLE:g}")
    send = pmdperf_send_options(bench, setup)
    with pmdperf(bench, setup, "receiver", bench.cpus[1], receiving, *receive) as receiver:
        receiver.wait_until(lambda: os.path.exists(socket), "socket")
        with pmdperf(bench, setup, "sender", bench.cpus[0], sending, *send) as sender:
            sender.wait_end(SETTLE + bench.seconds + START_TIMEOUT)
        receiver.child.send_signal(signal.SIGTERM)
        receiver.wait_end(STOP_TIMEOUT)
    return pmdperf_summary(bench, "receiver")["rx"]["pps"]


# testpmd has no measured time of its own: its counters are read twice while it runs, each reading
# stamped with the monotonic clock when its text arrives. Counts start and end in steady traffic.

COUNTER = {"rx": re.compile(r"RX-packets:\s*(\d+)"), "tx": re.compile(r"TX-packets:\s*(\d+)")}


def testpmd(bench, setup, name, cpu, device, *options):
    # Line by line, or the counters arrive when the program ends.
    words = ["stdbuf", "-oL", bench.testpmd]
    words += [*eal_words(bench, cpu, name, [device]), "--no-telemetry", "--", "-i"]
    return Process(bench, name, words + list(options) + list(setup.options))


def testpmd_ready(process):
    process.wait_until(lambda: "testpmd>" in process.log(), "prompt")


def testpmd_count(process, direction):
    """The port's packet counter and the time at which it was read."""
    start = len(process.log())
    process.type("show port stats 0")
    found = []

    def arrived():
        found[:] = COUNTER[direction].findall(process.log()[start:])
        return found

    deadline = time.monotonic() + START_TIMEOUT
    while not arrived():
        if process.child.poll() is not None or time.monotonic() > deadline:
            process.fail("gave no statistics")
        time.sleep(0.0005)
    return int(found[0]), time.monotonic()


def testpmd_rate(bench, process, direction):
    time.sleep(SETTLE)
    first, began = testpmd_count(process, direction)
    time.sleep(bench.seconds)
    last, ended = testpmd_count(process, direction)
    if last == first:
        process.fail("moved no packets")
    return (last - first) / (ended - began)


def testpmd_quit(process):
    process.type("stop")
    process.type("quit")
    process.wait_end(STOP_TIMEOUT)


def testpmd_single(bench, setup):
    mode, direction = ("txonly", "tx") if setup.send else ("rxonly", "rx")
    options = (f"--forward-mode={mode}", f"--txpkts={setup.size}", "--nb-cores=1")
    with testpmd(bench, setup, "single", bench.cpus[1], "net_null0", *options) as process:
        testpmd_ready(process)
        process.type("start")
        rate = testpmd_rate(bench, process, direction)
        testpmd_quit(process)
    return rate


def testpmd_pair(bench, setup):
    socket = os.path.join(bench.tmp, "pair.sock")
    receiving, sending = devices_of(setup, socket)
    # Neither program gets --txd and --rxd: for both the driver's preference, 512 of the ring's
    # 1024, is the default.
    receive = ("--forward-mode=rxonly", "--nb-cores=1")
    send = ("--forward-mode=txonly", f"--txpkts={setup.size}", "--nb-cores=1")
    with testpmd(bench, setup, "receiver", bench.cpus[1], receiving, *receive) as receiver:
        testpmd_ready(receiver)
        with testpmd(bench, setup, "sender", bench.cpus[0], sending, *send) as sender:
            testpmd_ready(sender)
            receiver.type("start")
            sender.type("start")
            rate = testpmd_rate(bench, receiver, "rx")
            testpmd_quit(sender)
        testpmd_quit(receiver)
    return rate

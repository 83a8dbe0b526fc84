#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for pmdperf where only the scripts around it are tested.

Takes pmdperf's command line, makes the receiver's socket, runs as long as it is told to and writes
a result with the fixed names. FAKE_FAIL names a role and a size, "sender 1430": it fails there.
"""

import json
import os
import re
import signal
import socket
import sys
import time


def option(name, default=None):
    for i, word in enumerate(sys.argv):
        if word == f"--{name}":
            return sys.argv[i + 1]
        if word.startswith(f"--{name}="):
            return word.partition("=")[2]
    return default


def result(direction, packets, seconds, size):
    pps = packets / seconds
    window = {
        "packets": packets,
        "window_s": seconds,
        "pps": pps,
        "bps": pps * size * 8,
        "bps_l1": pps * (size + 24) * 8,
        "total_packets": packets,
    }
    return {
        "tool": {"version": "0.0.0", "dpdk": "DPDK 22.11.11"},
        "host": {"kernel": "6.1.0", "cpu_model": "A processor with " + "long " * 20, "cpus": 2},
        "lcores": [
            {"lcore": 0, "streams": 0, "busy_pct": None},
            {"lcore": 1, "streams": 1, "busy_pct": 97.4},
        ],
        "summary": {direction: window},
    }


def main():
    mode = option("forward-mode")
    role = {"txonly": "sender", "rxonly": "receiver"}[mode]
    path = option("json")
    size = int(re.search(r"(\d+)-" + role, path).group(1))
    print(f"fake {role} {size}: {' '.join(sys.argv[1:])}", flush=True)
    if os.environ.get("FAKE_FAIL") == f"{role} {size}":
        sys.exit("fake failure to be shown")
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    if role == "receiver":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(re.search(r"(?:iface|path)=([^,]*)", option("vdev")).group(1))
    end = time.monotonic() + float(option("warmup", 0)) + float(option("duration", 1000))
    while not stopped and time.monotonic() < end:
        time.sleep(0.02)
    direction = {"sender": "tx", "receiver": "rx"}[role]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result(direction, 20_000_000 - (role == "receiver"), 1.0, size), file)


if __name__ == "__main__":
    main()

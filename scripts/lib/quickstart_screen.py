#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The closing screen of quickstart.sh: 80x24, from the result files of both sides."""

import argparse
import json
import os
import sys

WIDTH = 79  # a full 80th column wraps on some terminals
RULE = "=" * WIDTH
BUNDLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../BUNDLE")
CLONE_NEXT = (
    "            ./scripts/test.sh                the tests",
    "            ./scripts/bench.sh               side by side with dpdk-testpmd",
)
BUNDLE_NEXT = (
    "            ./scripts/nic.sh status          the NICs of this machine",
    "            README.md                        how to measure one",
)


def load(folder, size, side):
    with open(os.path.join(folder, f"{size}-{side}.json"), encoding="utf-8") as file:
        return json.load(file)


def figure(value, width, digits=2):
    """A number, or n/a for what could not be known."""
    return f"{'n/a' if value is None else format(value, f',.{digits}f'):>{width}}"


def scaled(value, unit):
    return None if value is None else value / unit


def busy(result):
    """Of the lcore that polls the device; the main lcore polls nothing."""
    shares = [lcore["busy_pct"] for lcore in result["lcores"] if lcore["streams"]]
    return max((s for s in shares if s is not None), default=None)


def row(size, sender, receiver):
    tx, rx = sender["summary"]["tx"], receiver["summary"]["rx"]
    return (
        f"{size:>6}"
        + figure(scaled(tx["pps"], 1e6), 9)
        + figure(scaled(rx["pps"], 1e6), 10)
        + figure(tx["total_packets"] - rx["total_packets"], 12, 0)
        + figure(scaled(rx["bps"], 1e9), 11)
        + figure(scaled(rx["bps_l1"], 1e9), 9)
        + figure(busy(sender), 11, 0)
        + figure(busy(receiver), 11, 0)
    )


def screen(args):
    results = [
        (size, load(args.folder, size, "sender"), load(args.folder, size, "receiver"))
        for size in args.sizes
    ]
    tool, host = results[0][1]["tool"], results[0][1]["host"]
    other = {"net_virtio_user": "net_vhost", "net_vhost": "net_virtio_user"}[args.sender]
    sender_cpu, receiver_cpu = args.cpus
    lines = [
        f"pmdperf {tool['version']} on {dpdk(tool['dpdk'])} - self-test: no NIC is touched",
        RULE,
        "Two processes joined by a virtio ring, the kind of NIC that clouds give:",
        f"  sender    txonly on {args.sender}, one lcore on CPU {sender_cpu}",
        f"  receiver  rxonly on {other}, one lcore on CPU {receiver_cpu}",
        f"  ring of {args.ring} descriptors, memory from {args.memory}",
        f"  {host['cpu_model']}, {host['cpus']} CPUs, kernel {host['kernel']}",
        "",
        " frame     sent  received        lost     Gbit/s   Gbit/s     sender   receiver",
        " bytes     Mpps      Mpps      frames         L2       L1     busy %     busy %",
        *(row(*result) for result in results),
        "",
        "L2 is received packets/s x frame length x 8; L1 adds 24 bytes to each frame.",
        "This is pmdperf's own ceiling per core on this machine, not the speed of a NIC.",
    ]
    if sender_cpu == receiver_cpu:
        lines.append("One CPU for both: they took turns, and two would do better than twice this.")
    else:
        lines.append("Each side has its own measured window, so their rates may differ a little.")
    lines += [
        "",
        f"Results     {args.folder}/ (JSON and console logs)",
        f"Given back  {given_back(args.borrowed)}",
        "Next        ./build/app/pmdperf -- --help    every option",
        *(BUNDLE_NEXT if os.path.exists(BUNDLE) else CLONE_NEXT),
    ]
    return [line[:WIDTH] for line in lines]


def dpdk(version):
    return version if version.startswith("DPDK") else f"DPDK {version}"


def given_back(borrowed):
    pages = f"{borrowed} hugepages of 2 MB" if borrowed else "no hugepages were borrowed"
    return f"{pages}; sockets and runtime files are removed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--sender", required=True)
    parser.add_argument("--ring", required=True)
    parser.add_argument("--memory", required=True)
    parser.add_argument("--borrowed", type=int, required=True)
    parser.add_argument("--cpus", nargs=2, required=True)
    parser.add_argument("--sizes", nargs="+", required=True)
    args = parser.parse_args()
    try:
        print("\n".join(screen(args)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"quickstart.sh: the results in {args.folder} cannot be read: {error!r}")


if __name__ == "__main__":
    main()

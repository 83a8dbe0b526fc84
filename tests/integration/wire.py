# SPDX-License-Identifier: BSD-3-Clause
"""A wire between two interfaces that does harm by the rules and keeps a log of it.

As a program: wire.py NETNS DEV NETNS DEV RULES LOG. It carries frames both ways until SIGTERM, and
then writes the log. RULES (JSON) are shares of the data frames that go from the first to the second:
first (1: the first frame of each flow is lost, data or not), drop, double, delay
(behind the next few), corrupt (a bit of the tag); talk_loss is of everything the
two sides say to each other, both ways; seed makes all of it the same again. kill_after=N ends a
process by its pid after so many data frames.
"""
import collections
import ctypes
import json
import os
import random
import select
import signal
import socket
import struct
import sys

TAG = 42
MAGIC = 0x9d17
DATA, CONTROL = 0x10, 0x11
CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
PACKET_OUTGOING = 4
SO_RCVBUFFORCE = 33


def open_in(namespace, device):
    """A raw socket in another network namespace: a socket stays where it was made."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/var/run/netns/{namespace}", "rb") as there, open("/proc/self/ns/net", "rb") as here:
        assert libc.setns(there.fileno(), CLONE_NEWNET) == 0, ctypes.get_errno()
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        s.bind((device, ETH_P_ALL))
        assert libc.setns(here.fileno(), CLONE_NEWNET) == 0, ctypes.get_errno()
    return s


def kind_of(frame):
    if len(frame) < TAG + 18 or struct.unpack_from(">H", frame, TAG)[0] != MAGIC:
        return None
    return frame[TAG + 2]


class Wire:
    def __init__(self, rules):
        self.rules = collections.defaultdict(float, rules)
        self.rng = random.Random(rules.get("seed", 1))
        self.log = collections.Counter()
        self.flows = set()
        self.held = []  # (frames to wait for, frame)
        self.highest = {}  # by flow, of what was delivered
        self.delivered = collections.defaultdict(set)

    def chance(self, name):
        return self.rng.random() < self.rules[name]

    def deliver(self, frame, out):
        """Counts as a receiver is to count."""
        flow, number = struct.unpack_from(">II", frame, TAG + 4)
        sequence = (number - flow * 0x9e3779b1) & 0xffffffff
        out.send(frame)
        self.log["delivered"] += 1
        if sequence in self.delivered[flow]:
            self.log["again"] += 1
            return
        self.delivered[flow].add(sequence)
        highest = self.highest.get(flow, -1)
        if sequence < highest:
            self.log["reordered"] += 1
            self.log["extent"] = max(self.log["extent"], highest + 1 - sequence)
        self.highest[flow] = max(highest, sequence)

    def corrupt(self, frame):
        bad = bytearray(frame)
        bad[TAG + 4 + self.rng.randrange(8)] ^= 1 << self.rng.randrange(8)
        return bytes(bad)

    def data(self, frame, out):
        self.log["seen"] += 1
        if self.chance("drop"):
            self.log["dropped"] += 1
        elif self.chance("corrupt"):
            self.log["corrupted"] += 1
            out.send(self.corrupt(frame))
        elif self.chance("delay"):
            self.log["delayed"] += 1
            self.held.append([self.rng.randrange(1, 40), frame])
        else:
            self.deliver(frame, out)
            if self.chance("double"):
                self.log["doubled"] += 1
                self.deliver(frame, out)
        for h in self.held:
            h[0] -= 1
        for _, late in [h for h in self.held if h[0] <= 0]:
            self.deliver(late, out)
        self.held = [h for h in self.held if h[0] > 0]
        if self.log["seen"] == self.rules["kill_after"]:
            os.kill(int(self.rules["pid"]), signal.SIGKILL)

    def is_first(self, frame):
        """Of its flow, whatever it says."""
        if not self.rules["first"] or frame[34:38] in self.flows:
            return False
        self.flows.add(frame[34:38])
        self.log["first"] += 1
        return True

    def carry(self, frame, out, forward):
        kind = kind_of(frame)
        if forward and kind is not None and self.is_first(frame):
            self.log["dropped"] += kind == DATA
            self.log["seen"] += kind == DATA
            return
        if kind == CONTROL:
            self.log["said"] += 1
            self.log["longest"] = max(self.log["longest"], len(frame))
            if self.chance("talk_loss"):
                self.log["unheard"] += 1
                return
        if forward and kind == DATA:
            self.data(frame, out)
        else:
            if forward and kind == CONTROL:
                # The end of the data: nothing is held back for ever.
                for _, late in self.held:
                    self.deliver(late, out)
                self.held = []
            out.send(frame)


def main(argv):
    a, b = open_in(argv[1], argv[2]), open_in(argv[3], argv[4])
    wire = Wire(json.loads(argv[5]))
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    print("ready", flush=True)
    while not stop:
        for s in select.select([a, b], [], [], 0.1)[0]:
            frame, address = s.recvfrom(65536)
            if address[2] != PACKET_OUTGOING:
                wire.carry(frame, b if s is a else a, s is a)
    with open(argv[6], "w", encoding="ascii") as f:
        json.dump(wire.log, f)


if __name__ == "__main__":
    main(sys.argv)

# SPDX-License-Identifier: BSD-3-Clause
"""--io: the same engines and reports on an interface that the kernel keeps."""
import re
import socket
import time

import pytest

import harness
import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

US, PEER = "198.19.7.1", "198.19.7.2"
# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", "--no-control"]
RX = ["--forward-mode=rxonly", "--warmup=0"]
AF_XDP = 44


def kernel_has_xdp():
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW).close()
        return True
    except OSError:
        return False


MODES = ["af_packet", pytest.param("af_xdp", marks=pytest.mark.skipif(
    not kernel_has_xdp(), reason="the kernel has no AF_XDP"))]


def addresses(veth):
    links.sh("ip", "addr", "add", f"{US}/24", "dev", veth.here)
    links.sh("ip", "-n", veth.namespace, "addr", "add", f"{PEER}/24", "dev", veth.there)


def words_in(text):
    return " ".join(text.split())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [60, 1430])
def test_sent_frames_arrive(box, veth, mode, length):
    r = box.run([], [*TX, "--io", mode, veth.here, f"--txpkts={length}", "--duration=200ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_packets"] > 0
    harness.wait_for(lambda: veth.peer_received() >= tx["total_packets"], "all frames")
    assert veth.peer_received() == tx["total_packets"]
    assert veth.peer_received_bytes() == length * tx["total_packets"]
    assert f"--io={mode}: " in r.out
    assert r.report["ports"][0]["driver"] == f"net_{mode}"


@pytest.mark.parametrize("mode", MODES)
def test_received_frames_are_counted(box, veth, mode):
    live = links.Live(box, [], [*RX, "--io", mode, veth.here])
    live.wait_running()
    frames = [packets.udp_frame(veth.mac(), "02:00:00:00:00:09", length)
              for length in (60, 64, 1000, 1514) for _ in range(25)]
    veth.send(frames)
    live.wait_moving()
    live.wait_still()
    r = live.process.stop()
    assert r.status == 0, r.err
    assert r.summary["rx"]["total_packets"] == len(frames)
    assert r.summary["rx"]["total_bytes"] == sum(len(f) for f in frames)


@pytest.mark.skipif(not kernel_has_xdp(), reason="the kernel has no AF_XDP")
def test_af_xdp_on_one_of_several_queues(box, veth):
    """What it keeps from the kernel and what it does not see is said; a queue too many is refused."""
    words = [*TX, "--io", "af_xdp", veth.here, "--duration=200ms"]
    links.sh("ethtool", "-L", veth.here, "rx", "1", "tx", "1")
    r = box.run([], words)
    assert any(f"the kernel receives nothing from {veth.here}" in n for n in r.report["notes"])
    before = r.summary["tx"]["total_packets"]
    harness.wait_for(lambda: veth.peer_received() >= before, "all frames")
    links.sh("ethtool", "-L", veth.here, "rx", "2", "tx", "2")
    r = box.run([], [*words, "--io-queue=1"])
    assert r.status == 0, r.err
    sent = before + r.summary["tx"]["total_packets"]
    harness.wait_for(lambda: veth.peer_received() >= sent, "all frames")
    assert veth.peer_received() == sent
    assert any(f"1 of {veth.here}'s 2 queues, from 1 on" in n for n in r.report["notes"])
    r = box.run([], [*words, "--io-queue=2"])
    assert r.status == 1 and f"{veth.here} has 2 queues" in words_in(r.err), r.err
    r = box.run([], [*TX, "--io", "af_packet", veth.here, "--io-queue=1"])
    assert r.status == 2 and "without --io=af_xdp" in words_in(r.err), r.err


def test_K4_link_down_in_the_middle(box, veth):
    """A mean over a time without a link would be taken for a rate: both sides say it."""
    words = ["--io", "af_packet", "--duration=8s", "--warmup=0"]
    receiver = links.Live(box, [], ["--forward-mode=rxonly", *words[:2], veth.there, *words[2:]],
                          prefix=["ip", "netns", "exec", veth.namespace])
    receiver.wait_running()
    sender = links.Live(box, [], ["--forward-mode=txonly", *words[:2], veth.here, *words[2:],
                                  "--dst-mac=02:00:00:00:00:09"])
    receiver.wait_moving()
    links.sh("ip", "link", "set", veth.here, "down")
    time.sleep(2)
    links.sh("ip", "link", "set", veth.here, "up")
    r, s = receiver.wait(), sender.wait()
    assert (r.status, s.status) == (0, 0), r.err + s.err
    assert any("no frame came from" in n for n in r.report["notes"]), r.report["notes"]
    assert any("accepted no frame from" in n for n in s.report["notes"]), s.report["notes"]


@pytest.mark.parametrize("mode", MODES)
def test_two_hosts_with_addresses(box, veth, mode):
    """The source is the interface's own address, the MAC comes by ARP: nothing else is given."""
    addresses(veth)
    receiver = links.Live(box, [], [*RX, "--io", "af_packet", veth.there],
                          prefix=["ip", "netns", "exec", veth.namespace])
    receiver.wait_running()
    r = box.run([], [*TX, "--io", mode, veth.here, f"--dst-ip={PEER}", "--duration=300ms"])
    assert r.status == 0, r.err
    assert f"source address {US}, that of {veth.here}" in words_in(r.out)
    assert f"{PEER} is at " in words_in(r.out)
    assert "defaults" not in r.out
    receiver.wait_still()
    got = receiver.process.stop()
    assert got.status == 0, got.err
    assert 0 < got.summary["rx"]["total_packets"] <= r.summary["tx"]["total_packets"]


def test_several_queues(box, veth):
    r = box.run([], [*TX, "--io", "af_packet", veth.here, "--txq=4", "--rxq=2",
                     "--duration=200ms"], workers=2)
    assert r.status == 0, r.err
    assert [q["queue"] for q in r.queues("tx")] == [0, 1, 2, 3]
    assert all(q["packets"] > 0 for q in r.queues("tx"))
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


def test_jumbo(box, veth):
    veth.set_mtu(9000)
    links.sh("ip", "-n", veth.namespace, "link", "set", veth.there, "mtu", "9000")
    r = box.run([], [*TX, "--io", "af_packet", veth.here, "--txpkts=9014", "--duration=100ms"])
    assert r.status == 0, r.err
    assert veth.peer_received_bytes() == 9014 * r.summary["tx"]["total_packets"] > 0


def test_what_is_refused(box, veth):
    harness.refused(["--no-huge", "--", *TX, "--io", "af_packet", "nosuch0"], box.path, 1,
                    "--interface=nosuch0", "no such interface", "lo")
    links.sh("ip", "link", "set", veth.here, "down")
    harness.refused(["--no-huge", "--", *TX, "--io", "af_packet", veth.here], box.path, 1,
                    f"--interface={veth.here}", f"ip link set {veth.here} up")
    links.sh("ip", "link", "set", veth.here, "up")
    links.sh("ip", "addr", "add", f"{US}/24", "dev", veth.here)
    harness.refused(["--no-huge", "--", *TX, "--io", "af_packet", veth.here, f"--dst-ip={US}"],
                    box.path, 2, f"--dst-ip={US}", "own address")


def test_the_plan_has_the_port(box, veth):
    r = harness.call(["--no-huge", *box.lcores(), "--", *TX, "--io", "af_packet", veth.here,
                      "--plan"], box.path)
    assert r.status == 0, r.err
    assert re.search(r"port +0 .*txq 1", r.out), r.out

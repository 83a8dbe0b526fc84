# SPDX-License-Identifier: BSD-3-Clause
"""Totals are sums, sums are exact, and what nobody counts is not 0."""
import pathlib
import re
import signal

import pytest

import harness
import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

TX = ["--forward-mode=txonly", "--warmup=0"]
RX = ["--forward-mode=rxonly", "--warmup=0"]
US, PEER = "02:00:00:00:00:02", "02:00:00:00:00:01"


@pytest.mark.parametrize("queues, workers", [(4, 1), (4, 2), (32, 1), (33, 4)])
@pytest.mark.parametrize("length", [64, 1430])
def test_I6_I7_every_queue_counts(box, queues, workers, length):
    """Beyond the 16 that a device's basic counters have, too."""
    r = box.run(["--vdev=net_null0"],
                [*TX, "--duration=100ms", f"--txq={queues}", f"--txpkts={length}"],
                workers=workers)
    assert r.status == 0, r.err
    tx, rows = r.summary["tx"], r.queues("tx")
    assert [q["queue"] for q in rows] == list(range(queues))
    links.check_sums(r, "tx")
    for q in rows:
        assert q["packets"] > 0
        assert q["bytes"] == length * q["packets"]
        assert q["share_pct"] == pytest.approx(100 * q["packets"] / tx["total_packets"], abs=1e-3)
    assert sum(q["share_pct"] for q in rows) == pytest.approx(100, abs=0.05)
    assert sum(w["packets"] for w in r.report["lcores"]) == tx["total_packets"]
    assert sum(w["streams"] for w in r.report["lcores"]) == queues
    # The device's own count is right or, where it covers 16 queues only, left out.
    assert links.device_sent(r.report["ports"][0]) in (tx["total_packets"], None)
    if queues <= 16:
        assert r.report["ports"][0]["opackets"] is not None


@pytest.mark.parametrize("queues", [1, 4, 32])
def test_I6_received_on_every_queue(box, queues):
    """net_null's frames are of one length; its own counters have no bytes."""
    r = box.run(["--vdev=net_null0,size=128"], [*RX, "--duration=100ms", f"--rxq={queues}"])
    assert r.status == 0, r.err
    rx, rows = r.summary["rx"], r.queues("rx")
    assert len(rows) == queues and all(q["packets"] > 0 for q in rows)
    assert rx["total_bytes"] == 128 * rx["total_packets"]
    assert sum(w["packets"] for w in r.report["lcores"]) == rx["total_packets"]
    links.check_sums(r, "rx")


def test_K1_the_drivers_own_counters(box):
    """By name, as they grew; what did not is left out."""
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=50ms", "--txq=2"])
    port, = r.report["ports"]
    sent = r.summary["tx"]["total_packets"] + port["control_tx"]
    assert port["xstats"]["tx_good_packets"] == sent
    assert all(n > 0 for n in port["xstats"].values())


def test_I6_I9_what_a_device_does_not_count_is_null(box):
    r = box.run(["--vdev=net_null0"], [*RX, "--duration=50ms"])
    port, = r.report["ports"]
    for name in ("imissed", "nombuf", "errors", "tx_errors"):
        assert port[name] is None
    for name in ("missed", "nombuf", "errors"):
        assert r.summary["rx"][name] is None
    assert r.summary["tx"] is None
    assert "n/a" in r.out
    for name in ("loss", "latency", "expect"):
        assert r.report[name] is None


def test_I5_offered_accepted_and_unsent_are_three_numbers(box):
    """A ring that main empties now and then: most is refused, none of it is an error."""
    r = box.run(["--vdev=net_ring0"], [*TX, "--duration=200ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_unsent"] > 0
    links.check_sums(r, "tx")
    assert tx["errors"] is None
    assert links.device_sent(r.report["ports"][0]) == tx["total_packets"]
    assert re.search(r"offered +\d+: \d+ accepted, \d+ unsent", r.out)


def test_I5_K2_a_full_ring_with_no_reader(box):
    """A listener that has stopped to read: exactly a ring full is taken."""
    pair = links.Pair(box)
    rx = links.Live(box, [pair.vhost()], RX, lcores=links.across(box))
    pair.listening()
    rx.wait_running()
    tx = links.Live(box, [pair.virtio()], TX)
    rx.wait_moving()
    rx.process.signal(signal.SIGSTOP)
    harness.wait_for(lambda: tx.rates()[-2:] == [0, 0], "the ring is full")
    rx.process.signal(signal.SIGCONT)
    rx.wait_moving()
    sent = tx.stop()
    rx.wait_still()
    got = rx.stop()
    links.check_lossless(sent, got, 64)
    samples = [s["tx_pps"] for s in sent.report["samples"]]
    assert 0 in samples and sent.summary["tx"]["pps_min"] == 0
    assert sent.summary["tx"]["unsent"] > 0


def test_G7_the_smallest_pool_still_sends_at_the_end(box):
    """One mbuf lost a burst, or one too few, and it would have stopped long before."""
    words = [*TX, "--duration=600ms", "--stats-period=100ms"]
    r = box.run(["--vdev=net_null0"], [*words, "--total-num-mbufs=1025"])
    assert r.status == 2
    least = int(re.search(r"at least (\d+)", r.err)[1])
    r = box.run(["--vdev=net_null0"], [*words, f"--total-num-mbufs={least - 1}"])
    assert r.status == 2 and str(least) in r.err
    r = box.run(["--vdev=net_null0"], [*words, f"--total-num-mbufs={least}"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_unsent"] == 0
    assert tx["total_packets"] > 100 * least
    assert r.report["samples"][-1]["tx_pps"] > 0


@pytest.mark.parametrize("words", [["--txpkts=64"], ["--txpkts=64,64,64"]])
@pytest.mark.parametrize("kind", ["virtio", "memif"])
def test_G7_the_smallest_pool_on_a_ring(box, kind, words):
    """Refused frames go back whole, chains too; the device may hold all its descriptors."""
    pair = links.Pair(box)
    vdev = {"virtio": pair.virtio(), "memif": pair.memif("client")}[kind]
    peer = {"virtio": pair.vhost(), "memif": pair.memif("server")}[kind]
    refused = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", "--total-num-mbufs=1025"])
    least = re.search(r"at least (\d+)", refused.err)[1]
    tx, rx = links.exchange(box, vdev, peer,
                            [*words, f"--total-num-mbufs={least}", "--stats-period=50ms"],
                            ready=pair.listening, duration="500ms")
    links.check_lossless(tx, rx, 64 * (1 + words[0].count(",")))
    assert tx.report["samples"][-1]["tx_pps"] > 0


def test_K6_a_sender_alone_does_not_speak_of_delivery(box):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=50ms"])
    assert r.status == 0
    assert r.report["verdict"]["status"] == "unverified"
    assert "deliver" not in r.out.replace("no\n  cloud delivers", "").replace(
        "no cloud\n  delivers", "").replace("which no cloud delivers", "")
    assert "ACCEPTED by the device" in r.out
    assert not re.search(r"^RECEIVED", r.out, re.M)
    assert r.summary["rx"] is None
    peer, = r.report["peers"]
    assert peer["rx"] is None and peer["state"] == "no receiver answered" and not peer["exact"]


def mixed():
    """@return frames, and how many of them are ARP, ICMP and test traffic"""
    arp = [packets.arp_frame("ff:ff:ff:ff:ff:ff", PEER)] * 7
    icmp = [packets.icmp_frame(US, PEER)] * 3
    tcp = [packets.ip_frame(US, PEER, 6, bytes(20), 80)] * 5
    ipv6 = [packets.ipv6_frame(US, PEER)] * 2
    udp = [packets.udp_frame(US, PEER, 60 + i) for i in range(100)]
    # What a network says by itself: neighbour discovery and MLD, IGMP, LLDP, spanning tree.
    v6 = packets.ipv6_frame(US, PEER)
    icmp += [v6[:20] + b"\x3a" + v6[21:]] * 4 + [v6[:20] + b"\x00" + v6[21:]] * 2
    icmp += [packets.ip_frame(US, PEER, 2, bytes(8), 60)]
    link = [bytes(12) + b"\x88\xcc" + bytes(46)] * 3 + [bytes(12) + b"\x00\x26" + bytes(46)] * 2
    tagged = [udp[0][:12] + b"\x81\x00\x00\x05" + udp[0][12:]] * 2
    traffic = udp + tcp + ipv6 + tagged
    return (arp + udp[:50] + icmp + tcp + link + udp[50:] + ipv6 + tagged, len(arp), len(icmp),
            traffic)


def check_mixed(r, arp, icmp, traffic):
    rx = r.summary["rx"]
    assert r.status == 0, r.err
    assert rx["total_packets"] == len(traffic)
    assert rx["total_bytes"] == sum(len(f) for f in traffic)
    links.check_sums(r, "rx")
    note, = [n for n in r.report["notes"] if "control frames" in n]
    assert f"{arp} ARP" in note and f"{icmp} ICMP" in note and "5 neither IP nor ARP" in note


def test_control_frames_are_in_no_count(box):
    frames, arp, icmp, traffic = mixed()
    path = pathlib.Path(box.path) / "in.pcap"
    packets.write_pcap(path, frames)
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path}"], [*RX, "--duration=300ms"])
    check_mixed(r, arp, icmp, traffic)
    # The device has seen them all.
    assert r.report["ports"][0]["ipackets"] == len(frames)


def test_control_frames_of_a_network_are_in_no_count(veth, box):
    """The same out of another network namespace; frames to foreign addresses count as received."""
    frames, arp, icmp, traffic = mixed()
    rx = links.Live(box, [veth.vdev()], RX)
    rx.wait_running()
    veth.send(frames)
    rx.wait_moving()
    rx.wait_still()
    check_mixed(rx.stop(), arp, icmp, traffic)


def test_many_control_frames_at_once(box):
    """More than main's ring has room for: those dropped are told as well, and traffic is whole."""
    path = pathlib.Path(box.path) / "in.pcap"
    arp = packets.arp_frame("ff:ff:ff:ff:ff:ff", PEER)
    udp = packets.udp_frame(US, PEER)
    packets.write_pcap(path, [arp] * 20000 + [udp] * 100)
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path}"], [*RX, "--duration=300ms"])
    assert r.status == 0, r.err
    assert r.summary["rx"]["total_packets"] == 100
    note, = [n for n in r.report["notes"] if "control frames" in n]
    seen, dropped = (int(re.search(rf"(\d+) {what}", note)[1]) for what in ("ARP", "dropped"))
    assert seen + dropped == 20000


def test_a_sender_leaves_what_arrives_uncounted(veth, box):
    """txonly never receives: frames that come in are read and dropped, not added to anything."""
    tx = links.Live(box, [veth.vdev()], [*TX, "--no-control"])
    tx.wait_moving()
    veth.send([packets.udp_frame(veth.mac(), PEER)] * 50)
    r = tx.stop()
    assert r.status == 0, r.err
    assert r.summary["rx"] is None
    assert r.summary["tx"]["total_packets"] == veth.peer_received()


def test_jumbo_frames_arrive_at_a_receiver_set_for_less(box):
    """pcap delivers chains of mbufs: the whole frame counts, not its first segment."""
    path = pathlib.Path(box.path) / "in.pcap"
    packets.write_pcap(path, [packets.udp_frame(US, PEER, 9000)] * 200)
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path}"], [*RX, "--duration=300ms"])
    assert r.status == 0, r.err
    assert r.summary["rx"]["total_packets"] == 200
    assert r.summary["rx"]["total_bytes"] == 200 * 9000

# SPDX-License-Identifier: BSD-3-Clause
"""How flows are spread: distinct, disjoint between lcores, even to the packet, one queue each."""
import collections
import pathlib

import pytest

import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", "--no-control"]
BURST = 32
FIRST, LAST = 32768, 40959


def send(box, *own, queues=1, workers=1, duration="60ms"):
    """Sends into a file for each queue. @return the result and each queue's flows with counts"""
    files = [pathlib.Path(box.path) / f"q{q}.pcap" for q in range(queues)]
    vdev = "--vdev=net_pcap0" + "".join(f",tx_pcap={f}" for f in files)
    r = box.run([vdev], [*TX, f"--duration={duration}", f"--txq={queues}", *own], workers=workers)
    assert r.status == 0, r.err
    counts = [packets.flow_counts(f) for f in files]
    for q, c in zip(r.queues("tx"), counts, strict=True):
        assert q["packets"] == sum(c.values()) > 0
    return r, counts


def check_even(counts):
    """Flows of one stream are visited in turn: a cycle cut by the end leaves a difference of 1."""
    assert max(counts.values()) - min(counts.values()) <= 1


def check_ports(flows):
    for src, dst in flows:
        assert FIRST <= src <= LAST and FIRST <= dst <= LAST


def by_lcore(counts, workers):
    """Queues belong to lcores in blocks, the first lcores having one more."""
    lcores, at = [], 0
    for w in range(workers):
        n = len(counts) // workers + (w < len(counts) % workers)
        lcores.append(counts[at:at + n])
        at += n
    return lcores


def test_H1_sixteen_flows_by_default(box):
    r, (counts,) = send(box)
    assert len(counts) == 16
    check_even(counts)
    check_ports(counts)
    assert "16 for each sending lcore, 16 in all" in r.out


def test_H2_the_ports_change_with_every_packet(box):
    path = pathlib.Path(box.path) / "sent.pcap"
    r = box.run([f"--vdev=net_pcap0,tx_pcap={path}"], [*TX, "--duration=60ms"])
    assert r.status == 0, r.err
    pairs = packets.port_pairs(path, 64)
    cycle = pairs[:16]
    assert len(set(cycle)) == 16
    assert all(pair == cycle[i % 16] for i, pair in enumerate(pairs))


@pytest.mark.parametrize("queues, workers, flows", [
    (1, 1, 16), (2, 1, 16), (3, 1, 16), (4, 1, 7), (5, 1, 16), (2, 2, 16), (4, 2, 16), (5, 2, 7),
    (8, 4, 16), (16, 1, 16), (7, 3, 100)])
def test_H2_H5_even_disjoint_and_one_queue_each(box, queues, workers, flows):
    _, counts = send(box, f"--flows-per-core={flows}", queues=queues, workers=workers)
    every = [flow for c in counts for flow in c]
    assert len(every) == len(set(every)) == workers * flows, "a flow on two queues or lcores"
    check_ports(every)
    for c in counts:
        check_even(c)
    for lcore in by_lcore(counts, workers):
        assert sum(len(c) for c in lcore) == flows
        # Streams take turns burst by burst, in proportion to their flows: what the end cuts is a
        # turn of each.
        each = [n for c in lcore for n in c.values()]
        turn = BURST / min(len(c) for c in lcore)
        assert max(each) - min(each) <= 2 * turn + 1


@pytest.mark.parametrize("flows", [1, 7, 1000])
def test_H5_flows_per_core(box, flows):
    r, counts = send(box, f"--flows-per-core={flows}", queues=2, workers=2)
    for c in counts:
        assert len(c) == flows
        check_even(c)
        check_ports(c)
    assert not set(counts[0]) & set(counts[1])
    assert f"{flows} for each sending lcore, {2 * flows} in all" in r.out


def test_H5_the_most_flows(box):
    """65536 on one lcore; a table of them does not repeat."""
    r, (counts,) = send(box, "--flows-per-core=65536", duration="400ms")
    sent = r.summary["tx"]["total_packets"]
    assert len(counts) == min(sent, 65536)
    assert max(counts.values()) - min(counts.values()) <= 1
    check_ports(counts)
    # Each pair is unlike the others in more than one port.
    assert len({src for src, _ in counts}) > 1000 and len({dst for _, dst in counts}) > 1000


@pytest.mark.parametrize("flows", ["0", "65537", "-1", "16x"])
def test_H5_flows_per_core_out_of_range_refused(box, flows):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", f"--flows-per-core={flows}"])
    assert r.status == 2, r.out
    assert "flows-per-core" in r.err and "65536" in r.err


def test_H5_more_queues_than_flows(box):
    """Each queue has a flow by default; flows that were given stand, and are refused."""
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=60ms", "--txq=20"])
    assert r.status == 0, r.err
    assert [n for n in r.report["notes"] if "flows-per-core" in n and "20" in n]
    assert "20 for each sending lcore, 20 in all" in r.out
    assert all(q["packets"] > 0 for q in r.queues("tx"))
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", "--txq=4", "--flows-per-core=3"])
    assert r.status == 2, r.out
    assert "--flows-per-core=3" in r.err and "4" in r.err


def test_H5_lcore_ids_of_a_large_machine(box):
    """Sets are disjoint for the highest id there is, too."""
    cpu = box.cpus[-1]
    words = ["--lcores", f"0@{box.cpus[0]},1@{cpu},127@{cpu}"]
    files = [pathlib.Path(box.path) / f"q{q}.pcap" for q in range(2)]
    r = box.run(["--vdev=net_pcap0" + "".join(f",tx_pcap={f}" for f in files)],
                [*TX, "--duration=60ms", "--txq=2", "--flows-per-core=1000"], lcores=words)
    assert r.status == 0, r.err
    low, high = (set(packets.flow_counts(f)) for f in files)
    assert len(low) == len(high) == 1000 and not low & high
    check_ports(low | high)


@pytest.mark.parametrize("flows", [16, 1000])
def test_H3_as_many_flows_late_as_early(box, flows):
    """Buffers come back in any order and few of them circulate: flows are not bound to them."""
    path = pathlib.Path(box.path) / "sent.pcap"
    r = box.run([f"--vdev=net_pcap0,tx_pcap={path}"],
                [*TX, "--duration=600ms", f"--flows-per-core={flows}"])
    assert r.status == 0, r.err
    pairs = packets.port_pairs(path, 64)
    part = len(pairs) // 4
    assert part > 2 * flows
    early, late = collections.Counter(pairs[:part]), collections.Counter(pairs[-part:])
    assert early.keys() == late.keys() and len(late) == flows
    check_even(early)
    check_even(late)


@pytest.mark.parametrize("flows", [7, 16])
def test_H2_even_when_the_device_refuses_frames(box, flows):
    """Refused frames are sent in the next turn: their flows are not skipped."""
    pair = links.Pair(box)
    path = pathlib.Path(box.path) / "got.pcap"
    watcher = links.Watcher(box, pair.vhost(), path)
    pair.listening()
    r = box.run([pair.virtio()], [*TX, "--duration=300ms", f"--flows-per-core={flows}"])
    watcher.stop()
    assert r.status == 0, r.err
    pairs = packets.port_pairs(path, 64)
    assert len(pairs) == r.summary["tx"]["total_packets"] > 0
    assert r.summary["tx"]["total_unsent"] > 0, "the test needs a device that refuses some"
    cycle = pairs[:flows]
    assert len(set(cycle)) == flows
    assert all(p == cycle[i % flows] for i, p in enumerate(pairs)), "a flow out of turn"


def shares(flows, queues):
    load = collections.Counter(
        packets.rss_queue(packets.toeplitz("198.18.0.1", "198.18.0.2", *f), queues)
        for f in flows)
    return [load[q] for q in range(queues)]


def test_the_rss_hash_is_that_of_the_published_vectors():
    vectors = [("66.9.149.187", "161.142.100.80", 2794, 1766, 0x51ccc178),
               ("199.92.111.2", "65.69.140.83", 14230, 4739, 0xc626b0ea),
               ("24.19.198.95", "12.22.207.184", 12898, 38024, 0x5c2b394a)]
    for src, dst, sport, dport, want in vectors:
        assert packets.toeplitz(src, dst, sport, dport) == want


def test_H2_queues_of_a_receiver_are_loaded_evenly(box):
    """64 flows of 4 lcores through the hash that cards use."""
    _, counts = send(box, queues=4, workers=4)
    flows = [f for c in counts for f in c]
    assert len(flows) == 64
    for queues in (2, 4, 8, 16):
        load = shares(flows, queues)
        ratio = max(load) / max(1, min(load))
        print(f"{queues} queues: {load}, max/min {ratio:.2f}")
        assert min(load) > 0, f"{queues} queues, one stays empty: {load}"
        if queues <= 4:
            assert ratio <= 2


def test_H5_tx_udp_counts_up(box):
    r, counts = send(box, "--tx-udp=5000,6000", queues=2, workers=2)
    every = sorted(f for c in counts for f in c)
    assert every == [(5000 + i, 6000) for i in range(32)]
    for c in counts:
        check_even(c)
    assert "5000-5031 to 6000" in r.out
    assert not [n for n in r.report["notes"] if "one flow" in n]


def test_H5_tx_udp_alone_is_both_ports(box):
    _, (counts,) = send(box, "--tx-udp=5000")
    assert sorted(counts) == [(5000 + i, 5000) for i in range(16)]


def test_H5_tx_udp_with_one_flow(box):
    _, (counts,) = send(box, "--tx-udp=5000,6000", "--flows-per-core=1")
    assert set(counts) == {(5000, 6000)}


def test_H5_tx_udp_with_flows_per_core(box):
    _, (counts,) = send(box, "--tx-udp=5000,6000", "--flows-per-core=100")
    assert sorted(counts) == [(5000 + i, 6000) for i in range(100)]


def test_H5_tx_udp_past_the_last_port_refused(box):
    """Not wrapped to port 0."""
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", "--tx-udp=65530,7"])
    assert r.status == 2, r.out
    assert "tx-udp" in r.err and "65535" in r.err
    _, (counts,) = send(box, "--tx-udp=65520,7")
    assert max(counts) == (65535, 7) and min(counts) == (65520, 7)

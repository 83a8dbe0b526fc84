# SPDX-License-Identifier: BSD-3-Clause
"""What a device cannot do: said once, recorded, and lived with."""
import pytest

import links

pytestmark = pytest.mark.usefixtures("hugepages")

# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", "--duration=100ms", "--no-control"]
RX = ["--forward-mode=rxonly", "--warmup=0"]


def notes_about(result, *words):
    return [n for n in result.report["notes"] if all(w in n for w in words)]


def test_F2_fewer_queues_than_asked(box):
    """vhost with one pair: both numbers are said, once, and the receiver works with one."""
    pair = links.Pair(box)
    tx, rx = links.exchange(box, pair.virtio(), pair.vhost(), rx_words=["--rxq=4", "--txq=4"],
                            ready=pair.listening)
    links.check_lossless(tx, rx, 64)
    port, = rx.report["ports"]
    assert (port["asked"]["rxq"], port["used"]["rxq"]) == (4, 1)
    assert (port["asked"]["txq"], port["used"]["txq"]) == (4, 1)
    assert len(rx.queues("rx")) == 1
    assert len(notes_about(rx, "rx", "4", "1")) == 1, rx.report["notes"]


def test_a_run_fits_into_what_it_reserves(box):
    """EAL has taken its memory when the need is checked: it does not count twice."""
    most = links.free_pages() * 2 * 3 // 4
    r = box.run(["--vdev=net_null0", "-m", str(most)], TX)
    assert r.status == 0, r.err


def test_F2_sender_with_fewer_queues_and_lcores_than_asked(veth, box):
    """One queue: one lcore sends. An idle second one would be worse than a word about it."""
    r = box.run([veth.vdev(",qpairs=1")], [*TX, "--txq=4"], workers=4)
    assert r.status == 0, r.err
    port, = r.report["ports"]
    assert (port["asked"]["txq"], port["used"]["txq"]) == (4, 1)
    assert len(r.report["lcores"]) == 1
    assert len(notes_about(r, "tx", "4", "1", "port 0")) == 1, r.report["notes"]
    assert len(notes_about(r, "lcores", "4", "1")) == 1, r.report["notes"]
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


def test_F2_as_many_as_there_are(veth, box):
    r = box.run([veth.vdev(",qpairs=2")], [*TX, "--txq=4", "--rxq=2"])
    assert r.status == 0, r.err
    assert r.report["ports"][0]["used"]["txq"] == 2
    assert len(r.queues("tx")) == 2 and all(q["packets"] > 0 for q in r.queues("tx"))
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


def test_the_testpmd_command_lines(box):
    """They run unchanged: 48 queues on 16 cores asked of a device with 1 queue and a machine with
    2 CPUs."""
    words = ["--txd=128", "--rxd=128", "--txq=16", "--rxq=16", "--nb-cores=1",
             "--forward-mode=txonly", "--txpkts=1430", "--stats-period=1"]
    r = box.run(["--vdev=net_null0"], [*words, "--duration=200ms", "--warmup=0"])
    assert r.status == 0, r.err
    assert len(r.queues("tx")) == 16 and len(r.report["lcores"]) == 1
    assert r.report["ports"][0]["used"] == {"rxq": 16, "txq": 16, "rxd": 128, "txd": 128}


@pytest.mark.parametrize("number", [7, 65536, 0])
def test_F1_descriptors_out_of_range_refused(box, number):
    r = box.run(["--vdev=net_null0"], [*TX, f"--txd={number}"])
    assert r.status == 2, r.out
    assert "--txd" in r.err and str(number) in r.err and "65535" in r.err


@pytest.mark.parametrize("vdev", ["net_null0", "net_ring0"])
@pytest.mark.parametrize("number", [8, 100, 4096])
def test_F1_descriptors_asked_and_used(box, vdev, number):
    r = box.run([f"--vdev={vdev}"], [*TX, f"--txd={number}", f"--rxd={number}"])
    assert r.status == 0, r.err
    port, = r.report["ports"]
    assert port["asked"]["txd"] == port["asked"]["rxd"] == number
    changed = port["used"]["txd"] != number
    assert bool(notes_about(r, "txd")) or bool(notes_about(r, "descriptors")) or not changed
    assert r.summary["tx"]["total_packets"] > 0


@pytest.mark.parametrize("size", [128, 1024])
def test_F1_a_ring_smaller_than_the_descriptors_asked(box, size):
    """The device says no limit but has one: nothing hangs, nothing is lost."""
    pair = links.Pair(box)
    tx, rx = links.exchange(box, pair.virtio(more=f",queue_size={size}"), pair.vhost(),
                            ["--txd=4096", "--rxd=4096"], ready=pair.listening)
    links.check_lossless(tx, rx, 64)


@pytest.mark.parametrize("kind", ["vhost", "memif", "af_packet"])
def test_F3_no_rss_is_said(box, veth, kind):
    pair = links.Pair(box)
    vdev = {"vhost": pair.vhost(4), "memif": pair.memif("server"),
            "af_packet": veth.vdev(",qpairs=4")}[kind]
    r = box.run([vdev], [*RX, "--rxq=4", "--duration=100ms"])
    assert r.status == 3, r.err  # nobody sends
    assert len(r.queues("rx")) == r.report["ports"][0]["used"]["rxq"] == 4
    assert len(notes_about(r, "RSS", "4")) == 1


def test_F3_one_queue_needs_no_word_about_rss(box):
    r = box.run([links.Pair(box).vhost()], [*RX, "--duration=100ms"])
    assert not notes_about(r, "RSS")


def test_F4_unknown_link_speed_is_null(box):
    pair = links.Pair(box)
    tx, rx = links.exchange(box, pair.virtio(), pair.vhost(), ready=pair.listening)
    assert tx.report["ports"][0]["link_mbps"] is None
    assert rx.report["ports"][0]["link_mbps"] is None
    for r in (tx, rx):
        assert "4294967295" not in r.out and "link n/a" in r.out


def test_I8_a_device_that_takes_nothing(box):
    """A virtio ring nobody has joined: not one frame accepted is a failure, said and by status."""
    r = box.run([links.Pair(box).vhost()], TX)
    tx = r.summary["tx"]
    assert r.status == 3, r.err
    assert tx["total_packets"] == tx["packets"] == tx["bytes"] == 0
    assert tx["offered"] == tx["unsent"] > 0
    assert r.report["verdict"]["status"] == "fail"
    assert "accepted none" in r.report["verdict"]["reasons"][0]
    assert "link is down" in r.report["verdict"]["reasons"][0]


@pytest.mark.parametrize("end", ["peer", "own"])
def test_I8_an_interface_that_is_down(veth, box, end):
    """Its ring takes some frames and gives none back: in the measured time nothing is accepted."""
    if end == "peer":
        veth.peer_down()
    else:
        links.sh("ip", "link", "set", veth.here, "down")
    r = box.run([veth.vdev()], ["--forward-mode=txonly", "--warmup=200ms", "--duration=100ms"])
    assert r.status == 3, r.out
    assert r.summary["tx"]["packets"] == 0
    assert r.summary["tx"]["offered"] == r.summary["tx"]["unsent"] > 0
    assert veth.peer_received() == 0
    assert "the link is up" not in r.out
    assert notes_about(r, "link is down")


def test_a_receiver_that_gets_nothing_fails_with_a_checklist(veth, box):
    r = box.run([veth.vdev()], [*RX, "--duration=100ms"])
    assert r.status == 3
    assert r.summary["rx"]["packets"] == 0 and r.summary["rx"]["pps"] == 0
    assert len([x for x in r.report["verdict"]["reasons"] if x.startswith("check")]) >= 3

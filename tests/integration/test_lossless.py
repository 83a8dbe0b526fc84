# SPDX-License-Identifier: BSD-3-Clause
"""Paths that lose nothing: what the sender's device took and what the receiver got are the same
number, packets and bytes. Rings of virtio and memif hold frames back rather than drop them."""
import pathlib
import signal

import pytest

import harness
import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

TX = ["--forward-mode=txonly", "--warmup=0"]
RX = ["--forward-mode=rxonly", "--warmup=0"]


@pytest.mark.parametrize("length", [64, 1430])
@pytest.mark.parametrize("queues", [1, 4])
@pytest.mark.parametrize("packed", [0, 1], ids=["split", "packed"])
def test_virtio_to_vhost(box, packed, queues, length):
    pair = links.Pair(box)
    words = [f"--txq={queues}", f"--rxq={queues}"]
    tx, rx = links.exchange(box, pair.virtio(queues, packed), pair.vhost(queues),
                            [*words, f"--txpkts={length}"], words, pair.listening,
                            workers=min(queues, 2))
    links.check_lossless(tx, rx, length)
    assert len(tx.queues("tx")) == len(rx.queues("rx")) == queues
    assert all(q["packets"] > 0 for q in rx.queues("rx"))


def sender_first(box, sender, receiver, tx_words=(), rx_words=()):
    """The sender listens and is there first: what it offers before is unsent, not lost."""
    pair = links.Pair(box)
    tx = links.Live(box, [sender(pair)], [*TX, *tx_words])
    pair.listening()
    rx = links.Live(box, [receiver(pair)], [*RX, *rx_words], lcores=links.across(box))
    rx.wait_moving()
    sent = tx.stop()
    rx.wait_still()
    return sent, rx.stop()


@pytest.mark.parametrize("packed", [0, 1], ids=["split", "packed"])
@pytest.mark.parametrize("queues", [1, 4])
def test_vhost_to_virtio(box, packed, queues):
    words = [f"--txq={queues}", f"--rxq={queues}"]
    tx, rx = sender_first(box, lambda pair: pair.vhost(queues),
                          lambda pair: pair.virtio(queues, packed), words, words)
    links.check_lossless(tx, rx, 64)
    assert all(q["packets"] > 0 for q in rx.queues("rx"))


def test_virtio_sender_first(box):
    """The virtio side listens."""
    tx, rx = sender_first(box, lambda pair: pair.virtio(more=",server=1"),
                          lambda pair: pair.vhost(more=",client=1"))
    links.check_lossless(tx, rx, 64)


@pytest.mark.parametrize("length", [64, 1430])
def test_memif_in_one_process(box, length):
    pair = links.Pair(box)
    r = box.run([pair.memif("server", 0), pair.memif("client", 1)],
                ["--port-mode", "0=txonly", "--port-mode", "1=rxonly", "--warmup=50ms",
                 "--duration=300ms", f"--txpkts={length}"], workers=2)
    links.check_lossless(r, r, length)
    tx_port, rx_port = r.report["ports"]
    assert links.device_sent(tx_port) == r.summary["tx"]["total_packets"]
    assert links.device_received(rx_port) == r.summary["rx"]["total_packets"]


@pytest.mark.parametrize("length", [64, 1430])
@pytest.mark.parametrize("roles", [("client", "server"), ("server", "client")],
                         ids=["client_sends", "server_sends"])
def test_memif_between_two_processes(box, roles, length):
    if roles[0] == "client":
        pair = links.Pair(box)
        tx, rx = links.exchange(box, pair.memif("client"), pair.memif("server"),
                                [f"--txpkts={length}"], ready=pair.listening)
    else:
        tx, rx = sender_first(box, lambda pair: pair.memif("server"),
                              lambda pair: pair.memif("client"), [f"--txpkts={length}"])
    links.check_lossless(tx, rx, length)


def test_I5_one_ring_counts_as_the_device_does(box):
    """net_ring gives back on its RX what it took on TX; a port works one way, main reads the
    rest. Own count and the device's are the same."""
    r = box.run(["--vdev=net_ring0"], [*TX, "--duration=200ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert links.device_sent(r.report["ports"][0]) == tx["total_packets"] > 0
    assert tx["total_bytes"] == 64 * tx["total_packets"]
    links.check_sums(r, "tx")


def test_pcap_file_is_received_whole(box):
    """Every frame once, at its own length, up to jumbo."""
    path = pathlib.Path(box.path) / "in.pcap"
    lengths = [60 + i * 7 % 1455 for i in range(5000)] + [9000, 5000, 2049, 2048, 1920, 1921]
    packets.write_pcap(path, [packets.udp_frame("02:00:00:00:00:02", "02:00:00:00:00:01", n)
                              for n in lengths])
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path}"], [*RX, "--duration=300ms"])
    assert r.status == 0, r.err
    rx = r.summary["rx"]
    assert rx["total_packets"] == len(lengths)
    assert rx["total_bytes"] == sum(lengths)
    assert r.report["ports"][0]["ipackets"] == len(lengths)


def test_J6_bytes_are_own_lengths_whatever_carries_them(box):
    """Two kinds of devices at either end agree about bytes and bits at equal packets."""
    for length in (60, 1430):
        sent = pathlib.Path(box.path) / "sent.pcap"
        tx = box.run([f"--vdev=net_pcap0,tx_pcap={sent}"],
                     [*TX, "--no-control", "--duration=100ms", f"--txpkts={length}"])
        rx = box.run([f"--vdev=net_pcap0,rx_pcap={sent}"], [*RX, "--duration=1s"])
        links.check_lossless(tx, rx, length)
        for side in (tx.summary["tx"], rx.summary["rx"]):
            assert side["bps"] == pytest.approx(side["pps"] * length * 8, rel=1e-6)
            assert side["bps_l1"] == pytest.approx(side["pps"] * (length + 24) * 8, rel=1e-6)


def test_D1_two_processes_at_once_with_no_word_about_it(box):
    """No --file-prefix: each has its own, and neither takes all memory."""
    before = links.free_pages()
    pair = links.Pair(box)
    rx = links.Live(box, [pair.vhost()], RX, lcores=links.across(box))
    pair.listening()
    tx = links.Live(box, [pair.virtio()], TX)
    rx.wait_moving()
    assert before - links.free_pages() <= 256, "more than 512 MB for the two"
    assert links.free_pages() > 0
    sent = tx.stop()
    rx.wait_still()
    links.check_lossless(sent, rx.stop(), 64)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_D1_the_receiver_goes_first(box, number):
    """No error for the sender, no SIGPIPE: it goes on offering and reports what was taken."""
    pair = links.Pair(box)
    receiver, sender = pair.vhost(), pair.virtio()
    rx = links.Live(box, [receiver], RX, lcores=links.across(box))
    pair.listening()
    tx = links.Live(box, [sender], TX)
    rx.wait_moving()
    rx.process.signal(number)
    got = rx.wait()
    seen = len(tx.rates())
    harness.wait_for(lambda: len(tx.rates()) >= seen + 4, "the sender goes on")
    sent = tx.stop()
    assert sent.status == 0, sent.err
    assert sent.summary["tx"]["total_packets"] > 0
    assert "SIGPIPE" not in sent.err and "Broken pipe" not in sent.out
    links.check_sums(sent, "tx")
    if number == signal.SIGTERM:
        assert got.status == 0, got.err
        # What still lay in the ring is the difference.
        rest = sent.summary["tx"]["total_packets"] - got.summary["rx"]["total_packets"]
        assert 0 <= rest <= 4096


def test_I3_three_runs_stand_alone(box):
    """Nothing of an earlier run is in a later one's counts, on the same socket."""
    totals = []
    for _ in range(3):
        pair = links.Pair(box)
        tx, rx = links.exchange(box, pair.virtio(), pair.vhost(), ready=pair.listening,
                                duration="200ms")
        links.check_lossless(tx, rx, 64)
        totals.append(links.device_received(rx.report["ports"][0]))
        assert totals[-1] == rx.summary["rx"]["total_packets"]


def test_I3_one_receiver_three_senders(box):
    """The receiver's count is the sum of what three senders after one another got rid of."""
    pair = links.Pair(box)
    rx = links.Live(box, [pair.vhost()], RX, lcores=links.across(box))
    pair.listening()
    rx.wait_running()
    sent = 0
    for _ in range(3):
        tx = box.run([pair.virtio()], [*TX, "--duration=100ms"])
        assert tx.status == 0, tx.err
        sent += tx.summary["tx"]["total_packets"]
    rx.wait_still()
    r = rx.stop()
    assert r.summary["rx"]["total_packets"] == sent
    assert r.summary["rx"]["total_bytes"] == 64 * sent


def test_I5_I9_K2_a_slow_reader_costs_the_sender_and_loses_nothing(box):
    """Offered, accepted and received are three numbers; the ring is full while the reader stands
    still, and every accepted frame is read afterwards."""
    pair = links.Pair(box)
    rx = links.Live(box, [pair.vhost()], RX, lcores=links.across(box))
    pair.listening()
    tx = links.Live(box, [pair.virtio()], TX)
    rx.wait_moving()
    rx.process.signal(signal.SIGSTOP)
    seen = len(tx.rates())
    harness.wait_for(lambda: len(tx.rates()) >= seen + 4, "the sender goes on")
    rx.process.signal(signal.SIGCONT)
    rx.wait_moving()
    sent = tx.stop()
    rx.wait_still()
    got = rx.stop()
    links.check_lossless(sent, got, 64)
    assert sent.summary["tx"]["unsent"] > 0
    assert sent.summary["tx"]["offered"] > sent.summary["tx"]["packets"]
    # Drops that nobody counted are not 0.
    for name in ("missed", "nombuf", "errors"):
        assert got.summary["rx"][name] is None
    assert "n/a" in got.out



# SPDX-License-Identifier: BSD-3-Clause
"""A receiver that waits for its sender: either may start first, and strays are no traffic."""
import signal
import time

import pytest

import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

TX = ["--forward-mode=txonly", "--warmup=0"]
RX = ["--forward-mode=rxonly", "--warmup=0"]


def receiver(box, pair, *words):
    live = links.Live(box, [pair.vhost()], [*RX, *words])
    pair.listening()
    return live


def send(box, pair, length=64):
    r = box.run([pair.virtio()], [*TX, "--duration=400ms", f"--txpkts={length}"])
    assert r.status == 0, r.err
    return r.summary["tx"]


def test_measures_from_the_first_frame_to_the_last(box):
    """The wait before and the time after dilute nothing; every frame is in the totals."""
    pair = links.Pair(box)
    live = receiver(box, pair, "--rx-wait=60s", "--rx-idle=700ms")
    live.wait_running()
    assert " waiting\n" in live.path.read_text()
    tx = send(box, pair)
    r = live.process.wait()
    assert r.status == 0, r.err
    rx = r.summary["rx"]
    assert rx["total_packets"] == tx["total_packets"]
    assert 0 < rx["packets"] <= rx["total_packets"]
    assert rx["window_s"] < r.summary["measure_s"] - 0.5
    assert rx["pps"] == pytest.approx(rx["packets"] / rx["window_s"], rel=1e-6)


def test_no_traffic_is_said_and_failed(box):
    pair = links.Pair(box)
    live = receiver(box, pair, "--rx-wait=300ms", "--rx-idle=10s")
    r = live.process.wait()
    assert r.status == 3
    assert "got no frame" in live.path.read_text()


def test_strays_are_no_traffic(box, veth):
    live = links.Live(box, [veth.vdev()], [*RX, "--rx-wait=3s", "--rx-idle=10s"])
    live.wait_running()
    veth.send([packets.udp_frame(veth.mac(), "02:00:00:00:00:09")] * 20)
    r = live.process.wait()
    assert r.status == 3
    assert r.summary["rx"]["total_packets"] == 20
    text = " ".join(live.path.read_text().split())
    assert "only 20 stray frames" in text and "check: " in text


def test_a_signal_ends_the_wait(box):
    live = receiver(box, links.Pair(box), "--rx-wait=1h")
    live.wait_running()
    live.process.signal(signal.SIGINT)
    began = time.monotonic()
    assert live.process.wait().status == 3
    assert time.monotonic() - began < 20


def test_the_duration_begins_with_the_traffic(box):
    """The sender goes on for longer than it is measured."""
    pair = links.Pair(box)
    live = receiver(box, pair, "--rx-wait=60s", "--duration=300ms")
    live.wait_running()
    sender = box.start([pair.virtio()], TX)
    r = live.process.wait()
    assert r.status == 0, r.err
    assert r.summary["measure_s"] >= 0.3
    assert r.summary["rx"]["packets"] > 0
    sender.stop()


def test_idle_alone_ends_a_receiver(box):
    pair = links.Pair(box)
    live = receiver(box, pair, "--rx-idle=300ms")
    r = live.process.wait()
    assert r.status == 3
    assert "got no frame" in live.path.read_text()

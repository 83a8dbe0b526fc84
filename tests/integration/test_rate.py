# SPDX-License-Identifier: BSD-3-Clause
"""--rate: what is sent is what was asked for, split over queues, and what was not sent is counted."""
import pathlib

import pytest

import packets

pytestmark = pytest.mark.usefixtures("hugepages")

NULL = ["--vdev=net_null0"]
# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", "--no-control"]
CREDIT = 0.011  # seconds that may be made up for, and a little


@pytest.mark.parametrize("rate, pps", [("1kpps", 1000), ("2.5Mpps", 2500000), ("1Gbps", 1953125),
                                       ("512bps", 1)])
def test_never_more_than_asked(box, rate, pps):
    """However late an lcore is: it makes up for a hundredth of a second at most."""
    r = box.run(NULL, [*TX, f"--rate={rate}", "--duration=1s"])
    assert r.status == 0, r.err
    tx, pacing = r.summary["tx"], r.report["pacing"]
    assert pacing["asked_pps"] == pps and pacing["achieved_pps"] == tx["pps"]
    assert 0 < tx["packets"] <= pps * (tx["window_s"] + CREDIT) + 2
    # The device refuses nothing: what is not sent was given up, and both together were due.
    assert pacing["given_up"] == tx["total_unsent"]
    assert "asked" in r.out and "given up" in r.out


def test_a_rate_beyond_reach_is_said(box):
    r = box.run(NULL, [*TX, "--rate=9Gpps", "--duration=300ms"])
    assert r.status == 0
    assert r.report["pacing"]["given_up"] == r.summary["tx"]["total_unsent"] > 0
    assert any("the rate asked for was not reached" in n for n in r.report["notes"])


def test_without_a_rate_nothing_is_paced(box):
    assert box.run(NULL, [*TX, "--duration=50ms"]).report["pacing"] is None


@pytest.mark.parametrize("queues, flows, workers", [(3, 16, 1), (4, 16, 2), (5, 7, 1)])
def test_flows_stay_even(box, queues, flows, workers):
    """Queues get parts of the rate by their flows: 16 on 3 queues are 6, 5 and 5."""
    r = box.run(NULL, [*TX, "--rate=100kpps", "--duration=1s", f"--txq={queues}",
                       f"--flows-per-core={flows}"], workers=workers)
    assert r.status == 0, r.err
    counts = [q["packets"] for q in r.queues("tx")]
    if r.report["pacing"]["given_up"] == 0:
        mine = [len(range(i, flows, queues // workers)) for i in range(queues // workers)]
        want = sorted(mine * workers)
        got = sorted(counts)
        # The end of the run finds each queue within its credit.
        assert all(abs(g / sum(counts) - w / sum(want)) < 0.02 for g, w in zip(got, want)), counts


@pytest.mark.parametrize("length", [64, 1430])
def test_tags_and_their_order(box, length):
    path = pathlib.Path(box.path) / "sent.pcap"
    r = box.run([f"--vdev=net_pcap0,tx_pcap={path}"],
                [*TX, "--rate=50kpps", "--duration=300ms", f"--txpkts={length}"])
    assert r.status == 0, r.err
    frames = list(packets.read_pcap(path))
    assert len(frames) == r.summary["tx"]["total_packets"]
    assert packets.check_tags(frames) == 16
    for frame in frames:
        packets.check_frame(frame, length)


@pytest.mark.parametrize("words, status, texts", [
    (["--rate=40%"], 1, ["--rate=40%", "virtual"]),
    (["--rate=0"], 2, ["--rate=0", "10Mpps"]),
    (["--rate=10"], 2, ["--rate=10"]),
    (["--rate=511bps"], 2, ["--rate=511bps", "less than one frame of 64 bytes"]),
    (["--rate=fast"], 2, ["--rate=fast", "5Gbps"]),
])
def test_refused(box, words, status, texts):
    r = box.run(NULL, [*TX, "--duration=50ms", *words])
    assert r.status == status, r.err
    for text in texts:
        assert text in r.err


def test_refused_where_nothing_sends(box):
    r = box.run(NULL, ["--forward-mode=rxonly", "--rate=1Mpps", "--duration=50ms"])
    assert r.status == 2 and "no port of this run sends" in r.err

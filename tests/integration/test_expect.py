# SPDX-License-Identifier: BSD-3-Clause
"""--expect: the advertised figures against those that were reached."""
import pytest

import links

NULL = ["--vdev=net_null0"]
TX = ["--forward-mode=txonly", "--warmup=0", "--duration=700ms", "--stats-period=100ms"]

pytestmark = pytest.mark.usefixtures("hugepages")


def test_reached(box):
    r = box.run(NULL, [*TX, "--expect=1kpps,64kbps"])
    assert r.status == 0, r.err
    expect, tx = r.report["expect"], r.summary["tx"]
    assert (expect["pps"], expect["bps"]) == (1000, 64000)
    assert expect["reached"] == pytest.approx(min(tx["pps"] / 1000, tx["bps"] / 64000), rel=1e-3)
    assert "% of the expected packets a second" in " ".join(r.out.split())
    assert expect["stepped_down"] in (True, False)


def test_missed(box):
    r = box.run(NULL, [*TX, "--expect=999Tpps"])
    assert r.status == 3
    assert r.report["verdict"]["status"] == "fail"
    assert r.report["expect"]["bps"] is None
    assert r.report["expect"]["reached"] < 0.95
    assert "--expect-min" in r.out


def test_a_lower_minimum(box):
    """1 % of what is asked for is little enough to be reached by any machine."""
    rate = box.run(NULL, TX).summary["tx"]["pps"]
    ask = f"--expect={int(rate * 10)}pps"
    assert box.run(NULL, [*TX, ask]).status == 3
    assert box.run(NULL, [*TX, ask, "--expect-min=1"]).status == 0


def test_of_a_receiver(box):
    pair = links.Pair(box)
    receiver = links.Live(box, [pair.vhost()],
                          ["--forward-mode=rxonly", "--warmup=0", "--expect=999Tbps"])
    pair.listening()
    assert box.run([pair.virtio()], TX).status == 0
    receiver.wait_still()
    r = receiver.process.stop()
    assert r.status == 3
    assert r.report["expect"]["reached"] == pytest.approx(r.summary["rx"]["bps"] / 999e12, abs=1e-3)


def test_nothing_expected(box):
    r = box.run(NULL, TX)
    assert r.report["expect"] is None
    assert "expected" not in r.out

# SPDX-License-Identifier: BSD-3-Clause
"""net_null takes and gives everything: the simplest whole run."""


def test_tx_reports_what_was_accepted(box):
    r = box.run(["--vdev=net_null0"], ["--forward-mode=txonly", "--duration=1", "--warmup=200ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["offered"] == tx["packets"] > 0
    assert tx["unsent"] == 0
    assert tx["bytes"] == 64 * tx["packets"]
    assert r.report["verdict"]["status"] == "unverified"


def test_rx_passes(box):
    r = box.run(["--vdev=net_null0"], ["--forward-mode=rxonly", "--duration=1", "--warmup=0"])
    assert r.status == 0, r.err
    assert r.summary["rx"]["packets"] > 0
    assert r.report["verdict"]["status"] == "pass"

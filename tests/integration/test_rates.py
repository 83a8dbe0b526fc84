# SPDX-License-Identifier: BSD-3-Clause
"""A rate is a count over the time in which it was counted, whatever happened meanwhile."""
import signal
import time

import pytest

import harness
import links

pytestmark = pytest.mark.usefixtures("hugepages")

TX = ["--forward-mode=txonly", "--warmup=0"]
RX = ["--forward-mode=rxonly", "--warmup=0"]


def check_window(side, length):
    """The formulas that every report has to obey; window_s is rounded to a millisecond."""
    assert side["pps"] == pytest.approx(side["packets"] / side["window_s"],
                                        rel=0.0006 / side["window_s"] + 1e-9)
    assert side["bytes"] == length * side["packets"]
    assert side["bps"] == pytest.approx(side["pps"] * length * 8, rel=1e-6)
    assert side["bps_l1"] == pytest.approx(side["pps"] * (length + 24) * 8, rel=1e-6)
    if side["pps_min"] is not None:
        assert side["pps_min"] <= side["pps_median"] <= side["pps_max"]


def check_samples(r, name):
    """Intervals are as long as they were: put together they are the whole window's count."""
    before, total = 0.0, 0.0
    for s in r.report["samples"]:
        assert s["t_s"] > before
        total += (s["t_s"] - before) * s[f"{name}_pps"]
        before = s["t_s"]
    # Times are rounded to milliseconds, and those of 50 ms and more are what these tests have.
    assert total == pytest.approx(r.summary[name]["packets"], rel=0.03)
    assert before == pytest.approx(r.summary["measure_s"], abs=0.002)


@pytest.mark.parametrize("length", [60, 64, 128, 1514])
def test_J5_J6_formulas(box, length):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=300ms", "--stats-period=50ms",
                                       f"--txpkts={length}"])
    assert r.status == 0, r.err
    check_window(r.summary["tx"], length)
    check_samples(r, "tx")
    assert "L2" in r.out and "L1" in r.out


def test_J1_within_a_percent_of_what_the_kernel_counts(veth, box):
    before = veth.peer_received(), veth.peer_received_bytes()
    r = box.run([veth.vdev()], [*TX, "--duration=500ms", "--txpkts=200"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_packets"] == pytest.approx(veth.peer_received() - before[0], rel=0.01)
    assert tx["total_bytes"] == pytest.approx(veth.peer_received_bytes() - before[1], rel=0.01)
    check_window(tx, 200)


def stop_for(process, seconds):
    process.signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.signal(signal.SIGCONT)


@pytest.mark.parametrize("mode", ["txonly", "rxonly"])
def test_J2_rates_stay_true_over_a_standstill(box, mode):
    """Stopped for two seconds in the middle: the time counts, no interval is shortened to its
    nominal length, and what ran in each is divided by what it took."""
    name = {"txonly": "tx", "rxonly": "rx"}[mode]
    run = links.Live(box, ["--vdev=net_null0"],
                     [f"--forward-mode={mode}", "--warmup=0", "--duration=2500ms"])
    run.wait_moving()
    stop_for(run.process, 2)
    r = run.wait()
    assert r.status == 0, r.err
    side = r.summary[name]
    assert r.summary["measure_s"] >= 2.5
    assert side["window_s"] >= 2
    check_window(side, 64)
    check_samples(r, name)
    # The one period with the standstill in it is the slowest, and there is no burst that makes up.
    longest = max(b["t_s"] - a["t_s"] for a, b in
                  zip(r.report["samples"], r.report["samples"][1:], strict=False))
    assert longest >= 1.9
    assert side["pps"] < side["pps_median"]


def test_J2_over_the_end_of_the_run(box):
    """The end passed while it stood still: the window is as long as it really was."""
    run = links.Live(box, ["--vdev=net_null0"], [*TX, "--duration=800ms"])
    run.wait_moving()
    stop_for(run.process, 1)
    r = run.wait()
    assert r.summary["measure_s"] >= 1
    check_window(r.summary["tx"], 64)
    check_samples(r, "tx")


def test_J8_shorter_than_a_period_is_no_steady_window(box):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=200ms", "--stats-period=1s"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["pps_min"] is tx["pps_median"] is tx["pps_max"] is None
    assert tx["pps"] > 0
    assert "no steady window" in r.out
    check_window(tx, 64)


@pytest.mark.parametrize("periods", [1, 2])
def test_J8_one_or_two_periods(box, periods):
    r = box.run(["--vdev=net_null0"],
                [*TX, f"--duration={periods * 200}ms", "--stats-period=200ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["pps_min"] <= tx["pps_median"] <= tx["pps_max"]
    assert 1 <= len(r.report["samples"]) <= periods + 1
    check_window(tx, 64)
    check_samples(r, "tx")


def test_J8_a_late_peer_does_not_dilute_the_rate(box):
    """The receiver waits, the sender comes late and goes early: the window is its time only."""
    pair = links.Pair(box)
    rx = links.Live(box, [pair.vhost()], RX, lcores=links.across(box))
    pair.listening()
    rx.wait_running()
    time.sleep(1)
    begin = time.monotonic()
    tx = box.run([pair.virtio()], [*TX, "--duration=300ms"])
    lived = time.monotonic() - begin
    rx.wait_still()
    time.sleep(0.5)
    r = rx.stop()
    links.check_lossless(tx, r, 64)
    side = r.summary["rx"]
    assert 0 < side["window_s"] <= lived + 0.001
    assert r.summary["measure_s"] >= side["window_s"] + 1.5
    assert side["packets"] == side["total_packets"]
    check_window(side, 64)
    # Whole periods outside of it are no minimum.
    assert side["pps_min"] is None or side["pps_min"] > 0


def test_warm_up_is_in_the_totals_and_in_no_rate(box):
    r = box.run(["--vdev=net_null0"], ["--forward-mode=txonly", "--warmup=300ms",
                                       "--duration=200ms", "--stats-period=50ms"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_packets"] > tx["packets"] > 0
    assert 0.2 <= r.summary["measure_s"] and tx["window_s"] == r.summary["measure_s"]
    check_window(tx, 64)
    check_samples(r, "tx")
    assert len([line for line in r.out.splitlines() if line.endswith("warm-up")]) >= 1


def test_stopped_in_its_warm_up_nothing_is_measured(box):
    run = links.Live(box, ["--vdev=net_null0"], ["--forward-mode=txonly", "--warmup=1m"])
    run.wait_moving()
    r = run.stop()
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert tx["total_packets"] > 0 and tx["packets"] == 0
    assert tx["pps"] is None, "nothing was measured: not 0"
    assert [x for x in r.report["verdict"]["reasons"] if "warm-up" in x]


def test_without_a_duration_it_runs_until_a_signal(box):
    run = links.Live(box, ["--vdev=net_null0"], TX)
    harness.wait_for(lambda: len(run.rates()) >= 5, "five intervals")
    r = run.stop()
    assert r.status == 0, r.err
    check_window(r.summary["tx"], 64)
    check_samples(r, "tx")

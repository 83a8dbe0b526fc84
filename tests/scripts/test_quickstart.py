# SPDX-License-Identifier: BSD-3-Clause
"""quickstart.sh with a stand-in for the program, and once with the program itself."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import ROOT

PROGRAM = Path(os.environ.get("PMDPERF", ROOT / "build" / "app" / "pmdperf"))
SCREEN = ROOT / "scripts" / "lib" / "quickstart_screen.py"


def screen_of(output):
    lines = output.splitlines()
    start = next(i for i, line in enumerate(lines) if "self-test: no NIC is touched" in line)
    return lines[start:]


def row_of(screen, size):
    return next(line for line in screen if re.match(rf"\s+{size}\s+[\d,]+\.", line)).split()


def wait_for(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_help_says_usage_and_does_nothing(clone, nothing_left):
    done = clone.run("quickstart.sh", "--help")
    assert done.returncode == 0
    assert "usage: ./scripts/quickstart.sh" in done.stdout
    assert not (clone.folder / "results").exists()


@pytest.mark.parametrize("words", [["--sekonds", "1"], ["--seconds"], ["--seconds", "0"], ["x"]])
def test_wrong_usage_is_status_2(clone, words):
    done = clone.run("quickstart.sh", *words)
    assert done.returncode == 2
    assert words[0] in done.stderr


def test_screen_fits_80x24_and_has_the_figures(clone, nothing_left, fake):
    done = clone.run("quickstart.sh", "--seconds", "1", **fake)
    assert done.returncode == 0, done.stderr
    screen = screen_of(done.stdout)
    assert len(screen) <= 23  # and the prompt
    assert max(map(len, screen)) <= 80
    assert screen[0].startswith("pmdperf 0.0.0 on DPDK 22.11.11")
    # 20 Mpps sent and one frame less received: PPS x length x 8, and 24 bytes more for L1
    assert row_of(screen, 64) == ["64", "20.00", "20.00", "1", "10.24", "14.08", "97", "97"]
    assert row_of(screen, 1430) == ["1430", "20.00", "20.00", "1", "228.80", "232.64", "97", "97"]
    text = "\n".join(screen)
    for part in ("per core on this machine", "Given back", "Next", "results/quickstart-"):
        assert part in text


def test_results_are_kept_in_the_clone(clone, nothing_left, fake):
    clone.run("quickstart.sh", "--seconds", "1", **fake)
    (folder,) = (clone.folder / "results").iterdir()
    sides = [f"{size}-{role}" for size in (64, 1430) for role in ("sender", "receiver")]
    names = {f"{side}.{end}" for side in sides for end in ("json", "log")}
    assert {path.name for path in folder.iterdir()} == names


@pytest.mark.parametrize("who", ["sender 64", "receiver 64", "sender 1430", "receiver 1430"])
def test_failure_of_a_side_shows_its_log(clone, nothing_left, fake, who):
    done = clone.run("quickstart.sh", "--seconds", "1", FAKE_FAIL=who, **fake)
    assert done.returncode == 1
    assert who.split()[0] in done.stderr
    assert "fake failure to be shown" in done.stderr
    assert "self-test" not in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_in_the_middle_cleans_up(clone, nothing_left, fake, number):
    child = clone.start("quickstart.sh", "--seconds", "60", **fake)
    wait_for(lambda: list(clone.folder.glob("results/*/64-sender.log")))
    child.send_signal(number)
    child.communicate(timeout=5)
    assert child.returncode == 128 + number


def test_reader_that_goes_away_is_cleaned_up_after(clone, nothing_left, fake):
    child = clone.start("quickstart.sh", "--seconds", "1", **fake)
    child.stdout.close()
    child.stderr.close()
    child.wait(timeout=20)


def test_second_run_reuses_the_build(clone, nothing_left):
    build = clone.folder / "build"

    def times():
        return [(build / name).stat().st_mtime_ns for name in ("build.ninja", "app/pmdperf")]

    # The program of the clone is not the real one: the run fails, after the build.
    assert clone.run("quickstart.sh", "--seconds", "1").returncode == 1
    first = times()
    again = clone.run("quickstart.sh", "--seconds", "1")
    assert "Building what has changed" in again.stdout
    assert times() == first


def test_build_from_another_machine_is_redone(clone):
    clone.run("quickstart.sh", "--seconds", "1")
    mark = clone.folder / "build" / ".pmdperf-machine"
    good = mark.read_text()
    mark.write_text("/elsewhere 1 2\n")
    ninja = clone.folder / "build" / "build.ninja"
    before = ninja.stat().st_mtime_ns
    clone.run("quickstart.sh", "--seconds", "1")
    assert mark.read_text() == good
    assert ninja.stat().st_mtime_ns > before


def test_build_failure_shows_the_compiler(clone, nothing_left):
    (clone.folder / "app" / "main.c").write_text("int main(void) { return nonsense; }\n")
    done = clone.run("quickstart.sh")
    assert done.returncode == 1
    assert "nonsense" in done.stderr


def test_unknown_figures_are_not_zero(tmp_path):
    window = {"pps": None, "bps": None, "bps_l1": None, "total_packets": 0}
    result = {
        "tool": {"version": "1", "dpdk": "23.11.0"},
        "host": {"kernel": "6", "cpu_model": "cpu", "cpus": 1},
        "lcores": [{"streams": 1, "busy_pct": None}],
        "summary": {"tx": window, "rx": window},
    }
    for side in ("sender", "receiver"):
        (tmp_path / f"64-{side}.json").write_text(json.dumps(result))
    words = "--sender net_vhost --ring 1 --memory m --borrowed 0 --cpus 0 0 --sizes 64".split()
    out = subprocess.run(
        [sys.executable, SCREEN, tmp_path, *words], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r"^ +64 +n/a +n/a +0 +n/a +n/a +n/a +n/a$", out, re.MULTILINE)
    assert "One CPU for both: they took turns" in out


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_real_run_moves_frames_both_ways_truthfully(clone, nothing_left):
    done = clone.run("quickstart.sh", "--seconds", "1", PMDPERF=str(PROGRAM))
    assert done.returncode == 0, done.stderr
    screen = screen_of(done.stdout)
    assert len(screen) <= 23
    assert max(map(len, screen)) <= 80
    for size in (64, 1430):
        _, sent, received, lost, l2, l1, _, _ = row_of(screen, size)
        assert float(sent) > 0 and float(received) > 0
        assert int(lost.replace(",", "")) >= 0
        assert float(l2) < float(l1)

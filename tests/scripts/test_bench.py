# SPDX-License-Identifier: BSD-3-Clause
"""The bench's arithmetic: ratios within a round, medians, rounds that were disturbed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import bench  # noqa: E402
from cases import CASES, Case, Goal, Setup  # noqa: E402

CASE = Case("c", "title", {"a": Setup("pmdperf", size=1000), "b": Setup("testpmd")})


def test_ratio_is_taken_within_each_round():
    # medians first would give 3 / 2; round by round it is the median of 3, 2 and 0.5
    rates = {"a": [6.0, 3.0, 1.0], "b": [2.0, 1.5, 2.0]}
    result = bench.judge(CASE, Goal("a", "b", 2.0), rates)
    assert (result["median"], result["min"], result["max"]) == (2.0, 0.5, 3.0)
    assert result["met"] and result["rounds"] == 3
    assert not bench.judge(CASE, Goal("a", "b", 2.1), rates)["met"]


def test_absolute_goals_have_their_units():
    rates = {"a": [9e6, 11e6, 10e6], "b": [1.0, 1.0, 1.0]}
    assert bench.judge(CASE, Goal("a", at_least=10, unit="Mpps"), rates)["median"] == 10.0
    # 10 Mpps x 1000 B x 8
    assert bench.judge(CASE, Goal("a", at_least=80, unit="Gbit/s"), rates)["median"] == 80.0


def test_disturbed_rounds_are_left_out_unless_all_were():
    rates = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
    calm, busy = 0.0, bench.QUIET * 2
    some = {"a": [calm, busy, calm], "b": [calm, calm, calm]}
    assert bench.quiet_rounds(rates, some) == {"a": [1.0, 3.0], "b": [4.0, 6.0]}
    none = {"a": [busy, busy, calm], "b": [calm, calm, busy]}
    assert bench.quiet_rounds(rates, none) == rates


def test_goals_name_setups_that_are_there():
    for case in CASES:
        for goal in case.goals:
            assert goal.of in case.setups
            assert goal.over is None or goal.over in case.setups

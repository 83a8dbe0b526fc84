# SPDX-License-Identifier: BSD-3-Clause
"""What is compared: data only. bench.py runs it, tools.py knows how the two programs are started.

A case has setups that run one after the other in each round, and goals. A goal's ratio is taken
within a round, and the median over the rounds is what counts; an absolute goal is a median too.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Setup:
    """One program, or a pair of it, measured once in each round."""

    tool: str  # "pmdperf" or "testpmd"
    send: bool = True  # without a pair: transmit, or receive
    pair: bool = False  # two processes joined by virtio-user and vhost
    packed: bool = False  # the pair's ring
    size: int = 64
    options: tuple = ()  # of both processes, after the --


@dataclass(frozen=True)
class Goal:
    of: str  # a setup's name
    over: str = None  # another's, for a ratio
    at_least: float = 0.0
    unit: str = "ratio"  # or "Mpps", "Gbit/s" (L2) for an absolute goal


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    setups: dict = field(default_factory=dict)
    goals: tuple = ()


NO_TAG = ("--no-tag",)
SIZED = ("--total-num-mbufs=16384",)
FLOWS = (1, 16, 1024, 65536)
FLOW_FALL = 0.95


def pair_case(name, title, size, packed, goals):
    """pmdperf's pair against testpmd's, as it comes and with a pool that fits the caches; and what
    tags and the account of them cost."""
    shape = {"pair": True, "packed": packed, "size": size}
    setups = {
        "pmdperf": Setup("pmdperf", **shape),
        "no tags": Setup("pmdperf", options=NO_TAG, **shape),
        "testpmd defaults": Setup("testpmd", **shape),
        "testpmd 16384 mbufs": Setup("testpmd", options=SIZED, **shape),
    }
    return Case(name, title, setups, goals)


def both(ratio_defaults, ratio_sized):
    return (
        Goal("pmdperf", "testpmd defaults", ratio_defaults),
        Goal("pmdperf", "testpmd 16384 mbufs", ratio_sized),
    )


def flows_case(name, title, **shape):
    """The rate must not depend on how many flows it is spread over."""
    setups = {
        f"{flows} flows": Setup("pmdperf", options=(f"--flows-per-core={flows}",), **shape)
        for flows in FLOWS
    }
    goals = tuple(Goal(f"{flows} flows", "1 flows", FLOW_FALL) for flows in FLOWS[1:])
    return Case(name, title, setups, goals)


CASES = (
    Case(
        "null-tx",
        "net_null, transmit, 64 B, one lcore",
        {
            "pmdperf": Setup("pmdperf"),
            "no tags": Setup("pmdperf", options=NO_TAG),
            "testpmd multi-flow": Setup("testpmd", options=("--txonly-multi-flow",)),
            "testpmd single flow": Setup("testpmd"),
        },
        (
            Goal("no tags", "testpmd multi-flow", 2.5),
            Goal("no tags", "testpmd single flow", 1.8),
            Goal("pmdperf", "testpmd multi-flow", 1.9),
            Goal("pmdperf", "testpmd single flow", 1.5),
            Goal("pmdperf", "no tags", 0.75),
        ),
    ),
    Case(
        "null-rx",
        "net_null, receive, one lcore",
        {
            "pmdperf": Setup("pmdperf", send=False),
            "no tags": Setup("pmdperf", send=False, options=NO_TAG),
            "testpmd": Setup("testpmd", send=False),
        },
        (Goal("no tags", "testpmd", 0.95), Goal("pmdperf", "no tags", 0.85)),
    ),
    pair_case(
        "pair-64",
        "virtio pair, 64 B, split ring",
        64,
        False,
        (
            *both(1.8, 1.4),
            Goal("pmdperf", at_least=18.0, unit="Mpps"),
            Goal("pmdperf", "no tags", 0.95),
        ),
    ),
    pair_case(
        "pair-64-packed",
        "virtio pair, 64 B, packed ring",
        64,
        True,
        (*both(1.1, 1.1), Goal("pmdperf", "no tags", 0.88)),
    ),
    pair_case(
        "pair-1430",
        "virtio pair, 1430 B, split ring",
        1430,
        False,
        (*both(0.95, 0.95), Goal("pmdperf", at_least=80.0, unit="Gbit/s")),
    ),
    pair_case(
        "pair-1430-packed",
        "virtio pair, 1430 B, packed ring",
        1430,
        True,
        (*both(0.95, 0.95), Goal("pmdperf", at_least=80.0, unit="Gbit/s")),
    ),
    flows_case("flows-null", "flows per core, net_null, transmit, 64 B"),
    flows_case("flows-pair", "flows per core, virtio pair, 64 B, split ring", pair=True),
)

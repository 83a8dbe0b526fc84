# SPDX-License-Identifier: BSD-3-Clause
"""Which lcores and CPUs do the work, and what is told about it."""
import os
import re

import pytest

from harness import call, fake_hugepages, in_private_mounts, refused, wait_for

TX = "--forward-mode=txonly"
NULL = ["--no-pci", "--vdev=net_null0"]
SHORT = ["--duration=100ms", "--warmup=0"]
CPUS = sorted(os.sched_getaffinity(0))
A, B = CPUS[0], CPUS[-1]

two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")


def joined(text):
    """Lines that were wrapped, as one again."""
    return re.sub(r"\n\s+", " ", text)


def run(box, eal, own, **kw):
    return box.run(["--vdev=net_null0", *eal], [TX, *SHORT, *own], **kw)


def test_defaults_use_a_worker_per_queue_at_most(box):
    r = run(box, [], [], lcores=[])
    assert r.status == 0, r.err
    assert len(r.report["lcores"]) == 1


@two_cpus
def test_plain_list(box):
    r = run(box, [], [], lcores=["-l", f"{A},{B}"])
    assert r.status == 0, r.err
    assert [(c["lcore"], c["cpu"]) for c in r.report["lcores"]] == [(B, B)]


@two_cpus
def test_mask(box):
    r = run(box, [], [], lcores=["-c", hex(1 << A | 1 << B)])
    assert r.status == 0, r.err
    assert [c["cpu"] for c in r.report["lcores"]] == [B]


@two_cpus
def test_main_lcore_is_chosen(box):
    r = run(box, ["--main-lcore", str(B)], [], lcores=["-l", f"{A},{B}"])
    assert r.status == 0, r.err
    assert [c["lcore"] for c in r.report["lcores"]] == [A]


def test_one_cpu_for_main_and_worker(box):
    r = run(box, [], [], lcores=[f"--lcores=0@{A},1@{A}"])
    assert r.status == 0, r.err
    assert [(c["lcore"], c["cpu"]) for c in r.report["lcores"]] == [(1, A)]
    assert r.summary["tx"]["packets"] > 0


def test_E6_one_cpu_allowed_and_no_lcores_given(box):
    """Under a restricted affinity the usable CPU serves both, and it is said."""
    r = run(box, [], [], lcores=[], prefix=["taskset", "-c", str(A)])
    assert r.status == 0, r.err
    assert [c["cpu"] for c in r.report["lcores"]] == [A]
    assert f"CPU {A}" in joined(r.out) and "main" in joined(r.out)


@two_cpus
def test_E6_cpu_outside_of_the_affinity(box):
    refused([*NULL, "-l", f"{A},{B}", "--", TX], box.path, 2, f"CPU {B} is closed to this process",
            f"may use are {A} (1)", "asked for are", "(2)", prefix=["taskset", "-c", str(A)])


@two_cpus
def test_E6_mask_copied_from_a_larger_machine(box):
    refused([*NULL, "-c", "ffffffffffffffff", "--", TX], box.path, 2, "CPU", "may use are",
            f"({len(CPUS)})", "(64)")


@pytest.mark.parametrize("lcore", [1, 31, 32, 33, 63, 64, 65, 127])
def test_E3_lcore_ids_at_the_edges(box, lcore):
    r = run(box, [], [], lcores=[f"--lcores=0@{A},{lcore}@{B}"])
    assert r.status == 0, r.err
    assert [(c["lcore"], c["cpu"]) for c in r.report["lcores"]] == [(lcore, B)]
    assert r.summary["tx"]["packets"] > 0


@pytest.mark.parametrize("lcore", [128, 191, 1023])
def test_E2_ids_this_dpdk_cannot_have_are_mapped_and_shown(box, lcore):
    r = run(box, [], [], lcores=[f"--lcores=0@{A},{lcore}@{B}"])
    assert r.status == 0, r.err
    used = [(c["lcore"], c["cpu"]) for c in r.report["lcores"]]
    if used != [(lcore, B)]:
        assert used == [(1, B)]
        assert re.search(rf"mapped: 1 is {lcore} \(CPU {B}\)", joined(r.out)), r.out
    assert r.summary["tx"]["packets"] > 0


def test_E3_more_lcores_than_there_can_be(box):
    refused([*NULL, f"--lcores=(0-1023)@{A}", "--", TX], box.path, 2, "1024 lcores", "at most")


@pytest.mark.parametrize("workers", [31, 32, 33, 63, 64, 65, 127])
def test_E3_numbers_of_workers_at_the_edges(box, workers):
    """As many lcores on one CPU: planned only, each with one queue."""
    r = call([*NULL, f"--lcores=(0-{workers})@{A}", "--", TX, f"--txq={workers}",
              f"--nb-cores={workers}", "--plan"], box.path)
    assert r.status == 0, r.err
    assert len(re.findall(r"^ +worker +lcore", r.out, re.M)) == workers
    queues = [int(q) for q in re.findall(r"tx queues (\d+)$", r.out, re.M)]
    assert sorted(queues) == list(range(workers))


def test_E4_more_lcores_than_queues_by_default_are_capped(box):
    r = run(box, [], ["--txq=1"], lcores=[f"--lcores=0@{A},1@{B},2@{A}"])
    assert r.status == 0, r.err
    assert len(r.report["lcores"]) == 1
    assert "2 lcores for 1 queue: 1 used" in joined(r.out)


def test_E4_nb_cores_by_default_queues_is_capped(box):
    """The number of queues wasn't asked for, so it is a limit and not a contradiction."""
    r = run(box, [], ["--nb-cores=2"], lcores=[f"--lcores=0@{A},1@{B},2@{A}"])
    assert r.status == 0, r.err
    assert len(r.report["lcores"]) == 1
    assert "2 lcores for 1 queue: 1 used" in joined(r.out)
    # The value that came out; what was asked is in the note.
    assert r.report["config"]["nb-cores"]["value"] == 1


def test_E4_every_queue_has_one_owner(box):
    r = run(box, [], ["--txq=5", "--nb-cores=2"], lcores=[f"--lcores=0@{A},1@{B},2@{A}"])
    assert r.status == 0, r.err
    assert sorted(q["queue"] for q in r.queues("tx")) == [0, 1, 2, 3, 4]
    assert sorted(c["streams"] for c in r.report["lcores"]) == [2, 3]


def test_nb_cores_above_the_lcores_given(box):
    refused([*NULL, f"--lcores=0@{A},1@{B}", "--", TX, "--nb-cores=5", "--txq=9"], box.path, 2,
            "--nb-cores=5", "1 worker")


def test_nb_cores_above_the_machine_is_capped_with_a_note(box):
    """Nobody gave lcores: what the machine has is a limit."""
    r = run(box, [], ["--nb-cores=99", "--txq=100"], lcores=[], prefix=["taskset", "-c", f"{A}"])
    assert r.status == 0, r.err
    assert len(r.report["lcores"]) == 1
    assert re.search(r"nb-cores 99 asked, 1 used", joined(r.out)), r.out


def test_fewer_nb_cores_than_lcores(box):
    r = run(box, [], ["--nb-cores=1", "--txq=4"], lcores=[f"--lcores=0@{A},1@{B},2@{A}"])
    assert r.status == 0, r.err
    assert [c["streams"] for c in r.report["lcores"]] == [4]


def test_two_workers_on_one_cpu_are_warned_of(box):
    r = run(box, [], ["--txq=2"], lcores=[f"--lcores=0@{A},1@{B},2@{B}"])
    assert r.status == 0, r.err
    assert f"lcores 1 and 2 are workers on the same CPU {B}" in joined(r.out)


def test_E5_unknown_node_of_a_port_is_printed(box):
    r = call([*NULL, "--", TX, "--plan"], box.path)
    assert r.status == 0, r.err
    assert re.search(r"port +0 +node unknown", r.out), r.out


# What --plan prints, without starting anything.


def test_plan_starts_nothing(box):
    """No socket is made, no file left, though the vdev would make one."""
    sock = f"{box.path}/vhost.sock"
    r = call(["--no-pci", f"--vdev=net_vhost0,iface={sock}", "--", "--forward-mode=rxonly",
              "--plan", "--json", "x.json"], box.path)
    assert (r.status, r.err) == (0, "")
    assert os.listdir(box.path) == []


def test_plan_needs_no_hugepages(box):
    r = call([*NULL, "--", TX, "--plan", "--txq=16", "--txd=4096"], box.path,
             prefix=in_private_mounts(fake_hugepages(box.path, 0)))
    assert (r.status, r.err) == (0, "")
    need = re.search(r"(\d+) pages of 2048 kB, 0 free", r.out)
    assert need and int(need[1]) > 16 * 4096 * 2000 // (2 << 20), r.out


def test_plan_needs_no_port(box):
    r = call(["--no-pci", "--", TX, "--plan"], box.path)
    assert (r.status, r.err) == (0, "")
    assert "no port" in joined(r.out)


@pytest.mark.parametrize("queues", [1, 3, 16, 48])
def test_plan_is_what_runs(box, queues):
    lcores = f"--lcores=0@{A},1@{B},2@{A}"
    plan = call([*NULL, lcores, "--", TX, f"--txq={queues}", "--plan"], box.path)
    assert plan.status == 0, plan.err
    r = run(box, [], [f"--txq={queues}"], lcores=[lcores])
    assert r.status == 0, r.err
    planned = {}
    for line in plan.out.splitlines():
        if m := re.match(r" +worker +lcore +(\d+)", line):
            lcore = int(m[1])
            planned[lcore] = 0
        elif m := re.match(r" +port +0 tx queues ([\d,-]+)$", line):
            for part in m[1].split(","):
                first, _, last = part.partition("-")
                planned[lcore] += int(last or first) - int(first) + 1
    assert planned == {c["lcore"]: c["streams"] for c in r.report["lcores"]}
    assert sum(planned.values()) == queues


def test_plan_prints_the_firewall_rule(box):
    r = call([*NULL, "--", TX, "--plan"], box.path)
    first, last = map(int, re.search(r"ports (\d+)-(\d+)", r.out).groups())
    assert 1024 <= first < last <= 65535


def test_plan_fits_the_console(box):
    r = call([*NULL, f"--lcores=(0-127)@{A}", "--", TX, "--txq=1000", "--plan"], box.path)
    assert r.status == 0, r.err
    assert r.out.isascii()
    assert max(map(len, r.out.splitlines())) < 80
    assert not re.search(r"[ \t]+$", r.out, re.M)


# The command lines people use for testpmd.


TESTPMD = [
    ("--txd=128 --rxd=128 --txq=16 --rxq=16 --nb-cores=1 --forward-mode=txonly --txpkts=1430 "
     "--stats-period=1", "tx", 16, 0),
    ("--txd=128 --rxd=128 --txq=48 --rxq=48 --nb-cores=16 --forward-mode=rxonly --stats-period=1",
     "rx", 48, 0),
]


@pytest.mark.parametrize("words,direction,queues,status", TESTPMD, ids=["tx", "rx"])
def test_testpmd_command_lines_run_unchanged(box, words, direction, queues, status):
    out = open(f"{box.path}/out", "w+", encoding="ascii")
    p = box.start(["--vdev=net_null0"], words.split(), lcores=[], stdout=out)
    wait_for(lambda: re.search(r"^ +\d+\.\d+ +\d", open(out.name, encoding="ascii").read(), re.M),
             "a line of rates")
    r = p.stop()
    assert (r.status, r.err) == (status, "")
    assert r.summary[direction]["packets"] >= 0
    assert len(r.queues(direction)) == queues
    port = r.report["ports"][0]
    assert port["asked"] == {"rxq": queues, "txq": queues, "rxd": 128, "txd": 128}
    if direction == "tx":
        assert r.summary["frame_len"] == 1430
        assert len(r.report["lcores"]) == 1


def test_limits_of_the_device_are_clamped_and_told(box):
    """net_ring offers 16 queues."""
    r = box.run(["--vdev=net_ring0"], [TX, *SHORT, "--txq=20", "--rxq=20"])
    assert r.status == 0, r.err
    port = r.report["ports"][0]
    assert port["asked"]["txq"] == 20 and port["used"]["txq"] < 20
    n = port["used"]["txq"]
    assert joined(r.out).count(f"port 0: txq 20 asked, {n} used: the device's limit") == 1
    assert len(r.queues("tx")) == n

# SPDX-License-Identifier: BSD-3-Clause
"""prepare, receive and send as two people type them, on two hosts in network namespaces: --io takes
no NIC. Real NICs are taken in tests/e2e."""
import os
import pathlib
import shlex
import signal
import subprocess

import pytest

import harness
from hosts import A, B, ROOT, SCRIPTS, card, figures, free_of_codes, prepare

pytestmark = pytest.mark.usefixtures("hugepages")


def test_prepare_send_receive(hosts):
    """The receiver first, both steps of the guides; nothing but the commands is typed."""
    a, b = hosts
    prepare(hosts)
    receiver = b.start("receive", "--io", "af_packet")
    b.wait_for(receiver, "Waiting up to 300 s")
    sender = a.start("send", "--io", "af_packet", "--duration", "2s")
    sent, got = a.end(sender), b.end(receiver)
    assert sender.returncode == 0, sent
    assert receiver.returncode == 0, got
    for text, direction in ((sent, "SENT"), (got, "RECEIVED")):
        lines = card(text)
        assert len(lines) <= 24 and max(map(len, lines)) < 80, text
        assert any(line.startswith(direction) for line in lines)
        assert any("the hugepages" in line for line in lines)
        for step, length in (("bandwidth", 1430), ("pps", 64)):
            row = figures(lines, step)
            assert row["length"] == length and row["mpps"] > 0, text
            assert row["l2"] == pytest.approx(row["mpps"] * length * 8 / 1000, rel=0.02, abs=0.02)
    command = next(b.path.glob("results/receive-*/1-bandwidth.command")).read_text()
    assert "--rxq=1 " in command and f"--src-ip={B}" in command
    assert free_of_codes("\n".join(card(sent))) in free_of_codes(a.run("show"))


def test_the_sender_first(hosts):
    a, b = hosts
    prepare(hosts)
    sender = a.start("send", "pps", "--io", "af_packet", "--duration", "8s")
    a.wait_for(sender, "Mpps")
    got = b.run("receive", "pps", "--io=af_packet", b.interface)
    assert figures(card(got), "pps")["mpps"] > 0
    assert "unverified" in a.end(sender)
    assert sender.returncode == 0


def test_ctrl_c_ends_with_the_card(hosts):
    """What was borrowed is back, and the result is what there was."""
    _, b = hosts
    prepare(hosts)
    receiver = b.start("receive", "--io", "af_packet")
    b.wait_for(receiver, "Waiting up to 300 s")
    b.wait_for(receiver, "time s")
    os.killpg(receiver.pid, signal.SIGINT)
    text = b.end(receiver, 60)
    assert receiver.returncode == 3, text
    lines = card(text)
    assert any("got no frame" in line for line in lines), text
    assert len(lines) <= 24
    assert "Step 2" not in text


def test_detached(hosts):
    """The command returns at once; the result is there later, and the status with it."""
    a, b = hosts
    prepare(hosts)
    status = b.path / "results/receive-detached.status"
    text = b.run("receive", "pps", "--io", "af_packet", "--detach")
    assert "Detached." in text and not status.exists()
    log = b.path / "results/receive-detached.log"
    harness.wait_for(lambda: "Waiting up to 300 s" in log.read_text(), "the receiver", 60)
    a.run("send", "pps", "--io", "af_packet", "--duration", "2s")
    harness.wait_for(lambda: status.exists() and status.read_text().strip(), "the end", 60)
    code, folder = status.read_text().split()
    assert code == "0" and (b.path / "results" / folder / "card.txt").exists()
    assert figures(card(b.run("show")), "pps")["mpps"] > 0


def test_a_pair_from_a_third_place(hosts, box):
    """By a stand-in for ssh that enters a host's namespace; both results come home."""
    a, b = hosts
    prepare(hosts)
    ssh = pathlib.Path(box.path) / "ssh"
    cases = "".join(f"{name}) exec {shlex.join(host.prefix)} sh -c \"$2\" ;;\n"
                    for name, host in (("alpha", a), ("beta", b)))
    ssh.write_text(f"#!/bin/sh\ncase $1 in\n{cases}*) exit 255 ;;\nesac\n")
    ssh.chmod(0o755)
    home = pathlib.Path(box.path) / "home"
    (home / "results").mkdir(parents=True)
    env = dict(os.environ, PMDPERF_SSH=str(ssh), PMDPERF=str(harness.PROGRAM))
    mounts = f'mount --bind {home}/results {ROOT}/results && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", mounts, "sh", SCRIPTS / "pair.sh"]

    def pair(*more, limit=150):
        return subprocess.run([*words, *more], env=env, check=False, capture_output=True,
                              text=True, timeout=limit)

    r = pair("alpha", "beta", "--", "pps", "--io", "af_packet", "--duration", "3s")
    assert r.returncode == 0, r.stdout + r.stderr
    assert "alpha:" in r.stdout and "beta:" in r.stdout
    assert "SENT: " in r.stdout and "RECEIVED, " in r.stdout
    folder, = (home / "results").glob("pair-*")
    for role in ("send", "receive"):
        assert (folder / role / "result/1-pps.json").exists(), sorted(folder.rglob("*"))
    r = pair("alpha", "gamma")
    assert r.returncode == 1 and "gamma cannot be reached" in r.stderr
    r = pair("alpha")
    assert r.returncode == 2 and "two machines" in r.stderr
    r = pair("alpha", "alpha")
    assert r.returncode == 2 and "both 'alpha'" in r.stderr
    (b.path / "state/profile").unlink()
    r = pair("alpha", "beta")
    assert r.returncode == 1 and "beta is not prepared" in r.stderr


def test_not_prepared(hosts):
    _, b = hosts
    text = b.run("receive", status=1)
    assert "not prepared" in text and "prepare PEER" in text


def test_nothing_on_pci(hosts):
    a, _ = hosts
    prepare(hosts)
    text = a.run("send", status=1)
    assert "not on PCI" in text and "--io af_packet" in text


@pytest.mark.parametrize("script, words, texts", [
    ("prepare", [], ["which peer"]),
    ("prepare", ["10.0.0"], ["'10.0.0'", "IPv4"]),
    ("prepare", ["10.0.0.256"], ["'10.0.0.256'"]),
    ("prepare", ["10.0.0.1", "10.0.0.2"], ["one peer"]),
    ("prepare", ["--nic"], ["unknown option '--nic'"]),
    ("send", ["nosuch"], ["no profile 'nosuch'", "bandwidth", "pps"]),
    ("send", ["../config/pps"], ["no profile"]),
    ("send", ["--io", "dpdk"], ["--io takes", "'dpdk'"]),
    ("send", ["--io", "af_xdp", "--keep-bound"], ["--keep-bound"]),
    ("send", ["--duration", "0"], ["--duration", "'0'"]),
    ("send", ["--duration"], ["--duration"]),
    ("send", ["--expect", "12"], ["--expect", "'12'"]),
    ("send", ["--at", "tomorrow"], ["--at", "'tomorrow'"]),
    ("send", ["--at", "99999999999"], ["--at", "within a day"]),
    ("receive", ["--frob"], ["--frob"]),
    ("show", ["x"], ["'x'"]),
])
def test_mistyped(hosts, script, words, texts):
    text = hosts[0].run(script, *words, status=2)
    for part in texts:
        assert part in text, text


def test_prepare_refuses_itself_and_nowhere(hosts):
    a, _ = hosts
    assert "own address" in a.run("prepare", A, status=1)
    assert "no way to 192.0.2.1" in a.run("prepare", "192.0.2.1", status=1)


def test_show_without_a_result(hosts):
    assert "no result yet" in hosts[0].run("show", status=1)


def test_help(hosts):
    for script in ("prepare", "send", "receive", "show"):
        text = hosts[0].run(script, "--help")
        assert f"usage: scripts/{script}" in text
        assert all(len(line) < 80 for line in text.splitlines()), text

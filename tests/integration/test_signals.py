# SPDX-License-Identifier: BSD-3-Clause
"""A run ends well whenever and however it is told to."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import time

import pytest

import harness
from harness import RUNTIME, leftovers, wait_for

TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# The promise is a second; the rest is for a loaded machine.
STOP_S = 3.0
# Start-up, 200 ms of warm-up, 500 ms of measuring and the draining lie within.
END_MS = 1200
rng = random.Random(20240611)
MOMENTS = [0] + sorted(round(rng.triangular(0, END_MS, END_MS / 4)) for _ in range(27))


def handles(pid, number):
    """Whether a process has a handler for a signal by now."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            caught = re.search(r"^SigCgt:\s+(\S+)", f.read(), re.M)
    except FileNotFoundError:
        return True
    return caught is None or int(caught[1], 16) >> (number - 1) & 1


def start(box, mode, **kw):
    vdev = "net_null0" if mode == TX else "net_ring0"
    return box.start([f"--vdev={vdev}"], [mode, "--warmup=200ms", "--duration=500ms",
                                          "--stats-period=100ms"], **kw)


def check(p, r, box, mode):
    assert r.status == (0 if mode == TX else 3), f"status {r.status}\n{r.out}\n{r.err}"
    assert r.err == ""
    assert r.report is not None and r.report["schema"] == "pmdperf/1"
    assert "RESULT" in r.out and "VERDICT" in r.out
    if mode == RX:
        assert r.report["verdict"]["status"] == "fail"
        assert "got no frame" in r.out and "check:" in r.out
    else:
        assert r.report["verdict"]["status"] == "unverified"
        tx = r.summary["tx"]
        assert tx["offered"] == tx["packets"] + tx["unsent"]
    assert leftovers(p.pid, box.path) == []


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda ms: f"{ms}ms")
def test_D2_at_random_moments(box, moment):
    mode = TX if MOMENTS.index(moment) % 2 else RX
    number = SIGNALS[moment % 3]
    p = start(box, mode)
    wait_for(lambda: handles(p.pid, number), "a handler")
    time.sleep(moment / 1000)
    sent = time.monotonic()
    p.signal(number)
    r = p.wait()
    assert time.monotonic() - sent < STOP_S
    check(p, r, box, mode)


@pytest.mark.parametrize("delay", [0, 0.002, 0.005])
def test_before_the_program_has_begun(box, delay):
    """Until there are handlers a signal ends the process as it does any: nothing is there yet."""
    p = start(box, TX)
    time.sleep(delay)
    p.signal(signal.SIGTERM)
    r = p.wait()
    if r.status == -signal.SIGTERM:
        assert (r.out, r.err, r.report) == ("", "", None)
        assert leftovers(p.pid, box.path) == []
    else:
        check(p, r, box, TX)


@pytest.mark.parametrize("gap", [0, 0.001, 0.02, 0.06])
@pytest.mark.parametrize("moment", [20, 150, 600])
def test_D2_twice_and_mixed(box, moment, gap):
    p = start(box, RX if moment == 150 else TX)
    wait_for(lambda: handles(p.pid, signal.SIGTERM), "a handler")
    time.sleep(moment / 1000)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if p.popen.poll() is None:
            p.signal(number)
        time.sleep(gap)
    sent = time.monotonic()
    r = p.wait()
    assert time.monotonic() - sent < STOP_S
    check(p, r, box, RX if moment == 150 else TX)


def test_a_storm_of_signals(box):
    """One every millisecond from the beginning to the end."""
    p = start(box, TX)
    wait_for(lambda: handles(p.pid, signal.SIGHUP), "a handler")
    end = time.monotonic() + STOP_S + 2
    while p.popen.poll() is None and time.monotonic() < end:
        p.signal(random.choice(SIGNALS))
        time.sleep(0.001)
    assert p.popen.poll() is not None
    check(p, p.wait(), box, TX)


def test_D2_without_end_and_without_lines(box):
    """Waiting in the longest sleep there is."""
    p = box.start(["--vdev=net_null0"], [TX, "--stats-period=0", "--warmup=0"])
    time.sleep(1)
    sent = time.monotonic()
    r = p.stop()
    assert time.monotonic() - sent < STOP_S
    check(p, r, box, TX)
    assert r.summary["tx"]["packets"] > 0


def test_a_signal_ends_as_the_time_does(box):
    """The same fields, whoever ended the run."""
    timed = start(box, TX).wait()
    p = start(box, TX)
    time.sleep(0.8)
    signalled = p.stop()
    assert timed.status == signalled.status == 0
    assert timed.report.keys() == signalled.report.keys()
    assert timed.summary.keys() == signalled.summary.keys()
    assert timed.report["verdict"]["status"] == signalled.report["verdict"]["status"]


def test_a_signal_in_the_warmup_measures_nothing(box):
    p = box.start(["--vdev=net_null0"], [TX, "--warmup=60", "--stats-period=100ms"])
    time.sleep(1)
    r = p.stop()
    check(p, r, box, TX)
    assert r.summary["measure_s"] == 0
    assert r.summary["tx"]["pps"] is None and r.summary["tx"]["pps_max"] is None
    assert "warm-up" in r.out


def test_stop_during_start_of_a_sender_whose_link_is_down(box):
    """The wait for the link is left at once."""
    sock = f"{box.path}/s"
    p = box.start([f"--vdev=net_vhost0,iface={sock}"], [TX, "--warmup=0"])
    wait_for(lambda: os.path.exists(sock), "the socket")
    time.sleep(0.3)
    sent = time.monotonic()
    r = p.stop()
    assert time.monotonic() - sent < STOP_S
    assert r.status >= 0 and "VERDICT" in r.out, r.err
    assert leftovers(p.pid, box.path) == []
    assert not os.path.exists(sock)


# The reader of the output goes away.


def shell(box, script):
    env = dict(os.environ, P=harness.PROGRAM, L=box.lcores()[1])
    return subprocess.run(["bash", "-c", script], cwd=box.path, env=env, capture_output=True,
                          text=True, timeout=60, check=False)


def test_D3_closed_pipe(box):
    """A reader that has seen enough doesn't take the result file with it."""
    r = shell(box, '"$P" --lcores "$L" --no-pci --vdev=net_null0 --file-prefix=d3-$$ -- '
                   '--forward-mode=txonly --duration=600ms --warmup=0 --stats-period=50ms '
                   '--json=x.json | head -1; echo "status ${PIPESTATUS[0]}"')
    lines = r.stdout.splitlines()
    assert lines[0].startswith("pmdperf ") and len(lines) == 2
    status = int(lines[1].split()[1])
    # Not ended by SIGPIPE (141) and not crashed (above 128).
    assert status in (0, 1), r.stdout + r.stderr
    if status == 1:
        assert "stdout" in r.stderr or "output" in r.stderr
    assert os.path.exists(f"{box.path}/x.json")
    assert "EAL" not in r.stderr


def test_D3_closed_stdout_from_the_beginning(box):
    r = shell(box, '"$P" --lcores "$L" --no-pci --vdev=net_null0 -- --forward-mode=txonly '
                   '--duration=200ms --warmup=0 --json=x.json >&-; echo "status $?"')
    assert int(r.stdout.split()[1]) in (0, 1), r.stdout + r.stderr
    assert os.path.exists(f"{box.path}/x.json")
    assert open(f"{box.path}/x.json", encoding="ascii").read().startswith("{")


def test_D3_full_device(box):
    """What is printed gets lost: that is told by the exit status."""
    r = shell(box, '"$P" --lcores "$L" --no-pci --vdev=net_null0 -- --forward-mode=txonly '
                   '--duration=200ms --warmup=0 --json=x.json > /dev/full; echo "status $?"')
    assert r.stdout == "status 1\n", r.stdout + r.stderr
    assert "No space left" in r.stderr
    assert os.path.exists(f"{box.path}/x.json")


def test_D3_lines_appear_while_it_runs(box):
    """Each period's line comes through a pipe within the next few periods."""
    p = box.start(["--vdev=net_null0"], [TX, "--warmup=0", "--stats-period=100ms"])
    seen = []
    for line in p.popen.stdout:
        if re.match(r" +\d+\.\d+ ", line):
            seen.append((float(line.split()[0]), time.monotonic()))
        if len(seen) == 8:
            break
    r = p.stop()
    assert r.status == 0, r.err
    # Were they kept back, all would come at once.
    assert seen[-1][1] - seen[0][1] > 0.5 * (seen[-1][0] - seen[0][0]) > 0.3


def test_stderr_closed(box):
    r = shell(box, '"$P" --no-pci -- --burst=0 2>&-; echo "status $?"')
    assert r.stdout == "status 2\n"


# The peer goes away.


def listens(path):
    """Whether somebody listens on a socket, without connecting to it."""
    with open("/proc/net/unix", encoding="ascii") as f:
        return any(line.split()[3] == "00010000" and line.rstrip().endswith(" " + path)
                   for line in f)


def pair(box, kind, listener_mode, own=()):
    """@return the listener and the one that connects to it, both running"""
    sock = f"{box.path}/{kind}.sock"
    if kind == "vhost":
        listen = f"--vdev=net_vhost0,iface={sock}"
        connect = f"--vdev=net_virtio_user0,path={sock},queue_size=1024"
    else:
        listen = f"--vdev=net_memif0,role=server,socket={sock},socket-abstract=no"
        connect = f"--vdev=net_memif0,role=client,socket={sock},socket-abstract=no"
    other_mode = RX if listener_mode == TX else TX
    cpus = box.cpus
    words = ["--warmup=0", "--stats-period=200ms", *own]
    a = box.start([listen], [listener_mode, *words],
                  lcores=[f"--lcores=0@{cpus[0]},1@{cpus[0]}"])
    # A stale one may be there already.
    wait_for(lambda: listens(sock), "the listener")
    b = box.start([connect], [other_mode, *words],
                  lcores=[f"--lcores=0@{cpus[-1]},1@{cpus[-1]}"])
    return a, b, sock


def sample_of(process):
    """The latest sample, over DPDK's telemetry; nothing while there is none."""
    path = RUNTIME / f"pmdperf-{process.pid}" / "dpdk_telemetry.v2"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.settimeout(5)
        try:
            s.connect(str(path))
            s.recv(4096)
            s.send(b"/pmdperf/sample")
            return json.loads(s.recv(65536))["/pmdperf/sample"] or {}
        except (OSError, ValueError, KeyError):
            return {}


def frames_arrive(receiver):
    """Two samples with frames in them."""
    for _ in range(2):
        wait_for(lambda: receiver.popen.poll() is not None or sample_of(receiver).get("rx_pps"),
                 "frames arrived")
        seen = sample_of(receiver).get("t_ms")
        wait_for(lambda: receiver.popen.poll() is not None or sample_of(receiver).get("t_ms") != seen,
                 "the next sample")


# Not with memif: its driver unmaps the rings of a peer that is gone on EAL's interrupt thread, while
# a worker may be inside its burst function; whoever polls then can crash, testpmd as well.


@pytest.mark.parametrize("listener_mode", [TX, RX], ids=["listener_sends", "listener_receives"])
@pytest.mark.parametrize("killed", ["listener", "other"])
def test_peer_killed(box, listener_mode, killed):
    a, b, sock = pair(box, "vhost", listener_mode)
    frames_arrive(a if listener_mode == RX else b)
    dead, alive = (a, b) if killed == "listener" else (b, a)
    receives = (alive is a) == (listener_mode == RX)
    dead.signal(signal.SIGKILL)
    dead.popen.wait(10)
    time.sleep(0.7)
    assert alive.popen.poll() is None, alive.wait().err
    sent = time.monotonic()
    r = alive.stop()
    assert time.monotonic() - sent < STOP_S
    assert r.status == 0, f"{r.status}\n{r.out}\n{r.err}"
    assert r.summary["rx" if receives else "tx"]["packets"] > 0
    assert leftovers(alive.pid, box.path) == []
    assert os.path.exists(sock) == (killed == "listener")


@pytest.mark.parametrize("first", ["sender", "receiver"])
def test_peer_stopped_first(box, first):
    """The polite way, too."""
    a, b, sock = pair(box, "vhost", RX)
    frames_arrive(a)
    if first == "sender":
        tx, rx = b.stop(), a.stop()
    else:
        rx = a.stop()
        time.sleep(0.3)
        tx = b.stop()
    assert (tx.status, rx.status) == (0, 0), tx.err + rx.err
    assert (tx.err, rx.err) == ("", "")
    assert rx.report["verdict"]["status"] == "pass"
    assert not os.path.exists(sock)
    for p in (a, b):
        assert leftovers(p.pid, box.path) == []


@pytest.mark.parametrize("kind", ["vhost", "memif"])
def test_C3_stale_socket_after_kill(box, kind):
    """Twice: what a killed listener left doesn't stand in the way of the next."""
    for _ in range(2):
        a, b, sock = pair(box, kind, RX)
        time.sleep(0.8)
        for p in (a, b):
            p.signal(signal.SIGKILL)
            p.popen.wait(10)
        assert os.path.exists(sock)
    a, b, sock = pair(box, kind, RX)
    frames_arrive(a)
    tx = b.stop()
    assert (tx.status, tx.err) == (0, "") and tx.summary["tx"]["packets"] > 0
    if kind == "memif":
        return
    rx = a.stop()
    assert (rx.status, rx.err) == (0, "") and rx.summary["rx"]["packets"] > 0
    assert not os.path.exists(sock)


@pytest.mark.parametrize("moment", [0.1, 0.3, 0.6, 0.9])
def test_a_signal_while_connecting(box, moment):
    """A listener may take a second to answer; the driver's wait for it is no reason to fail."""
    a, b, _ = pair(box, "vhost", RX)
    time.sleep(moment)
    sent = time.monotonic()
    tx = b.stop()
    assert time.monotonic() - sent < STOP_S
    assert tx.status in (0, 3) and tx.err == "", f"{tx.status}: {tx.err}"
    assert "VERDICT" in tx.out and tx.report is not None
    assert a.stop().status in (0, 3)
    assert leftovers(b.pid, box.path) == []


def test_a_receiver_goes_on_when_its_sender_comes_back(box):
    """The listener outlives two senders and counts both."""
    a, b, sock = pair(box, "vhost", RX)
    frames_arrive(a)
    one = b.stop()
    cpu = box.cpus[-1]
    b = box.start([f"--vdev=net_virtio_user0,path={sock},queue_size=1024"],
                  [TX, "--warmup=0", "--duration=500ms"], lcores=[f"--lcores=0@{cpu},1@{cpu}"])
    two = b.wait()
    rx = a.stop()
    assert (one.status, two.status, rx.status) == (0, 0, 0), one.err + two.err + rx.err
    assert one.summary["tx"]["packets"] > 0 and two.summary["tx"]["packets"] > 0
    # Of each sender some arrived: the second's alone would be fewer.
    last = [s["t_s"] for s in rx.report["samples"] if s["rx_pps"]]
    assert last and max(last) - min(last) > 0.5

# SPDX-License-Identifier: BSD-3-Clause
"""The lease: by rewriting it a run shows the dead man's switch that it makes progress."""
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import time

import pytest

import links
from harness import in_private_mounts, wait_for

LEASES = pathlib.Path("/run/pmdperf/nic")
TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
OWN = ["--warmup=0", "--stats-period=200ms"]
LINE = re.compile(r"(\d+) +(\d+) +\n")


class Lease:
    """The folder of a device that nobody else has."""

    def __init__(self, device):
        self.device = f"{device}{os.getpid()}"
        self.folder = LEASES / self.device
        self.path = self.folder / "lease"
        self.folder.mkdir(parents=True)

    def make(self):
        self.path.write_text(f"{0:<11} {0:<20}\n")
        return self

    def line(self):
        """@return the process and its count"""
        text = self.path.read_text()
        found = LINE.fullmatch(text)
        assert found and len(text) == 33, repr(text)
        return int(found[1]), int(found[2])

    def close(self):
        shutil.rmtree(self.folder)
        for folder in (LEASES, LEASES.parent):
            with contextlib.suppress(OSError):  # others may have theirs in it
                folder.rmdir()


@pytest.fixture
def leases():
    links.need_root()
    made = []

    def make(device):
        made.append(Lease(device))
        return made[-1]

    yield make
    for each in made:
        each.close()


def renewed(lease, times=1):
    """Waits for so many renewals. @return how long they took"""
    count = lease.line()[1]
    began = time.monotonic()
    wait_for(lambda: lease.line()[1] >= count + times, f"{times} renewals")
    return time.monotonic() - began


def notes(report):
    return [line for line in report.out.splitlines() if "lease" in line]


@pytest.mark.parametrize("device, mode", [("net_null", TX), ("net_ring", RX)],
                         ids=["sender", "receiver_that_waits"])
def test_a_run_renews_its_lease_once_a_second(box, leases, device, mode):
    lease = leases(device).make()
    p = box.start([f"--vdev={lease.device}"], [mode, *OWN])
    wait_for(lambda: lease.line()[0] == p.pid, "the process in its lease")
    renewed(lease)
    assert 2.5 < renewed(lease, 3) < 6
    r = p.stop()
    assert r.status == (0 if mode == TX else 3), r.err
    assert (r.err, notes(r)) == ("", [])
    assert lease.line()[0] == p.pid


def test_a_run_without_lines_renews_it_too(box, leases):
    lease = leases("net_null").make()
    p = box.start([f"--vdev={lease.device}"], [TX, "--warmup=60", "--stats-period=0"])
    wait_for(lambda: lease.line()[0] == p.pid, "the process in its lease")
    renewed(lease, 2)
    assert p.stop().status == 0


def test_without_a_lease_none_is_made(box, leases):
    lease = leases("net_null")
    r = box.run([f"--vdev={lease.device}"], [TX, *OWN, "--duration=1"])
    assert (r.status, r.err, notes(r)) == (0, "", [])
    assert list(lease.folder.iterdir()) == []


def test_each_port_has_its_own(box, leases):
    one, two = leases("net_null").make(), leases("net_ring").make()
    p = box.start([f"--vdev={one.device}", f"--vdev={two.device}"], [TX, *OWN])
    for lease in (one, two):
        wait_for(lambda each=lease: each.line()[0] == p.pid, "the process in its lease")
        renewed(lease)
    assert p.stop().status == 0


# -- no progress --

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000


def ptrace(request, thread):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


@contextlib.contextmanager
def stuck(thread):
    """One thread stands still; the others of its process don't notice."""
    ptrace(PTRACE_SEIZE, thread)
    try:
        ptrace(PTRACE_INTERRUPT, thread)
        os.waitpid(thread, WALL)
        yield
    finally:
        ptrace(PTRACE_DETACH, thread)


def workers(pid):
    found = []
    for comm in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"):
        if "worker" in comm.read_text():
            found.append(int(comm.parent.name))
    return sorted(found)


@pytest.mark.parametrize("who", ["main", "one_worker_of_two"])
def test_a_stuck_thread_is_no_progress(box, leases, who):
    lease = leases("net_null").make()
    p = box.start([f"--vdev={lease.device}"], [TX, *OWN, "--txq=2", "--nb-cores=2"], workers=2)
    wait_for(lambda: lease.line()[0] == p.pid, "the process in its lease")
    renewed(lease, 2)
    threads = workers(p.pid)
    assert len(threads) == 2
    with stuck(p.pid if who == "main" else threads[1]):
        before = lease.line()
        # What must not happen can only be waited for. Once: a turn may just have been seen.
        time.sleep(4)
        assert lease.line()[1] <= before[1] + 1
    renewed(lease, 2)
    assert p.stop().status == 0


# -- a lease that is none --


def link_to_a_file(path):
    (path.parent / "other").write_text("other\n")
    path.symlink_to("other")


@pytest.mark.parametrize("make", [link_to_a_file, os.mkfifo, os.mkdir],
                         ids=["symlink", "fifo", "folder"])
def test_only_a_regular_file_is_written(box, leases, make):
    lease = leases("net_null")
    make(lease.path)
    r = box.run([f"--vdev={lease.device}"], [TX, *OWN, "--duration=1"])
    assert r.status == 0, r.err
    assert lease.device in "".join(notes(r)), r.out
    if lease.path.is_symlink():
        assert lease.path.read_text() == "other\n"


def test_a_write_that_fails_is_said_once(box, leases):
    """The file lies on a file system without room for it."""
    lease = leases("net_null")
    full = in_private_mounts(f"mount -t tmpfs -o size=4k none {lease.folder}; : >{lease.path}\n"
                             f"head -c 4096 /dev/zero >{lease.folder}/filler")
    r = box.run([f"--vdev={lease.device}"], [TX, *OWN, "--duration=3"], prefix=full)
    assert r.status == 0, r.err
    assert len(notes(r)) == 1 and "No space left" in r.out

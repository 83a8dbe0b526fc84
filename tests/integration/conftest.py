# SPDX-License-Identifier: BSD-3-Clause
import os
import shutil
import tempfile

import pytest

# Plain modules: without this a failed assert in them would not show its values.
pytest.register_assert_rewrite("links", "packets", "hosts")

import harness  # noqa: E402
import links  # noqa: E402
from hosts import two  # noqa: E402


@pytest.fixture
def box():
    """A private directory; gone after the test, with every process started through it ended."""
    b = Box()
    yield b
    b.close()


class Box:
    # One worker on CPU 1 where there is one; main sleeps, it may share.
    cpus = sorted(os.sched_getaffinity(0))

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="pmdperf-test-")
        self.processes = []
        self.helpers = []  # other processes, ended with the box

    def lcores(self, workers=1):
        """EAL words for main and so many workers, whatever CPUs there are."""
        maps = [f"0@{self.cpus[0]}"]
        maps += [f"{i + 1}@{self.cpus[-1 - i % len(self.cpus)]}" for i in range(workers)]
        return ["--lcores", ",".join(maps)]

    def start(self, eal, own, workers=1, lcores=None, **kw):
        words = self.lcores(workers) if lcores is None else lcores
        p = harness.Process(self.path, [*words, "--no-pci", *eal], own, **kw)
        self.processes.append(p)
        return p

    def run(self, eal, own, **kw):
        """Runs to its end. A duration is up to the caller."""
        limit = kw.pop("limit", harness.LIMIT_S)
        return self.start(eal, own, **kw).wait(limit)

    def close(self):
        for p in self.processes:
            p.kill()
            harness.sweep(p)
        for h in self.helpers:
            h.kill()
            h.wait()
        shutil.rmtree(self.path, ignore_errors=True)


@pytest.fixture
def hugepages():
    links.need_pages()


@pytest.fixture
def veth():
    links.need_root()
    v = links.Veth()
    yield v
    v.close()


@pytest.fixture
def hosts(box, veth):
    """Two hosts with a cable between them."""
    yield from two(box, veth)

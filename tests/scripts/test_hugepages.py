# SPDX-License-Identifier: BSD-3-Clause
"""hugepages.sh on a fake machine whose kernel grants what the test lets it, and on the real one."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "hugepages.sh"
KERNEL = """#!/bin/sh
# Pages that are there cannot be more than the node's limit; those in use stay.
case $1 in
*/nr_hugepages)
	dir=${1%/*}
	old=$(cat "$dir/old") limit=$(cat "$dir/limit") used=$(cat "$dir/used")
	new=$2
	[ "$new" -le "$limit" ] || new=$limit
	[ "$new" -ge "$used" ] || new=$used
	echo "$new" >"$dir/nr_hugepages"
	echo "$new" >"$dir/old"
	echo $((new - used)) >"$dir/free_hugepages"
	;;
esac
"""
PLAN = """#!/bin/sh
printf 'Lcores\\n  main    lcore    0  CPU 0        node 0\\nMemory\\n{memory}firewall: allow\\n'
printf '%s\\n' "$*" >{asked}
"""


class Machine:
    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "root"
        self.plan = folder / "pmdperf"
        self.write("proc/sys/kernel/random/boot_id", "boot-1\n")
        self.write("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 8000000 kB\nHugepagesize: 2048 kB\n")
        self.write("proc/mounts", "nodev /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0\n")
        self.write("kernel", KERNEL).chmod(0o755)
        self.plans({0: 100})

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def node(self, number, free_mb=8000, **sizes):
        """sizes: kb2048=(total, used, limit)"""
        base = f"sys/devices/system/node/node{number}"
        self.write(f"{base}/meminfo", f"Node {number} MemTotal: {free_mb * 1024} kB\n"
                   f"Node {number} MemFree: {free_mb * 1024} kB\n")
        for name, (total, used, limit) in sizes.items():
            pool = f"{base}/hugepages/hugepages-{name[2:]}kB"
            for file, value in {"nr_hugepages": total, "old": total, "used": used, "limit": limit,
                                "free_hugepages": total - used}.items():
                self.write(f"{pool}/{file}", f"{value}\n")

    def count(self, node, kb=2048):
        pool = f"sys/devices/system/node/node{node}/hugepages/hugepages-{kb}kB/nr_hugepages"
        return int((self.root / pool).read_text())

    def plans(self, memory):
        text = "".join(f"  node {n} {mb:9} MB: 1 pages of 2048 kB, 0 free\\n" for n, mb in memory.items())
        self.plan.write_text(PLAN.format(memory=text, asked=self.folder / "asked"))
        self.plan.chmod(0o755)

    def run(self, *words, tools=None):
        path = f"{tools}:{os.environ['PATH']}" if tools else os.environ["PATH"]
        return subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=60, env={
            **os.environ, "PMDPERF_SYSROOT": str(self.root), "PMDPERF": str(self.plan), "PATH": path})


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_what_lacks_is_added_and_given_back(machine):
    machine.node(0, kb2048=(10, 4, 1000))
    done = machine.run("reserve", "--", "-a", "0000:00:05.0", "--", "--forward-mode=rxonly")
    assert done.returncode == 0, done.stderr
    # 100 MB are 50 pages and one more; 6 are free.
    assert machine.count(0) == 10 + 45
    asked = (machine.folder / "asked").read_text()
    assert asked == "-a 0000:00:05.0 -- --forward-mode=rxonly --plan\n"
    again = machine.run("reserve")
    assert "enough" in again.stdout
    assert machine.count(0) == 55
    assert machine.run("release").returncode == 0
    assert machine.count(0) == 10
    assert "nothing to give back" in machine.run("release").stdout
    assert machine.count(0) == 10


def test_what_others_add_and_take_meanwhile_is_theirs(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.run("reserve")
    pool = machine.root / "sys/devices/system/node/node0/hugepages/hugepages-2048kB"
    for name in ("nr_hugepages", "old"):
        (pool / name).write_text(f"{51 + 7}\n")
    machine.run("release")
    assert machine.count(0) == 7


def test_c1_who_holds_the_pages_is_said(machine):
    machine.node(0, kb2048=(1024, 1024, 1024))
    machine.write("proc/77/comm", "hog\n")
    machine.write("proc/77/smaps_rollup", "Shared_Hugetlb: 0 kB\nPrivate_Hugetlb: 2097152 kB\n")
    status = machine.run("status").stdout
    assert "held by process 77 hog 2048 MB" in status
    refused = machine.run("reserve")
    assert refused.returncode == 1
    assert "asked node 0 for 51 pages of 2 MB, got 0" in refused.stderr
    assert "1 GB" not in refused.stderr
    assert machine.count(0) == 1024


def test_c2_each_page_size_needs_a_mount_of_its_own(machine, tmp_path):
    machine.node(0, kb2048=(0, 0, 1000), kb1048576=(0, 0, 8))
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("mount", "umount"):
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{tmp_path}/mounts\n')
        (tools / name).chmod(0o755)
    assert "1 GB: not mounted" in machine.run("status").stdout
    done = machine.run("reserve", "--page-size", "1G", tools=tools)
    assert done.returncode == 0, done.stderr
    assert machine.count(0, 1048576) == 1
    where = f"{machine.root}/run/pmdperf/hugepages-1048576kB"
    assert (tmp_path / "mounts").read_text() == f"mount -t hugetlbfs -o pagesize=1048576K nodev {where}\n"
    machine.run("release", tools=tools)
    assert (tmp_path / "mounts").read_text().splitlines()[1] == f"umount {where}"
    machine.run("reserve", tools=tools)
    assert len((tmp_path / "mounts").read_text().splitlines()) == 2


def test_c3_files_of_dead_programs_only_are_removed(machine):
    mount = machine.root / "huge"
    machine.write("huge/deadmap_0", "x")
    machine.write("huge/livemap_0", "x")
    machine.write("huge/openmap_3", "x")
    machine.write("huge/database", "x")
    machine.write("proc/mounts", f"nodev {mount} hugetlbfs rw,pagesize=2M 0 0\n")
    machine.write("proc/77/maps", f"7f00-7f01 rw-s 0 00:0f 9 {mount}/livemap_0\n")
    (machine.root / "proc/78/fd").mkdir(parents=True)
    (machine.root / "proc/78/fd/3").symlink_to(mount / "openmap_3")
    machine.node(0, kb2048=(100, 0, 100))
    assert f"left by a dead program: {mount}/deadmap_0" in machine.run("status").stdout
    assert "removed 1 hugepage files" in machine.run("release").stdout
    assert sorted(p.name for p in mount.iterdir()) == ["database", "livemap_0", "openmap_3"]


def test_c4_a_node_that_is_not_there_is_named_and_no_pool_shrinks(machine):
    machine.node(0, kb2048=(9000, 8990, 20000))
    refused = machine.run("reserve", "--mem", "100,100")
    assert refused.returncode == 1
    assert "there is no node 1; nodes here: 0" in refused.stderr
    assert machine.count(0) == 9000


def test_c5_each_node_by_its_own_need_and_2_mb_if_1_gb_cannot_be(machine):
    machine.node(0, kb2048=(0, 0, 1000), kb1048576=(0, 0, 4))
    machine.node(1, kb2048=(0, 0, 1000), kb1048576=(0, 0, 0))
    machine.write("proc/mounts", "nodev /a hugetlbfs rw,pagesize=2M 0 0\nnodev /b hugetlbfs rw,pagesize=1G 0 0\n")
    machine.plans({0: 100, 1: 300})
    done = machine.run("reserve", "--page-size=1G")
    assert done.returncode == 0, done.stderr
    assert "kernel's command line" in done.stderr
    assert "Taking pages of 2 MB instead" in done.stderr
    assert (machine.count(0, 1048576), machine.count(1, 1048576)) == (0, 0)
    assert (machine.count(0), machine.count(1)) == (51, 151)
    machine.run("release")
    assert (machine.count(0), machine.count(1)) == (0, 0)


def test_c6_a_partial_grant_is_a_failure_and_is_given_back(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.node(1, kb2048=(2, 2, 30))
    machine.plans({0: 100, 1: 100})
    refused = machine.run("reserve")
    assert refused.returncode == 1
    assert "asked node 1 for 51 pages of 2 MB, got 28" in refused.stderr
    assert (machine.count(0), machine.count(1)) == (0, 2)
    assert "nothing to give back" in machine.run("release").stdout


def test_c7_need_and_free_stand_side_by_side(machine):
    machine.node(0, kb2048=(64, 10, 1000))
    machine.plans({0: 700})
    lines = machine.run("status").stdout.splitlines()
    assert lines[1].split() == ["0", "2", "MB", "64", "54", "0", "351"]
    # What the common guide's formula gives on 16 GiB.
    assert any("gives 8 pages" in line for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_more_than_the_node_can_spare_is_refused_before_the_kernel_is_asked(machine):
    machine.node(0, free_mb=1000, kb2048=(0, 0, 100000))
    refused = machine.run("reserve", "--mem=900")
    assert refused.returncode == 1
    assert "node 0 can spare only 744 MB" in refused.stderr
    assert machine.count(0) == 0


def test_after_a_reboot_nothing_is_ours(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.run("reserve")
    machine.write("proc/sys/kernel/random/boot_id", "boot-2\n")
    pool = machine.root / "sys/devices/system/node/node0/hugepages/hugepages-2048kB"
    for name in ("nr_hugepages", "old"):
        (pool / name).write_text("20\n")
    assert machine.run("status").stdout.splitlines()[1].split()[5] == "0"
    assert "nothing to give back" in machine.run("release").stdout
    assert machine.count(0) == 20


def test_a_dry_run_changes_nothing(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    done = machine.run("reserve", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "would write '51'" in done.stdout
    assert machine.count(0) == 0
    assert not (machine.root / "var").exists()
    machine.run("reserve")
    assert "would write '0'" in machine.run("release", "--dry-run").stdout
    assert machine.count(0) == 51


@pytest.mark.parametrize("words, text", [
    ([], "which command?"), (["grow"], "unknown command 'grow'"), (["status", "reserve"], "one command"),
    (["reserve", "--mem", "2G"], "--mem takes MB"), (["reserve", "--mem"], "--mem takes MB"),
    (["reserve", "--page-size", "4K"], "2M or 1G"), (["reserve", "--huge"], "unknown option"),
    (["reserve", "--"], "come after --"), (["release", "--mem=1"], "belong to reserve"),
    (["status", "--dry-run"], "belongs to"), (["reserve", "--mem=1", "--", "-l", "0"], "either"),
])
def test_wrong_usage_is_named(machine, words, text):
    machine.node(0, kb2048=(0, 0, 1000))
    done = machine.run(*words)
    assert done.returncode == 2
    assert text in done.stderr


def test_words_that_pmdperf_refuses_are_its_own_message(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.plan.write_text("#!/bin/sh\necho 'pmdperf: --rxq: too many' >&2\nexit 2\n")
    done = machine.run("reserve", "--", "--rxq=9999")
    assert done.returncode == 1
    assert "--rxq: too many" in done.stderr
    assert machine.count(0) == 0


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
@pytest.mark.skipif(not Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB").exists(),
                    reason="no 2 MB hugepages here")
def test_the_real_kernel_gives_and_takes():
    """In a mount namespace, for what is mounted, and with a state of its own."""
    pool = Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages")
    before = int(pool.read_text())
    script = f"""
mount -t tmpfs none /var/lib && mount -t tmpfs none /run || exit 9
free=$(cat {pool.parent}/free_hugepages)
{SCRIPT} reserve --mem $((free * 2 + 6)) || exit 8
cat {pool}
{SCRIPT} release || exit 7
"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(before + 4) in done.stdout.splitlines()
    assert int(pool.read_text()) == before

# SPDX-License-Identifier: BSD-3-Clause
"""hugepages.sh on a fake machine whose kernel grants what the test lets it, and on the real one."""

import fcntl
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "hugepages.sh"
KERNEL = """#!/bin/sh
# No more pages than the limit; those that are in use stay, as surplus. The file "kill" is the plug.
case $1 in
*/nr_hugepages)
	dir=${1%/*}
	limit=$(cat "$dir/limit") used=$(cat "$dir/used")
	new=$2
	[ "$new" -le "$limit" ] || new=$limit
	[ "$new" -ge "$used" ] && surplus=0 || surplus=$((used - new))
	echo $((new + surplus)) >"$dir/nr_hugepages"
	echo "$surplus" >"$dir/surplus_hugepages"
	echo $((new + surplus - used)) >"$dir/free_hugepages"
	[ ! -e "$0.kill" ] || kill -KILL $PPID
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
            for file, value in {"nr_hugepages": total, "used": used, "limit": limit,
                                "free_hugepages": total - used, "surplus_hugepages": 0}.items():
                self.write(f"{pool}/{file}", f"{value}\n")

    def set_pool(self, node, total):
        """As another program does."""
        pool = self.root / f"sys/devices/system/node/node{node}/hugepages/hugepages-2048kB"
        used = int((pool / "used").read_text())
        (pool / "nr_hugepages").write_text(f"{total}\n")
        (pool / "free_hugepages").write_text(f"{total - used}\n")

    def count(self, node, kb=2048):
        pool = f"sys/devices/system/node/node{node}/hugepages/hugepages-{kb}kB/nr_hugepages"
        return int((self.root / pool).read_text())

    def plans(self, memory):
        text = "".join(f"  node {n} {mb:9} MB: 1 pages of 2048 kB, 0 free\\n" for n, mb in memory.items())
        self.plan.write_text(PLAN.format(memory=text, asked=self.folder / "asked"))
        self.plan.chmod(0o755)

    def start(self, *words, tools=None, **environment):
        path = f"{tools}:{os.environ['PATH']}" if tools else os.environ["PATH"]
        environment = {**os.environ, "PMDPERF_SYSROOT": str(self.root), "PMDPERF": str(self.plan),
                       "PATH": path, **environment}
        return subprocess.Popen([SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment)

    def run(self, *words, **options):
        child = self.start(*words, **options)
        out, err = child.communicate(timeout=60)
        return subprocess.CompletedProcess(words, child.returncode, out, err)

    def mount_tools(self):
        """mount and umount that change the list of mounts, and say so in ROOT/mounted."""
        tools = self.folder / "tools"
        tools.mkdir()
        mounts = self.root / "proc/mounts"
        (tools / "mount").write_text(
            f'#!/bin/sh\necho "mount $*" >>{self.folder}/mounted\n'
            f'echo "nodev $6 hugetlbfs rw,$4 0 0" >>{mounts}\n')
        (tools / "umount").write_text(
            f'#!/bin/sh\necho "umount $*" >>{self.folder}/mounted\n'
            f'grep -v " $1 " {mounts} >{mounts}.new\nmv {mounts}.new {mounts}\n')
        for name in ("mount", "umount"):
            (tools / name).chmod(0o755)
        return tools

    def mounted(self):
        return (self.folder / "mounted").read_text().splitlines()


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
    machine.set_pool(0, 51 + 7)
    machine.run("release")
    assert machine.count(0) == 7


def test_c1_who_holds_the_pages_is_said(machine):
    machine.node(0, kb2048=(1024, 1024, 1024))
    machine.write("proc/77/status", "Name:\thog\nPid:\t77\nHugetlbPages:\t 2097152 kB\n")
    for pid in range(80, 90):
        machine.write(f"proc/{pid}/status", f"Name:\tsmall\nPid:\t{pid}\nHugetlbPages:\t 2048 kB\n")
    machine.write("proc/99/status", "Name:\tnone\nPid:\t99\nHugetlbPages:\t 0 kB\n")
    status = machine.run("status").stdout
    assert "held by process 77 hog 2048 MB" in status
    assert "and by 6 more processes" in status
    assert "none" not in status
    assert len(status.splitlines()) <= 24
    refused = machine.run("reserve")
    assert refused.returncode == 1
    assert "asked node 0 for 51 pages of 2 MB, got 0" in refused.stderr
    assert "1 GB" not in refused.stderr
    assert machine.count(0) == 1024


def test_c2_each_page_size_needs_a_mount_of_its_own(machine):
    machine.node(0, kb2048=(0, 0, 1000), kb1048576=(0, 0, 8))
    tools = machine.mount_tools()
    assert "1 GB: not mounted" in machine.run("status").stdout
    done = machine.run("reserve", "--page-size", "1G", tools=tools)
    assert done.returncode == 0, done.stderr
    assert machine.count(0, 1048576) == 1
    where = f"{machine.root}/run/pmdperf/hugepages-1048576kB"
    assert machine.mounted() == [f"mount -t hugetlbfs -o pagesize=1048576K nodev {where}"]
    assert f"1 GB: {where}" in machine.run("status").stdout
    machine.run("reserve", tools=tools)
    assert machine.run("release", tools=tools).returncode == 0
    assert machine.mounted()[1:] == [f"umount {where}"]
    assert not os.path.exists(where)
    assert not (machine.root / "var/lib/pmdperf/hugepages").exists()


def test_c2_a_mount_in_which_somebody_has_files_stays_until_it_is_empty(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.write("proc/mounts", "")
    tools = machine.mount_tools()
    machine.run("reserve", tools=tools)
    other = machine.root / "dev/hugepages/database"
    other.write_text("x")
    refused = machine.run("release", tools=tools)
    assert refused.returncode == 1
    assert "still in use and stays mounted" in refused.stderr
    assert machine.count(0) == 0
    other.unlink()
    assert machine.run("release", tools=tools).returncode == 0
    assert len(machine.mounted()) == 2


def test_a_mount_that_fails_is_said_and_the_pages_are_there(machine, tmp_path):
    machine.node(0, kb2048=(0, 0, 1000))
    machine.write("proc/mounts", "")
    tools = machine.mount_tools()
    (tools / "mount").write_text("#!/bin/sh\necho denied >&2\nexit 32\n")
    done = machine.run("reserve", tools=tools)
    assert done.returncode == 0
    assert "could not be mounted" in done.stderr
    assert machine.run("release", tools=tools).returncode == 0
    assert machine.count(0) == 0


def map_line(path, name):
    """A line of /proc/PID/maps of a process that has the file mapped under some name."""
    info = path.stat()
    return (f"7f00-7f01 rw-s 00000000 {os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x} "
            f"{info.st_ino}                 {name}\n")


def test_c3_files_of_dead_programs_only_are_removed(machine):
    mount = machine.root / "huge"
    names = ("deadmap_0", "deadmap_1", "livemap_0", "openmap_3", "innermap_0", "startmap_0",
             "database", "bitmap_2.old", "map_1")
    for name in names:
        machine.write(f"huge/{name}", "x")
    machine.write("proc/mounts", f"nodev {mount} hugetlbfs rw,pagesize=2M 0 0\n")
    live = map_line(mount / "livemap_0", mount / "livemap_0")
    machine.write("proc/77/maps", "7f00-7f01 r--p 00000000 00:00 0 \n" + live)
    # In a container the file has another name.
    machine.write("proc/79/maps", map_line(mount / "innermap_0", "/mnt/inner/innermap_0"))
    (machine.root / "proc/78/fd").mkdir(parents=True)
    (machine.root / "proc/78/fd/3").symlink_to(mount / "openmap_3")
    # Its files are not mapped yet, but it runs.
    config = machine.write("var/run/dpdk/start/config", "")
    machine.write("var/run/dpdk/dead/config", "")
    (machine.root / "proc/78/fd/4").symlink_to(config)
    machine.node(0, kb2048=(100, 0, 100))
    status = machine.run("status").stdout
    assert f"left by dead programs: 2 files in {mount}" in status
    assert "removed" not in machine.run("release", "--dry-run").stdout
    assert len(list(mount.iterdir())) == len(names)
    assert "removed 2 hugepage files" in machine.run("release").stdout
    assert sorted(p.name for p in mount.iterdir()) == sorted(names[2:])


def test_c3_a_file_that_dpdk_has_locked_is_not_removed(machine):
    mount = machine.root / "huge"
    for name in ("amap_0", "bmap_0"):
        machine.write(f"huge/{name}", "x")
    machine.write("proc/mounts", f"nodev {mount} hugetlbfs rw,pagesize=2M 0 0\n")
    machine.node(0, kb2048=(100, 0, 100))
    with open(mount / "amap_0", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert "removed 1 hugepage files" in machine.run("reserve").stdout
    assert [p.name for p in mount.iterdir()] == ["amap_0"]


def test_c4_a_node_that_is_not_there_is_named_and_no_pool_shrinks(machine):
    machine.node(0, kb2048=(9000, 8990, 20000))
    refused = machine.run("reserve", "--mem", "100,100")
    assert refused.returncode == 1
    assert "there is no node 1; nodes here: 0" in refused.stderr
    assert machine.count(0) == 9000


def test_c4_a_pool_that_somebody_made_smaller_is_left_alone(machine):
    machine.node(0, kb2048=(10, 0, 1000))
    machine.run("reserve", "--mem=200")
    assert machine.count(0) == 101
    machine.set_pool(0, 40)
    done = machine.run("release")
    assert "somebody set the pool to 40" in done.stderr
    assert machine.count(0) == 40
    machine.run("release")
    assert machine.count(0) == 40


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
    machine.set_pool(0, 20)
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
    (["release", "--page-size=2M"], "belong to reserve"), (["status", "--mem=1"], "belongs to reserve"),
    (["release", "--", "-l", "0"], "belong to reserve"), (["reserve", "--mem=0,0"], "no memory at all"),
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


def test_words_are_passed_as_they_are(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    assert machine.run("reserve", "--", "--forward-mode=rxonly", "--rxq=4").returncode == 0
    assert (machine.folder / "asked").read_text() == "--forward-mode=rxonly --rxq=4 --plan\n"


def test_numbers_are_decimal(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    assert machine.run("reserve", "--mem=0100").returncode == 0
    assert machine.count(0) == 51


@pytest.mark.parametrize("mb, pages", [(1022, 1), (1023, 2), (1024, 2), (2046, 2), (2047, 3)])
def test_pages_of_1_gb_have_room_for_gaps(machine, mb, pages):
    """pmdperf counts 2 MB more on each node: it would refuse what has no room for them."""
    machine.node(0, free_mb=16000, kb2048=(0, 0, 1000), kb1048576=(0, 0, 8))
    machine.write("proc/mounts", "nodev /b hugetlbfs rw,pagesize=1G 0 0\n")
    assert machine.run("reserve", "--page-size=1G", f"--mem={mb}").returncode == 0
    assert machine.count(0, 1048576) == pages


def test_status_says_why_the_need_is_not_known(machine):
    machine.node(0, kb2048=(64, 0, 1000))
    machine.plan.unlink()
    done = machine.run("status")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].split()[-1] == "?"
    assert "needed: not known:" in done.stdout
    refused = machine.run("reserve")
    assert refused.returncode == 1
    assert "is not built" in refused.stderr


def test_what_cannot_be_remembered_is_not_added(machine):
    machine.node(0, kb2048=(3, 0, 1000))
    machine.write("var/lib/pmdperf", "in the way")
    refused = machine.run("reserve")
    assert refused.returncode == 1
    assert "could not be remembered" in refused.stderr
    assert machine.count(0) == 3


def test_of_several_at_a_time_one_adds(machine):
    machine.node(0, kb2048=(0, 0, 1000))
    children = [machine.start("reserve") for _ in range(4)]
    for child in children:
        assert child.wait(timeout=60) == 0
        child.communicate()
    assert machine.count(0) == 51
    machine.run("release")
    assert machine.count(0) == 0


def kill_at_each_step(machine, *words, **options):
    """Yields after a run that was killed before its first, second, ... change; ends with the last."""
    for step in range(1, 20):
        done = machine.run(*words, PMDPERF_KILL_AT=str(step), **options)
        if done.returncode == 0:
            assert step > 2
            return
        assert done.returncode == -signal.SIGKILL
        yield
    assert False, "it never ended"


def two_nodes(machine):
    machine.node(0, kb2048=(5, 2, 1000))
    machine.node(1, kb2048=(7, 0, 1000))
    machine.write("proc/mounts", "")
    machine.plans({0: 100, 1: 300})


def test_killed_at_each_step_of_reserve_all_is_given_back(machine):
    two_nodes(machine)
    tools = machine.mount_tools()
    for _ in kill_at_each_step(machine, "reserve", tools=tools):
        assert machine.run("release", tools=tools).returncode == 0
        assert (machine.count(0), machine.count(1)) == (5, 7)
        assert (machine.root / "proc/mounts").read_text() == ""
    assert (machine.count(0), machine.count(1)) == (53, 151)


def test_killed_at_each_step_of_release_a_second_gives_back_the_rest(machine):
    two_nodes(machine)
    tools = machine.mount_tools()
    assert machine.run("reserve", tools=tools).returncode == 0
    for _ in kill_at_each_step(machine, "release", tools=tools):
        assert machine.run("release", tools=tools).returncode == 0
        assert (machine.count(0), machine.count(1)) == (5, 7)
        assert (machine.root / "proc/mounts").read_text() == ""
        assert machine.run("reserve", tools=tools).returncode == 0
    assert (machine.count(0), machine.count(1)) == (5, 7)


@pytest.mark.parametrize("killed", ["reserve", "release"])
def test_killed_right_after_the_kernel_changed_the_pool(machine, killed):
    """Neither are pages lost, nor others' taken."""
    machine.node(0, kb2048=(60, 60, 1000))
    kill = machine.root / "kernel.kill"
    if killed == "release":
        machine.run("reserve")
    kill.write_text("")
    assert machine.run(killed).returncode == -signal.SIGKILL
    kill.unlink()
    assert machine.count(0) == (111 if killed == "reserve" else 60)
    assert machine.run("release").returncode == 0
    assert machine.count(0) == 60
    assert "nothing to give back" in machine.run("release").stdout
    assert machine.count(0) == 60


def test_pages_in_use_are_given_back_when_their_program_ends(machine):
    machine.node(0, kb2048=(10, 0, 1000))
    machine.run("reserve")
    pool = machine.root / "sys/devices/system/node/node0/hugepages/hugepages-2048kB"
    (pool / "used").write_text("40\n")
    (pool / "free_hugepages").write_text("11\n")
    done = machine.run("release")
    assert done.returncode == 0
    assert "30 pages are in use and go when their program ends" in done.stdout
    # 10 of the pool's own and 30 that leave: what is added now is counted from the 10.
    machine.run("reserve")
    machine.run("release")
    assert int((pool / "nr_hugepages").read_text()) - int((pool / "surplus_hugepages").read_text()) == 10


NODE0 = Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB")
real_kernel = pytest.mark.skipif(os.getuid() != 0 or not NODE0.exists(),
                                 reason="needs root and 2 MB hugepages")
# A program that maps the file, or pages without one, and says when it has them.
HOLDER = """
import ctypes, mmap, sys
path, size = sys.argv[1], int(sys.argv[2]) << 20
if path:
    file = open(path, "r+b")
    pages = mmap.mmap(file.fileno(), size)
    file.close()
else:
    pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
for at in range(0, size, 2 << 20):
    pages[at] = 1
print("here", flush=True)
sys.stdin.read()
"""


class RealKernel:
    """The machine's own /sys and /proc, in a mount namespace without hugetlbfs, and a state apart."""

    def __init__(self, folder):
        self.root = folder / "root"
        self.root.mkdir()
        for name in ("sys", "proc"):
            (self.root / name).symlink_to(f"/{name}")
        self.holder = folder / "holder.py"
        self.holder.write_text(HOLDER)
        self.added = 0
        self.shell = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "bash"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PMDPERF_SYSROOT": str(self.root)})
        self.sh("umount -a -t hugetlbfs")

    @staticmethod
    def size():
        nr, surplus = (int((NODE0 / f"{name}_hugepages").read_text()) for name in ("nr", "surplus"))
        return nr - surplus

    @staticmethod
    def free():
        return int((NODE0 / "free_hugepages").read_text())

    def sh(self, text):
        """Runs the text in the namespace. Returns status and output."""
        self.shell.stdin.write(f"{{ {text}; }} </dev/null; s=$?; echo; echo done $s\n")
        self.shell.stdin.flush()
        lines = []
        for line in self.shell.stdout:
            if line.startswith("done "):
                return int(line.split()[1]), "".join(lines)
            lines.append(line)
        raise AssertionError("the shell ended: " + "".join(lines))

    def reserve(self, pages):
        """Adds so many pages, or a few more or less if somebody else takes or frees some just now."""
        for _ in range(10):
            before = self.size()
            # 2 MB are for the gaps.
            status, text = self.sh(f"{SCRIPT} reserve --mem {(self.free() + pages) * 2 - 2}")
            assert status == 0, text
            got = re.search(r"(\d+) pages of 2 MB asked, (\d+) got", text)
            if got:
                self.added = int(got[1])
                assert self.size() == before + self.added
                return
        raise AssertionError(text)

    def release(self, expected=0):
        before = self.size()
        status, text = self.sh(f"{SCRIPT} release")
        assert status == expected, text
        assert self.size() == before - self.added
        self.added = 0
        return text

    def hold(self, path, mb, mount=""):
        """Starts a program that holds pages, in a namespace below ours where it may mount first."""
        hold = f"exec /usr/bin/python3 {self.holder} '{path}' {mb}"
        child = subprocess.Popen(
            ["nsenter", "-t", str(self.shell.pid), "-m", "unshare", "-m", "sh", "-c", f"{mount} {hold}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "here\n"
        return child

    def close(self):
        self.sh(f"{SCRIPT} release")
        self.shell.stdin.close()
        self.shell.wait(timeout=30)
        self.shell.stdout.close()
        assert not (self.root / "var/lib/pmdperf/hugepages").exists()


@pytest.fixture
def kernel(tmp_path):
    kernel = RealKernel(tmp_path)
    yield kernel
    kernel.close()


def end(child):
    child.stdin.close()
    child.wait(timeout=30)
    child.stdout.close()


@real_kernel
def test_c2_the_real_kernel_gives_mounts_and_takes(kernel):
    kernel.reserve(4)
    where = kernel.root / "dev/hugepages"
    assert f" {where} hugetlbfs " in kernel.sh("cat /proc/self/mounts")[1]
    assert f"2 MB: {where}" in kernel.sh(f"{SCRIPT} status")[1]
    kernel.release()
    assert "hugetlbfs" not in kernel.sh("cat /proc/self/mounts")[1]
    assert not where.exists()


@real_kernel
def test_c1_a_program_that_holds_real_pages(kernel):
    kernel.reserve(8)
    hog = kernel.hold("", 4)
    try:
        assert f"held by process {hog.pid} python3 4 MB" in kernel.sh(f"{SCRIPT} status")[1]
    finally:
        end(hog)
    kernel.release()


@real_kernel
def test_c3_a_program_in_a_container_keeps_its_real_files(kernel):
    kernel.reserve(4)
    where = kernel.root / "dev/hugepages"
    inside = kernel.root / "inside"
    inside.mkdir()
    kernel.sh(f"truncate -s 2M {where}/livemap_0 {where}/deadmap_0 {where}/deadmap_1")
    end(kernel.hold(f"{where}/deadmap_0", 2))
    live = kernel.hold(f"{inside}/livemap_0", 2,
                       mount=f"mount --bind {where} {inside} && umount {where} &&")
    try:
        assert "left by dead programs: 2 files" in kernel.sh(f"{SCRIPT} status")[1]
        text = kernel.release(expected=1)
        assert "removed 2 hugepage files" in text
        assert "still in use and stays mounted" in text
        assert kernel.sh(f"ls {where}")[1].split() == ["livemap_0"]
    finally:
        end(live)
    assert "removed 1 hugepage files" in kernel.release()

# SPDX-License-Identifier: BSD-3-Clause
"""Taking a NIC and giving it back: the whole way, what goes wrong on it, and what is shown."""

import os
import re
import shutil
import subprocess

import pytest

from fake_system import REPOSITORY, FakeSystem

NIC = "0000:00:05.0"
LAST_LINE = "If all else fails, reboot from the cloud's console: the NIC comes back."
COMPLETE = re.compile(r"^  - ", re.M)


@pytest.fixture
def system(tmp_path):
    """eth1 with an address and a route, and eth10 that is nobody's business."""
    system = FakeSystem(tmp_path, netns=True)
    system.add_pci(NIC, ifname="eth1", group=7, peer_addresses=["198.18.0.1/24"])
    system.add_pci("0000:00:06.0", ifname="eth10", group=8)
    for words in (
        "address add 198.18.0.2/24 dev eth1", "link set eth1 up mtu 1400",
        "route add 203.0.113.0/24 via 198.18.0.1",
        "address add 198.19.0.2/24 dev eth10", "link set eth10 up",
        "route add default via 198.19.0.1",
    ):
        system.ip(*words.split())
    yield system
    system.close()


def network(system):
    """What a user sees of the network, without numbers that count up."""
    text = (system.ip("-o", "address") + system.ip("route", "show", "table", "all")
            + system.ip("-o", "link"))
    text = re.sub(r"^\d+: |@if\d+|link-netns \S+|valid_lft.*", "", text, flags=re.M)
    # IPv6 needs a second for duplicate detection and the like: it is not what is tested here.
    return sorted(line for line in text.splitlines()
                  if "inet6" not in line and "fe80" not in line and "ff00" not in line)


def state(system):
    return [path.name for path in system.root.glob("var/lib/pmdperf/nic/*:*")]


def kernel_has_it(system):
    override = (system.device(NIC) / "driver_override").read_text().strip()
    return system.driver(NIC) == "virtio-pci" and override == "(null)"


# -- the way there and back --


def test_bind_and_restore_leave_no_difference(system):
    before = network(system)
    result = system.run("nic.sh", "bind", NIC)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
    assert system.driver(NIC) == "vfio-pci"
    assert result.stdout.splitlines()[-1] == LAST_LINE
    assert f"pmdperf -a {NIC}" in result.stdout and "restore" in result.stdout
    assert "eth1@" not in system.ip("-o", "link")
    result = system.run("nic.sh", "restore")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
    assert kernel_has_it(system) and state(system) == []
    assert network(system) == before


def test_a2_the_nic_is_shown_before_anything_is_done(system):
    system.add_pci("0000:00:02.0", ifname="eth5", group=9)
    result = system.run("nic.sh", "bind", "eth1")
    head = result.stdout[:COMPLETE.search(result.stdout).start()]
    mac = system.facts()["devices"][NIC]["mac"]
    for fact in (NIC, mac, "198.18.0.2/24", "virtio-pci", "eth1"):
        assert fact in head
    assert system.driver("0000:00:02.0") == system.driver("0000:00:06.0") == "virtio-pci"


@pytest.mark.parametrize("words", [[], ["all"], ["*"], ["eth1", "eth10"], [NIC, "0000:00:06.0"]])
def test_a2_no_nic_is_taken_by_default(system, words):
    result = system.run("nic.sh", "bind", *words)
    assert result.returncode == 2
    assert system.writes() == []


def test_restoring_twice_is_fine(system):
    system.run("nic.sh", "bind", NIC)
    assert system.run("nic.sh", "restore", NIC).returncode == 0
    before = network(system), len(system.writes())
    result = system.run("nic.sh", "restore", NIC)
    assert result.returncode == 0 and "nothing to restore" in result.stdout
    assert (network(system), len(system.writes())) == before
    assert system.run("nic.sh", "restore").returncode == 0


def test_a_nic_is_not_taken_twice(system):
    system.run("nic.sh", "bind", NIC)
    writes = system.writes()
    result = system.run("nic.sh", "bind", NIC)
    assert "already" in result.stdout + result.stderr and "restore" in result.stdout + result.stderr
    assert system.writes() == writes and system.driver(NIC) == "vfio-pci"


def test_which_of_two_nics_is_to_be_given_back_is_asked(system):
    system.ip("route", "delete", "default")
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    assert system.run("nic.sh", "bind", "eth10").returncode == 0
    result = system.run("nic.sh", "restore")
    assert result.returncode == 2
    assert NIC in result.stderr and "0000:00:06.0" in result.stderr
    for name in ("eth1", "eth10"):
        assert system.run("nic.sh", "restore", name).returncode == 0


def test_one_that_was_bound_by_hand_is_not_touched(system):
    system.add_pci("0000:00:07.0", ifname="eth7", group=9, at="vfio-pci")
    result = system.run("nic.sh", "restore", "0000:00:07.0")
    assert result.returncode == 1
    assert "drivers_probe" in result.stderr, "the way to do it by hand"
    assert system.driver("0000:00:07.0") == "vfio-pci"


# -- what goes wrong --


@pytest.mark.parametrize("manner", ["error", "silently"])
def test_a5_a_bind_that_fails_gives_the_old_driver_back(system, manner):
    system.set(refuse={"vfio-pci": manner})
    before = network(system)
    result = system.run("nic.sh", "bind", NIC)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and "vfio-pci" in result.stderr
    assert kernel_has_it(system) and state(system) == []
    assert network(system) == before
    assert LAST_LINE not in result.stdout


def test_a5_without_an_iommu_vfio_is_not_even_tried(tmp_path):
    system = FakeSystem(tmp_path)
    system.add_pci(NIC, ifname="eth1", irq=0)
    result = system.run("nic.sh", "bind", NIC)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and "IOMMU" in result.stderr
    assert system.writes() == [] and system.driver(NIC) == "virtio-pci"


def count_steps(system, *words):
    result = system.run("nic.sh", *words)
    assert result.returncode == 0, result.stdout + result.stderr
    return len(COMPLETE.findall(result.stdout))


def test_killed_at_any_step_of_bind_restore_puts_it_right(system):
    before = network(system)
    steps = count_steps(system, "bind", NIC)
    assert system.run("nic.sh", "restore").returncode == 0
    assert steps > 3
    for number in range(1, steps + 1):
        result = system.run("nic.sh", "bind", NIC, PMDPERF_KILL_AT=str(number))
        assert result.returncode == -9
        result = system.run("nic.sh", "restore", NIC)
        assert result.returncode == 0, (number, result.stdout + result.stderr)
        assert kernel_has_it(system) and state(system) == [], number
        assert network(system) == before, number


def test_killed_at_any_step_of_restore_a_second_one_puts_it_right(system):
    before = network(system)
    system.run("nic.sh", "bind", NIC)
    steps = count_steps(system, "restore")
    assert steps > 3
    for number in range(1, steps + 1):
        assert system.run("nic.sh", "bind", NIC).returncode == 0
        result = system.run("nic.sh", "restore", NIC, PMDPERF_KILL_AT=str(number))
        assert result.returncode == -9
        result = system.run("nic.sh", "restore", NIC)
        assert result.returncode == 0, (number, result.stdout + result.stderr)
        assert kernel_has_it(system) and state(system) == [], number
        assert network(system) == before, number


def test_after_a_reboot_what_was_saved_is_dropped(system):
    system.run("nic.sh", "bind", NIC)
    system.reboot()
    assert kernel_has_it(system)
    result = system.run("nic.sh", "restore")
    assert result.returncode == 0
    assert "reboot" in result.stdout
    assert state(system) == []
    assert "198.18.0.2" not in system.ip("address"), "the boot's configuration is another's business"


def test_a_terminated_bind_gives_the_nic_back(system):
    """The signal comes at the worst moment: between the two drivers."""
    before = network(system)
    system.fake_tool("renamed", "exit 0")
    kernel = (system.root / "kernel").read_text()
    (system.root / "kernel").write_text(kernel.replace("exec ", """
case "$1 $2" in *override*vfio-pci) kill -TERM $PPID ;; esac
exec """, 1))
    result = system.run("nic.sh", "bind", NIC)
    (system.root / "kernel").write_text(kernel)
    assert result.returncode == 143
    assert kernel_has_it(system) and state(system) == [], result.stdout + result.stderr
    assert network(system) == before


# -- programs that have the device open --


@pytest.fixture
def taken(system):
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    return system


def holder(system, name, script="exec sleep 600"):
    """A real process of that name, seen in the fake tree as having the device open."""
    folder = system.root / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / name
    shutil.copy("/bin/sleep", program)
    child = subprocess.Popen([program, "600"])
    system.add_process(child.pid, name, [str(program), "600"], fds=["/dev/vfio/7"])
    return child


def forget_when_dead(system, child):
    """The fake tree's kernel: the process leaves procfs when it ends."""
    pid = child.pid
    subprocess.Popen(["bash", "-c", f"while kill -0 {pid} 2>/dev/null; do sleep 0.05; done; "
                      f"rm -rf {system.root}/proc/{pid}"])


def test_a_pmdperf_that_holds_it_is_ended(taken):
    child = holder(taken, "pmdperf")
    try:
        forget_when_dead(taken, child)
        restore = taken.start("nic.sh", "restore")
        assert child.wait(timeout=60) == -15
        out, err = restore.communicate(timeout=60)
        assert restore.returncode == 0, out + err
        assert kernel_has_it(taken)
    finally:
        child.kill()
        child.wait()


def test_another_program_that_holds_it_is_named_and_left_alone(taken):
    child = holder(taken, "testpmd")
    try:
        result = taken.run("nic.sh", "restore")
        assert result.returncode == 1
        assert str(child.pid) in result.stderr and "testpmd" in result.stderr
        assert child.poll() is None
        assert taken.driver(NIC) == "vfio-pci"
        assert "unbind" not in "".join(taken.writes()[-1:])
        assert state(taken) == [NIC], "for another try"
    finally:
        child.kill()
        child.wait()
    shutil.rmtree(taken.root / "proc" / str(child.pid))
    assert taken.run("nic.sh", "restore").returncode == 0


# -- two at once --


def test_two_at_once_are_told_of_each_other(system):
    fifo = system.root / "wait"
    os.mkfifo(fifo)
    kernel = (system.root / "kernel").read_text()
    (system.root / "kernel").write_text(kernel.replace("exec ", f"read -r x <{fifo}\nexec ", 1))
    first = system.start("nic.sh", "bind", NIC)
    with fifo.open("w"):  # opens when the first is in the kernel
        (system.root / "kernel").write_text(kernel)
        result = system.run("nic.sh", "bind", "0000:00:06.0")
    out, err = first.communicate(timeout=60)
    assert first.returncode == 0, out + err
    assert result.returncode == 1
    # The namespace's ip executes the script, so the process is the one that was started.
    assert str(first.pid) in result.stderr
    assert system.run("nic.sh", "restore").returncode == 0


def test_a_lock_of_a_dead_script_is_no_lock(system):
    result = system.run("nic.sh", "bind", NIC, PMDPERF_KILL_AT="2")
    assert result.returncode == -9
    assert system.run("nic.sh", "restore").returncode == 0


# -- dry runs and words --


@pytest.mark.parametrize("words", [["bind", NIC], ["bind", NIC, "--driver", "uio_pci_generic"],
                                   ["bind", NIC, "--max-bound", "30m", "--idle=90s"]])
def test_a_dry_run_changes_nothing(system, words):
    before, net = system.snapshot(), network(system)
    result = system.run("nic.sh", *words, "--dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    for word in ("driver_override", "unbind", "drivers_probe", "eth1", "save"):
        assert word in result.stdout
    assert system.snapshot() == before
    assert network(system) == net


def test_a_dry_run_knows_which_modules_there_are(system):
    system.set(modules={"uio": [], "uio_pci_generic": ["uio_pci_generic"]})
    result = system.run("nic.sh", "bind", NIC, "--dry-run")
    assert result.returncode == 0, result.stderr
    assert "bind 0000:00:05.0 to uio_pci_generic" in result.stdout


def test_a_daemon_started_at_restore_does_not_keep_the_lock(system):
    """A DHCP client that comes back with the NIC runs on; the next nic.sh must not wait for it."""
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    meta = next(system.root.glob("var/lib/pmdperf/nic/*:*/meta"))
    meta.write_text(meta.read_text().replace("owner=none", "owner=dhcp-client"))
    pid_file = system.root / "client.pid"
    client = system.root.parent / "dhclient"
    client.write_text(f"#!/bin/bash\necho $$ >{pid_file}\nexec sleep 600\n")
    client.chmod(0o755)
    (meta.parent / "dhcp-client").write_bytes(bytes(client) + b"\0eth1\0")
    try:
        system.run("nic.sh", "restore")
        assert os.path.exists(f"/proc/{pid_file.read_text().strip()}")
        result = system.run("nic.sh", "restore")
        assert "another nic.sh" not in result.stderr
    finally:
        os.kill(int(pid_file.read_text()), 9)


def test_a_dry_run_of_restore_changes_nothing(system):
    system.run("nic.sh", "bind", NIC)
    before, net = system.snapshot(), network(system)
    result = system.run("nic.sh", "restore", "--dry-run")
    assert result.returncode == 0, result.stderr
    for word in ("driver_override", "unbind", "drivers_probe"):
        assert word in result.stdout
    assert system.snapshot() == before
    assert network(system) == net


@pytest.mark.parametrize("words, message", [
    ([], "command"), (["bond", NIC], "bond"), (["bind", NIC, "--drivr", "x"], "--drivr"),
    (["bind", NIC, "--driver"], "--driver"), (["bind", NIC, "--driver", "e1000"], "e1000"),
    (["bind", NIC, "--max-bound", "59"], "--max-bound"), (["bind", NIC, "--max-bound", "25h"], "25h"),
    (["bind", NIC, "--max-bound", "soon"], "soon"), (["bind", NIC, "--idle", "30s"], "--idle"),
    (["bind", NIC, "--detached"], "--console"), (["restore", "--console"], "bind"),
    (["status", "--dry-run"], "--dry-run"), (["confirm", "--dry-run"], "--dry-run"),
    (["restore", "eth7"], "eth7"), (["bind", NIC, "--max-bound="], "--max-bound"),
])
def test_wrong_words_are_refused(system, words, message):
    before = system.snapshot("run")
    result = system.run("nic.sh", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert system.snapshot("run") == before


@pytest.mark.parametrize("words", [["--help"], ["bind", "-h"]])
def test_help_is_the_head_of_the_script(system, words):
    result = system.run("nic.sh", *words)
    assert result.returncode == 0
    for option in ("--driver", "--console", "--detached", "--max-bound", "--dry-run", "confirm"):
        assert option in result.stdout
    assert "shellcheck" not in result.stdout


# -- status --


def test_status_shows_each_nic_in_80_columns(system):
    result = system.run("nic.sh", "status")
    assert (result.returncode, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    for fact in (NIC, "eth1", "virtio-pci", "198.18.0.2/24", "0000:00:06.0", "default route"):
        assert fact in result.stdout
    assert result.stdout.count("default route") == 1


def test_status_of_one_nic_shows_that_one(system):
    result = system.run("nic.sh", "status", "eth1")
    assert result.returncode == 0
    assert NIC in result.stdout and "0000:00:06.0" not in result.stdout


def test_status_shows_what_was_taken(taken):
    result = taken.run("nic.sh", "status")
    assert "vfio-pci" in result.stdout
    assert re.search(r"taken|bound", result.stdout)
    assert "eth1" in result.stdout, "the name it had"


WC_NEW = "PAT: [mem 0x0000000800000000-0x0000000800004000] {}\n"
WC_OLD = "PAT memtype list:\n{} @ 0x800000000-0x800004000\n"
OTHER = "PAT: [mem 0x00000000fed00000-0x00000000fed01000] write-combining\n"


@pytest.mark.parametrize("table, answer", [
    (WC_NEW.format("write-combining"), "yes"), (WC_OLD.format("write-combining"), "yes"),
    (WC_NEW.format("uncached-minus"), "no"), (WC_OLD.format("uncached-minus") + OTHER, "no"),
    (OTHER, "unknown"), (None, "unknown"),
])
def test_b2_write_combining_is_read_from_the_mapping(taken, table, answer):
    if table:
        folder = taken.sys / "kernel/debug/x86"
        folder.mkdir(parents=True)
        (folder / "pat_memtype_list").write_text(table)
    result = taken.run("nic.sh", "status")
    assert f"write-combining: {answer}" in result.stdout


def test_b6_the_limit_of_locked_memory_is_shown_in_kib(taken):
    result = subprocess.run(
        taken.words("bash", "-c", 'ulimit -l 64 && exec "$@"', "-",
                    *taken.run_words("nic.sh", "status")),
        env=taken.environment(), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "64 KiB" in result.stdout
    assert "131072 KiB" in result.stdout, "64 hugepages of 2 MB may be mapped"


@pytest.mark.parametrize("limit, shown", [
    ("unlimited", "unlimited"), ("131072", "131072 KiB"),
    ("131071", "131071 KiB: too little for 131072 KiB of hugepages"),
])
def test_b6_a_limit_that_suffices_is_no_complaint(system, limit, shown):
    result = system.shell(f"ulimit() {{ echo {limit}; }}\nmemlock_text", "nic/status")
    assert result.stdout.startswith(shown)
    assert ("too little" in result.stdout) == ("too little" in shown)


# -- little tools --

PROMISED = ("bash sh awk basename cat chmod cmp cp cut date dirname env grep head id ip kill ln ls "
            "mkdir mktemp mv readlink rm rmdir sed seq setsid sleep sort stat sync tail touch tr "
            "uname uniq wc python3")


def test_b3_without_lspci_and_other_luxury(system):
    """python3 is for the test's own kernel and tools: the scripts find none."""
    tools = system.root.parent / "few"
    tools.mkdir()
    for name in PROMISED.split():
        found = shutil.which(name)
        if name not in ("ip", "python3") and found:
            (tools / name).symlink_to(found)
    for name in ("ip", "modprobe", "modinfo", "insmod", "renamed"):
        (tools / name).symlink_to(system.tools / name)
    before = network(system)
    for words in (["bind", NIC], ["status"], ["restore"]):
        result = subprocess.run(
            [shutil.which("ip"), "netns", "exec", system.netns, "/bin/bash",
             str(REPOSITORY / "scripts/nic.sh"), *words],
            env={"PATH": str(tools), "PMDPERF_SYSROOT": str(system.root)},
            capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "not found" not in result.stderr and "No such file" not in result.stderr
    assert network(system) == before

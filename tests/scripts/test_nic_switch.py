# SPDX-License-Identifier: BSD-3-Clause
"""The dead man's switch: whatever becomes of the shell, of pmdperf and of the switch itself."""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fake_system import REPOSITORY, FakeSystem

NIC = "0000:00:05.0"
BIND = ["bind", NIC, "--max-bound", "10m", "--idle", "5m"]
LIMIT_S = 30
UPTIME = 1000  # the fake machine's
NOBODY = 4194305  # beyond the largest pid


def wait_for(condition, what, limit=LIMIT_S):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"not within {limit} s: {what}"
        time.sleep(0.05)


class Machine(FakeSystem):
    """A machine whose time passes when a test says so."""

    uptime = UPTIME

    @property
    def folder(self):
        return self.root / "run/pmdperf/nic" / NIC

    @property
    def log(self):
        path = self.root / f"var/lib/pmdperf/nic-{NIC}.log"
        return path.read_text() if path.exists() else ""

    @property
    def kmsg(self):
        return (self.root / "dev/kmsg").read_text()

    def pass_time(self, seconds):
        self.uptime += seconds
        new = self.root / "proc/uptime.new"
        new.write_text(f"{self.uptime}.00 2000.00\n")
        new.rename(self.root / "proc/uptime")

    def bind(self, *more, **environment):
        result = self.run("nic.sh", *BIND, *more, **environment)
        assert result.returncode == 0, result.stdout + result.stderr
        return self.watcher()

    def arm(self, seconds):
        """Without a bind."""
        result = self.shell(f"HERE={REPOSITORY}/scripts; exec {{LOCK}}>/dev/null\n"
                            f"switch_arm {NIC} {seconds} {seconds}", "nic/owner", "nic/switch")
        assert result.returncode == 0, result.stderr

    def token(self):
        return (self.folder / "switch").read_text().strip()

    def watcher(self):
        """The pid of the armed switch's watcher."""
        return int((self.folder / self.token() / "watcher").read_text().split()[0])

    def turn(self):
        """The watcher looks around once more, at what is there now."""
        pid = self.watcher()
        start = waits(pid)
        wait_for(lambda: waits(pid) >= start + 2, "two turns")

    def renew(self, pid, count):
        """As pmdperf does."""
        with (self.folder / "lease").open("r+") as file:
            file.write(f"{pid:<11} {count:<20}\n")

    def watchers(self):
        """All that look after this machine's NICs."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (b"nic.sh\0watch\0" in (path / "cmdline").read_bytes()
                        and str(self.root).encode() in (path / "environ").read_bytes()):
                    found.append(int(path.name))
        return found

    def has_kernel_driver(self):
        return self.driver(NIC) == "virtio-pci" and not self.saved()

    def saved(self):
        return (self.root / "var/lib/pmdperf/nic" / NIC).exists()

    def is_given_back(self):
        return "is given back" in self.log

    def close(self):
        for pid in self.watchers():
            os.kill(pid, signal.SIGKILL)
        super().close()


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path, netns=True)
    machine.add_pci(NIC, ifname="eth1", group=7, peer_addresses=["198.18.0.1/24"])
    for words in ("address add 198.18.0.2/24 dev eth1", "link set eth1 up",
                  "route add 203.0.113.0/24 via 198.18.0.1"):
        machine.ip(*words.split())
    (machine.root / "dev/kmsg").write_text("")
    yield machine
    machine.close()


def is_alive(pid):
    """A zombie is not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def waits(pid):
    """How often the process has waited for something so far."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M)[1])


def wait_for_end(machine, pid):
    wait_for(lambda: not is_alive(pid), f"the watcher's end:\n{machine.log}")


def addresses(machine):
    return re.findall(r"inet \S+", machine.ip("address")), machine.ip("route")


# -- words --


@pytest.mark.parametrize("text, seconds", [
    ("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("0", 0), ("010", 10), ("24h", 86400),
])
def test_durations(tmp_path, text, seconds):
    result = FakeSystem(tmp_path).shell(f"parse_duration '{text}'", "nic/switch")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{seconds}\n", "")


@pytest.mark.parametrize("text", ["", "m", "-5", "1.5h", "5d", "5 m", "1h30m", "9999999", "$(id)"])
def test_what_is_no_duration(tmp_path, text):
    result = FakeSystem(tmp_path).shell(f"parse_duration '{text}'", "nic/switch")
    assert (result.returncode, result.stdout) == (1, "")


# -- its life --


def test_it_is_armed_before_the_nic_is_taken(machine):
    result = machine.run("nic.sh", *BIND)
    steps = result.stdout
    assert result.returncode == 0, result.stderr
    assert -1 < steps.find("arm the dead man's switch") < steps.find("set eth1 down")
    status = machine.run("nic.sh", "status", NIC).stdout
    assert "armed, 600 s left" in status
    machine.pass_time(100)
    assert "armed, 500 s left" in machine.run("nic.sh", "status", NIC).stdout


def test_the_console_is_never_without_it(machine):
    result = machine.run("nic.sh", "bind", NIC, "--console")
    assert result.returncode == 0, result.stderr
    assert "armed, 1800 s left" in machine.run("nic.sh", "status", NIC).stdout


def test_the_watcher_depends_on_nothing_of_the_shell(machine):
    pid = machine.bind()
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    session, tty = int(stat[3]), int(stat[4])
    assert (session, tty) == (pid, 0)
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    files = {int(fd.name): os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()}
    assert files[0] == "/dev/null"
    assert files[1] == files[2] == str(machine.root / f"var/lib/pmdperf/nic-{NIC}.log")
    assert not [path for path in files.values() if "nic.lock" in path or path.startswith("pipe:")]


def test_the_watcher_starts_no_process(machine):
    """It must not disturb what is measured."""
    pid = machine.bind()

    path = Path(f"/proc/{pid}/stat")

    def of_children():
        """Page faults and time of those that have ended."""
        fields = path.read_text().rpartition(")")[2].split()
        return fields[8], fields[10], fields[13], fields[14]

    before = of_children()
    for _ in range(2):
        machine.turn()
    assert of_children() == before


def test_restore_disarms_it(machine):
    pid = machine.bind()
    result = machine.run("nic.sh", "restore")
    assert result.returncode == 0, result.stderr
    wait_for_end(machine, pid)
    assert not machine.folder.exists()
    assert machine.kmsg == ""


def test_confirm_disarms_it_and_the_nic_stays(machine):
    pid = machine.bind()
    result = machine.run("nic.sh", "confirm")
    assert result.returncode == 0 and "restore" in result.stdout
    wait_for_end(machine, pid)
    machine.pass_time(100000)
    assert machine.driver(NIC) == "vfio-pci" and machine.saved()
    result = machine.run("nic.sh", "confirm")
    assert result.returncode == 0 and "No switch" in result.stdout
    assert machine.run("nic.sh", "restore").returncode == 0


def test_a_bind_that_fails_disarms_it(machine):
    machine.set(refuse={"vfio-pci": "error"})
    assert machine.run("nic.sh", *BIND).returncode == 1
    assert not machine.folder.exists()
    wait_for(lambda: machine.watchers() == [], "the watcher's end")


def test_a_dry_run_arms_nothing(machine):
    assert machine.run("nic.sh", *BIND, "--dry-run").returncode == 0
    assert machine.watchers() == [] and not machine.folder.exists()


def test_the_second_of_two_counts(machine):
    first = machine.bind()
    machine.arm(60)
    wait_for_end(machine, first)
    assert machine.watchers() == [machine.watcher()] != [first]


# -- it fires --


@pytest.mark.parametrize("why, seconds", [("its 600 s are up", 600), ("for 300 s", 300)])
def test_it_gives_the_nic_back(machine, why, seconds):
    before = addresses(machine)
    pid = machine.bind()
    assert addresses(machine) != before
    if seconds == 600:
        for count in range(2):
            machine.pass_time(270)
            machine.renew(NOBODY, count)
            machine.turn()
    machine.pass_time(seconds - (machine.uptime - UPTIME) - 1)
    machine.turn()
    assert machine.driver(NIC) == "vfio-pci" and machine.kmsg == ""
    machine.pass_time(1)
    wait_for(machine.is_given_back, "the NIC's return")
    wait_for_end(machine, pid)
    assert why in machine.log and why in machine.kmsg
    assert machine.kmsg.count("<3>pmdperf: ") == 2
    assert machine.has_kernel_driver()
    assert addresses(machine) == before
    assert not machine.folder.exists()
    result = machine.run("nic.sh", "restore", NIC)
    assert result.returncode == 0 and "nothing to restore" in result.stdout


def test_it_fires_with_the_shell_dead(machine):
    """The whole session is killed, as when a console goes away."""
    words = machine.words(*machine.run_words("nic.sh", *BIND))
    shell = subprocess.Popen(["bash", "-c", '"$@"; echo done; exec sleep 600', "-", *words],
                             env=machine.environment(), stdout=subprocess.PIPE, text=True,
                             start_new_session=True)
    try:
        assert any(line == "done\n" for line in shell.stdout)
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        shell.stdout.close()
    machine.pass_time(300)
    wait_for(machine.is_given_back, "the NIC's return")
    assert machine.has_kernel_driver()


def test_signals_of_a_session_that_ends_are_of_no_effect(machine):
    pid = machine.bind()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM):
        os.kill(pid, number)
    machine.turn()
    assert "SIGTERM is of no effect" in machine.log
    machine.pass_time(300)
    wait_for(machine.is_given_back, "the NIC's return")


def test_when_the_machine_goes_down_it_ends_without_firing(machine):
    machine.fake_tool("systemctl", "echo stopping; exit 1")
    pid = machine.bind()
    os.kill(pid, signal.SIGTERM)
    wait_for_end(machine, pid)
    assert machine.driver(NIC) == "vfio-pci" and machine.saved()


def test_a_watcher_that_was_killed_is_noticed(machine):
    pid = machine.bind()
    os.kill(pid, signal.SIGKILL)
    wait_for_end(machine, pid)
    assert "DEAD" in machine.run("nic.sh", "status", NIC).stdout
    result = machine.run("nic.sh", "restore")
    assert result.returncode == 0, result.stderr
    assert not machine.folder.exists()


def test_a_bind_killed_half_way_is_undone(machine):
    """Armed, and then the script dies between the two drivers."""
    before = addresses(machine)
    steps = machine.run("nic.sh", *BIND, "--dry-run").stdout
    for number in range(3, steps.count("\n  - ") + 1):
        result = machine.run("nic.sh", *BIND, PMDPERF_KILL_AT=str(number))
        assert result.returncode == -9
        machine.pass_time(300)
        wait_for(machine.is_given_back, f"the NIC's return after step {number}")
        assert machine.has_kernel_driver() and addresses(machine) == before, number
        wait_for(lambda: machine.watchers() == [], "the watcher's end")
        (machine.root / f"var/lib/pmdperf/nic-{NIC}.log").unlink()


def test_without_a_saved_state_nothing_is_to_be_done(machine):
    """The script died between restore's last two steps."""
    machine.bind()
    assert machine.run("nic.sh", "restore").returncode == 0
    writes = machine.writes()
    machine.arm(60)
    machine.pass_time(60)
    wait_for(machine.is_given_back, "its end")
    assert machine.writes() == writes
    assert not machine.folder.exists()


# -- what stands in the way --


def program(machine, name, source):
    """A real process of that name."""
    folder = machine.root / "bin"
    folder.mkdir(exist_ok=True)
    shutil.copy(source, folder / name)
    return str(folder / name)


@pytest.mark.parametrize("trap, status", [("TERM", -15), ("", -9)], ids=["polite", "stubborn"])
def test_it_ends_the_pmdperf_of_the_lease(machine, trap, status):
    machine.bind()
    text = "trap '' TERM; " if not trap else ""
    child = subprocess.Popen([program(machine, "pmdperf", "/bin/bash"), "-c",
                              f"{text}echo ready; while :; do read -t 9; done <>{fifo(machine)}"],
                             stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        machine.renew(child.pid, 1)
        machine.turn()
        machine.pass_time(300)
        assert child.wait(timeout=LIMIT_S) == status
        wait_for(machine.is_given_back, "the NIC's return")
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def fifo(machine):
    path = machine.root / "fifo"
    os.mkfifo(path)
    return path


def test_it_ends_no_other_program(machine):
    """A process got the number that a pmdperf had."""
    machine.bind()
    child = subprocess.Popen([program(machine, "other", "/bin/sleep"), "600"])
    try:
        machine.renew(child.pid, 1)
        machine.turn()
        machine.pass_time(300)
        wait_for(machine.is_given_back, "the NIC's return")
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()


FIRE = """
HERE={repository}/scripts TMP_DIR=$RUN_DIR
bdf={nic} dir=$RUN_DIR/nic/{nic} token=t why=test user={pid}
end_process() {{ echo "ended $1"; }}
switch_tell() {{ :; }}
state_exists() {{ return 1; }}
mkdir -p "$dir"
echo t >"$dir/switch"
start_of "$user"
user_start={start}
switch_fire_once
"""


@pytest.mark.parametrize("start, ended", [("$START", True), ("12345", False), ("", False)])
def test_a_pmdperf_that_started_later_is_another(machine, start, ended):
    child = subprocess.Popen([program(machine, "pmdperf", "/bin/sleep"), "600"])
    try:
        text = FIRE.format(repository=REPOSITORY, nic=NIC, pid=child.pid, start=start)
        result = machine.shell(text, "nic/switch")
        assert result.returncode == 0, result.stderr
        assert (f"ended {child.pid}" in result.stdout) == ended
    finally:
        child.kill()
        child.wait()


ORDER = """
HERE=$SYSROOT TMP_DIR=$RUN_DIR
bdf={nic} dir=$RUN_DIR/nic/{nic} token=t why=test user={pid}
tries=0
end_process() {{ echo "end $1"; }}
switch_tell() {{ :; }}
state_exists() {{ :; }}
pci_driver() {{ echo virtio-pci; }}
nic_restore() {{ echo restore; [ -e "$SYSROOT/tried" ] || {{ touch "$SYSROOT/tried"; exit 1; }}; }}
mkdir -p "$dir"
echo t >"$dir/switch"
start_of "$user"
user_start=$START
switch_fire
"""


def test_pmdperf_ends_then_the_nic_comes_back_then_the_hugepages(machine):
    """Even if a try ends by itself; the pages do not wait for all to be proved."""
    no_long_sleeps(machine)
    stub = machine.root / "hugepages.sh"
    stub.write_text('#!/bin/sh\necho "hugepages $*"\n')
    stub.chmod(0o755)
    child = subprocess.Popen([program(machine, "pmdperf", "/bin/sleep"), "600"])
    try:
        result = machine.shell(ORDER.format(nic=NIC, pid=child.pid), "nic/driver", "nic/switch")
    finally:
        child.kill()
        child.wait()
    assert result.returncode == 0, result.stderr
    once = [f"end {child.pid}", "restore", "hugepages release"]
    found = [line for line in result.stdout.splitlines() if line.split()[0] in
             ("end", "restore", "hugepages") and "process" not in line]
    assert found == once * 2


@contextlib.contextmanager
def lock_of(machine):
    with (machine.root / "run/pmdperf/nic.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def test_disarmed_in_the_last_moment(machine):
    """A restore or confirm is at work when the time is up."""
    pid = machine.bind()
    with lock_of(machine):
        machine.pass_time(600)
        wait_for(Path(f"/proc/{pid}/task/{pid}/children").read_text, "its try")
        (machine.folder / "switch").unlink()
    wait_for_end(machine, pid)
    assert "disarmed" in machine.log and machine.kmsg == ""
    assert machine.driver(NIC) == "vfio-pci"


def test_a_script_that_stands_still_does_not_keep_the_nic(machine):
    """Ctrl-Z in the middle of a bind: it has the lock, and more time does not help."""
    text = "SWITCH_LOCK_SECONDS=1 bdf=nic\nswitch_lock\necho locked\n"
    script, lock = machine.root / "nic.sh", machine.root / "run/pmdperf/nic.lock"
    script.write_text('exec 9>>"$1"; flock 9; echo $$ >"$1"; echo ready; kill -STOP $$\n')
    lock.parent.mkdir()
    child = subprocess.Popen(["bash", script, lock], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        result = machine.shell(text, "nic/switch")
        assert result.returncode == 0 and "locked" in result.stdout, result.stderr
        assert child.wait(timeout=LIMIT_S) == -9
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def no_long_sleeps(machine):
    machine.fake_tool("sleep", 'case $1 in [3-9]?|???*) set -- 0.1 ;; esac\nexec /bin/sleep "$1"')


def test_it_tries_until_it_works(machine):
    """Another program has the device, and lets it go later."""
    no_long_sleeps(machine)
    pid = machine.bind()
    machine.add_process(500, "testpmd", ["/usr/bin/testpmd"], fds=["/dev/vfio/7"])
    machine.pass_time(300)
    wait_for(lambda: machine.log.count("again in 30 s") >= 2, "two tries")
    assert "testpmd" in machine.log and machine.driver(NIC) == "vfio-pci"
    assert "firing" in machine.run("nic.sh", "status", NIC).stdout
    shutil.rmtree(machine.root / "proc/500")
    wait_for(machine.is_given_back, "the NIC's return")
    wait_for_end(machine, pid)
    assert machine.has_kernel_driver()


def test_confirm_is_too_late_when_it_fires(machine):
    pid = machine.bind()
    machine.add_process(500, "testpmd", ["/usr/bin/testpmd"], fds=["/dev/vfio/7"])
    machine.pass_time(300)
    wait_for(lambda: "again in 30 s" in machine.log, "a try")
    result = machine.run("nic.sh", "confirm")
    assert result.returncode == 1 and "too late" in result.stderr
    assert is_alive(pid) and (machine.folder / "switch").exists()
    # By hand it goes on.
    shutil.rmtree(machine.root / "proc/500")
    assert machine.run("nic.sh", "restore").returncode == 0
    assert not machine.folder.exists()


# -- it does not start --


def test_without_a_watcher_the_nic_is_not_taken(machine):
    machine.fake_tool("setsid", "echo broken >&2; exit 1")
    no_long_sleeps(machine)
    before = addresses(machine)
    result = machine.run("nic.sh", *BIND)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and "switch" in result.stderr
    assert "broken" in machine.log
    assert machine.has_kernel_driver() and addresses(machine) == before
    assert machine.writes() == [] and not machine.folder.exists()


SYSTEMD_RUN = """
printf '%s\\n' "$@" >"{root}/systemd-run.words"
while [[ $1 == --* ]]; do
    case $1 in --setenv=*) export "${{1#--setenv=}}" ;; esac
    shift
done
"""
# The real one's child has nothing of its caller's files.
STARTS = 'setsid "$@" </dev/null >/dev/null 2>&1 10>&- 11>&- 12>&- &'


@pytest.mark.parametrize("how, unit", [(STARTS, True), ("exit 1", False), ("exit 0", False)],
                         ids=["it_works", "it_fails", "it_starts_nothing"])
def test_with_systemd_the_watcher_is_a_unit(machine, how, unit):
    (machine.root / "run/systemd/system").mkdir(parents=True)
    machine.fake_tool("systemd-run", SYSTEMD_RUN.format(root=machine.root) + how)
    pid = machine.bind()
    words = (machine.root / "systemd-run.words").read_text().splitlines()
    assert f"--unit=pmdperf-nic-{NIC}-" in "\n".join(words)
    assert "--property=KillMode=process" in words, "a DHCP client started by it goes on"
    assert (machine.token() in words) == unit
    assert machine.watchers() == [pid]
    machine.pass_time(300)
    wait_for(machine.is_given_back, "the NIC's return")
    assert machine.has_kernel_driver()


def test_watch_is_no_command_for_users(machine):
    result = machine.run("nic.sh", "watch")
    assert result.returncode == 2 and "--max-bound" in result.stderr

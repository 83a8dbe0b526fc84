# SPDX-License-Identifier: BSD-3-Clause
"""Which NICs are not taken, and that nothing was changed when one was refused."""

import socket
import subprocess

import pytest

from fake_system import FakeSystem

NIC = "0000:00:05.0"
ESTABLISHED, LISTEN = "01", "0A"
TTY1, TTYS0 = 1025, 1088


@pytest.fixture
def system(tmp_path):
    """One NIC, eth1, 198.18.0.2/24, and vfio-pci for it. Nothing runs over it."""
    system = FakeSystem(tmp_path, netns=True)
    system.add_pci(NIC, ifname="eth1", group=7, peer_addresses=["198.18.0.1/24"])
    system.ip("address", "add", "198.18.0.2/24", "dev", "eth1")
    system.ip("address", "add", "2001:db8::2/64", "dev", "eth1", "nodad")
    system.ip("link", "set", "eth1", "up")
    yield system
    system.close()


def assert_refused(system, result, *words, status=1):
    assert result.returncode == status, result.stdout + result.stderr
    assert "NOT bound" in result.stderr
    for word in words:
        assert word in result.stderr
    assert "drivers" not in "".join(system.writes())
    assert system.driver(NIC) == "virtio-pci"
    assert not list(system.root.glob("var/lib/pmdperf/nic/*"))
    assert "198.18.0.2/24" in system.ip("address", "show", "dev", "eth1")


def bind(system, *options, **environment):
    return system.run("nic.sh", "bind", NIC, *options, **environment)


def allowed(system, *options, **environment):
    """Past the refusals: a dry run comes to its end."""
    result = bind(system, "--dry-run", *options, **environment)
    assert "NOT bound" not in result.stderr
    return result.returncode == 0


def tcp_line(local, port, remote, state, inode):
    hexed = "".join(f"{byte:02X}" for byte in reversed(socket.inet_aton(local)))
    far = "".join(f"{byte:02X}" for byte in reversed(socket.inet_aton(remote)))
    return (f"   0: {hexed}:{port:04X} {far}:C350 {state} 00000000:00000000 00:00000000 00000000"
            f"     0        0 {inode} 1 0 20 4 30 10 -1\n")


def add_ssh_session(system, local, remote="198.18.0.9", port=22, comm="sshd"):
    with (system.root / "proc/net/tcp").open("a") as table:
        table.write(tcp_line("0.0.0.0", port, "0.0.0.0", LISTEN, 70))
        table.write(tcp_line(local, port, remote, ESTABLISHED, 77))
    system.add_process(300, comm, ["/usr/sbin/sshd"], fds=["socket:[70]"])
    system.add_process(301, comm, ["sshd: root@pts/0"], fds=["socket:[77]"], parent=300)


# -- what nothing runs over, and nobody needs --


def test_a_nic_that_carries_nothing_is_allowed(system):
    assert allowed(system)


# -- routes --


def test_a1_default_route_is_refused(system):
    system.ip("route", "add", "default", "via", "198.18.0.1")
    result = bind(system)
    assert_refused(system, result, "eth1", "default via 198.18.0.1", "second NIC", "--console")


@pytest.mark.parametrize("route", [
    ["default", "via", "198.18.0.1", "table", "200"],
    ["default", "dev", "eth1", "metric", "5000"],
    ["default", "nexthop", "via", "198.18.0.1", "nexthop", "via", "198.18.0.3"],
    ["-6", "default", "via", "2001:db8::1"],
    ["-6", "default", "via", "fe80::1", "dev", "eth1", "table", "77"],
    ["0.0.0.0/1", "via", "198.18.0.1"],
])
def test_a_default_route_of_any_table_and_family_is_refused(system, route):
    family = ["-6"] if route[0] == "-6" else []
    system.ip(*family, "route", "add", *[word for word in route if word != "-6"])
    assert_refused(system, bind(system), "default" if "0.0.0.0/1" not in route else "0.0.0.0/1")


def test_another_nics_default_route_is_no_reason(system):
    system.add_pci("0000:00:06.0", ifname="eth10", group=8)
    system.ip("address", "add", "198.19.0.2/24", "dev", "eth10")
    system.ip("link", "set", "eth10", "up")
    system.ip("route", "add", "default", "via", "198.19.0.1")
    system.ip("route", "add", "203.0.113.0/24", "via", "198.18.0.1")
    assert allowed(system)


@pytest.mark.parametrize("kind", ["bridge", "bond"])
def test_a_lower_of_what_carries_a_default_route_is_refused(system, kind):
    system.ip("link", "add", "up0", "type", "bridge")
    system.ip("address", "add", "198.19.0.2/24", "dev", "up0")
    system.ip("link", "set", "up0", "up")
    system.ip("route", "add", "default", "via", "198.19.0.1", "dev", "up0")
    system.add_upper("eth1", "up0", kind)
    assert_refused(system, bind(system), "default via 198.19.0.1", "up0")


def test_a_vlan_on_top_is_named(system):
    system.add_upper("eth1", "eth1.5", "vlan")
    assert_refused(system, bind(system), "eth1.5")


# -- SSH --


@pytest.mark.parametrize("console", [[], ["--console"]])
@pytest.mark.parametrize("connection", [
    "203.0.113.9 50000 198.18.0.2 22",
    "203.0.113.9 50000 198.18.0.2 2222",
    "2001:db8::9 50000 2001:db8::2 22",
    "::ffff:203.0.113.9 50000 ::ffff:198.18.0.2 22",
])
def test_a4_this_ssh_session_is_refused_console_or_not(system, console, connection):
    result = bind(system, *console, SSH_CONNECTION=connection)
    assert_refused(system, result, "SSH", "eth1", connection.split()[0].replace("::ffff:", ""))


def test_over_ssh_a_dry_run_says_what_the_console_would_do(system):
    """As scripts/prepare asks, over the very NIC that is to be taken."""
    result = system.run("nic.sh", "bind", NIC, "--console", "--dry-run",
                        SSH_CONNECTION="203.0.113.9 50000 198.18.0.2 22")
    assert result.returncode == 0, result.stderr
    assert "203.0.113.9" in result.stdout and "at the console" in result.stdout
    result = system.run("nic.sh", "bind", NIC, "--dry-run",
                        SSH_CONNECTION="203.0.113.9 50000 198.18.0.2 22")
    assert result.returncode == 1 and "this SSH session" in result.stderr


def test_a4_an_ssh_session_is_known_through_sudo(system):
    """sudo drops SSH_CONNECTION: the session is in the environment of a process above."""
    system.real_proc()
    words = system.words("env", "SSH_CONNECTION=203.0.113.9 50000 198.18.0.2 22", "bash", "-c",
                         'env -u SSH_CONNECTION "$@"; exit $?', "-",
                         *system.run_words("nic.sh", "bind", NIC, "--console", "--detached"))
    result = subprocess.run(words, env=system.environment(), capture_output=True, text=True)
    assert_refused(system, result, "SSH", "203.0.113.9")


@pytest.mark.parametrize("port, comm", [(22, "sshd"), (2222, "sshd-session")])
@pytest.mark.parametrize("with_ss", [True, False])
def test_an_ssh_session_of_somebody_else_is_refused(system, port, comm, with_ss):
    add_ssh_session(system, "198.18.0.2", port=port, comm=comm)
    if not with_ss:
        system.fake_tool("ss", "exit 127")
    assert_refused(system, bind(system), "SSH", "198.18.0.9")


def test_sessions_over_another_nic_and_other_connections_are_no_reason(system):
    add_ssh_session(system, "198.19.0.2", remote="203.0.113.7")
    with (system.root / "proc/net/tcp").open("a") as table:
        table.write(tcp_line("198.18.0.2", 443, "198.18.0.9", ESTABLISHED, 99))
    assert allowed(system, SSH_CONNECTION="203.0.113.7 50000 198.19.0.2 22")


# -- root file system and results --


def add_mount(system, device, point, kind, source, options="rw"):
    line = f"30 21 {device} / {point} rw,relatime - {kind} {source} {options}\n"
    with (system.root / "proc/self/mountinfo").open("a") as table:
        table.write(line)
    with (system.root / "proc/mounts").open("a") as table:
        table.write(f"{source} {point} {kind} {options} 0 0\n")
    with (system.root / "proc/self/mounts").open("a") as table:
        table.write(f"{source} {point} {kind} {options} 0 0\n")


@pytest.mark.parametrize("options", [[], ["--console", "--detached"]])
def test_a_root_on_nfs_through_it_is_never_taken(system, options):
    add_mount(system, "0:50", "/", "nfs4", "198.18.0.1:/root", "rw,vers=4.2,addr=198.18.0.1")
    assert_refused(system, bind(system, *options), "198.18.0.1", "nfs")


def test_nfs_through_a_router_is_traced_by_its_route(system):
    system.ip("route", "add", "203.0.113.0/24", "via", "198.18.0.1")
    add_mount(system, "0:50", "/", "nfs", "server:/root", "rw,addr=203.0.113.5")
    assert_refused(system, bind(system), "203.0.113.5")


def test_nfs_over_another_nic_is_no_reason(system):
    system.add_pci("0000:00:06.0", ifname="eth10", group=8)
    system.ip("address", "add", "198.19.0.2/24", "dev", "eth10")
    system.ip("link", "set", "eth10", "up")
    add_mount(system, "0:50", "/data", "nfs", "198.19.0.1:/x", "rw,addr=198.19.0.1")
    assert allowed(system)


@pytest.mark.parametrize("options", [[], ["--console", "--detached"]])
def test_a_root_on_iscsi_through_it_is_never_taken(system, options):
    folder = system.sys / "class/iscsi_connection/connection1:0"
    folder.mkdir(parents=True)
    (folder / "persistent_address").write_text("198.18.0.1\n")
    (folder / "address").write_text("198.18.0.1\n")
    assert_refused(system, bind(system, *options), "iSCSI", "198.18.0.1")


@pytest.mark.parametrize("with_ss", [True, False])
def test_a_disk_on_nbd_through_it_is_never_taken(system, with_ss):
    disk = system.sys / "block/nbd0"
    disk.mkdir(parents=True)
    (disk / "pid").write_text("400\n")
    with (system.root / "proc/net/tcp").open("a") as table:
        table.write(tcp_line("198.18.0.2", 40000, "198.18.0.1", ESTABLISHED, 88))
    system.add_process(400, "nbd-client", ["nbd-client", "198.18.0.1", "/dev/nbd0"],
                       fds=["socket:[88]"])
    if not with_ss:
        system.fake_tool("ss", "exit 127")
    assert_refused(system, bind(system, "--console", "--detached"), "nbd0", "198.18.0.1")


# -- the device itself --


def test_a_device_that_is_no_nic_is_refused(system):
    system.add_pci("0000:00:09.0", driver="ahci", pci_class=0x010601)
    result = system.run("nic.sh", "bind", "0000:00:09.0", "--console", "--detached")
    assert result.returncode != 0
    assert "0x010601" in result.stderr
    assert system.driver("0000:00:09.0") == "ahci"


@pytest.mark.parametrize("open_file, maps", [
    ("/dev/vfio/7", ""),
    ("/sys/devices/pci0000:00/0000:00:05.0/resource0", ""),
    (None, "7f0 rw-s 0000 00:16 77 /sys/devices/pci0000:00/0000:00:05.0/resource0\n"),
])
def test_a_device_in_use_is_refused(system, open_file, maps):
    system.add_process(500, "testpmd", ["/usr/bin/testpmd"], fds=[open_file] if open_file else [],
                       maps=maps)
    assert_refused(system, bind(system, "--console", "--detached"), "500", "testpmd")


def test_an_interface_in_another_namespace_is_named_as_the_reason(system):
    system.ip("link", "set", "eth1", "netns", system.peer_ns)
    (system.sys / "class/net/eth1").unlink()
    for path in system.device(NIC).glob("virtio*/net/eth1/*"):
        if path.is_file() or path.is_symlink():
            path.unlink()
    for path in sorted(system.device(NIC).glob("virtio*/net/eth1/**/"), reverse=True):
        for file in path.iterdir():
            if not file.is_dir():
                file.unlink()
        path.rmdir()
    result = bind(system)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and "namespace" in result.stderr
    assert system.driver(NIC) == "virtio-pci"


def test_a_physical_function_with_virtual_ones_is_refused(system):
    (system.device(NIC) / "sriov_numvfs").write_text("4\n")
    assert_refused(system, bind(system, "--console", "--detached"), "4", "virtual function")


# -- at the console --


@pytest.fixture
def critical(system):
    system.ip("route", "add", "default", "via", "198.18.0.1")
    return system


def test_the_console_may_take_the_nic_that_carries_everything(critical):
    assert allowed(critical, "--console")


def test_an_ssh_session_of_somebody_else_does_not_stop_the_console(critical):
    add_ssh_session(critical, "198.18.0.2")
    assert allowed(critical, "--console")


@pytest.mark.parametrize("shadow", [
    "root:*:19000:0:99999:7:::\n", "root:!:19000:0:99999:7:::\n",
    "root:!$y$j9T$locked:19000::::::\n", "daemon:$y$j9T$salt$hash:19000::::::\n",
])
def test_without_a_password_nobody_could_log_in(critical, shadow):
    (critical.root / "etc/shadow").write_text(shadow)
    assert_refused(critical, bind(critical, "--console"), "password", "--detached")
    assert allowed(critical, "--console", "--detached")


def set_console(system, argv, tty):
    for file in (system.root / "proc/200").rglob("*"):
        file.unlink() if not file.is_dir() else None
    system.add_process(200, argv[0].rsplit("/")[-1], argv, tty=tty)


@pytest.mark.parametrize("argv, tty", [
    (["/usr/sbin/sshd", "-D"], 0),
    (["/sbin/agetty", "tty10"], 1034),
    (["/bin/bash"], 34816),  # pts/0
])
def test_without_a_getty_nobody_could_log_in(critical, argv, tty):
    set_console(critical, argv, tty)
    assert_refused(critical, bind(critical, "--console"), "tty1", "ttyS0", "--detached")
    assert allowed(critical, "--console", "--detached")


@pytest.mark.parametrize("argv, tty", [
    (["/sbin/agetty", "-o", "-p -- \\u", "--noclear", "tty1", "linux"], TTY1),
    (["/sbin/agetty", "-o", "-p -- \\u", "--noclear", "-", "linux"], TTY1),
    (["/sbin/agetty", "-o", "-p -- \\u", "--keep-baud", "115200,57600", "-", "vt220"], TTYS0),
    (["/sbin/getty", "-L", "ttyS0", "115200", "vt100"], 0),
    (["-bash"], TTY1),
    (["/bin/login", "-p", "--"], TTYS0),
])
def test_a_getty_or_whoever_logged_in_at_one_will_do(critical, argv, tty):
    set_console(critical, argv, tty)
    assert allowed(critical, "--console")

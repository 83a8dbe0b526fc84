# SPDX-License-Identifier: BSD-3-Clause
"""All that is configured on an interface comes back, whoever manages it, from real interfaces in a
network namespace; and nothing else is touched."""

import re
import subprocess

import pytest

from fake_system import FakeSystem, ip, write

NIC = "0000:00:05.0"

RICH = """
address add 198.18.0.2/24 brd 198.18.0.255 dev eth1
address add 198.18.0.3/24 dev eth1 label eth1:web
address add 192.0.2.1 peer 192.0.2.2/32 dev eth1
address add 203.0.113.9/24 dev eth1 noprefixroute
address add 2001:db8::2/64 dev eth1 nodad
link set eth1 mtu 1400 txqueuelen 123
link set eth1 alias test-alias
link set eth1 group 7
link set eth1 up
route add 10.1.0.0/16 via 198.18.0.1 dev eth1 metric 50 src 198.18.0.3
route add 10.2.0.0/16 via 10.1.0.9 dev eth1 onlink proto static
route add 10.3.0.0/16 dev eth1 scope link table 77
route add 10.9.0.0/16 via 198.18.0.1 dev eth1 table 77 mtu 1300
route add 10.4.0.0/16 nexthop via 198.18.0.1 dev eth1 weight 1 nexthop via 198.19.0.1 dev eth10 weight 2
-6 route add 2001:db8:1::/48 via 2001:db8::1 dev eth1 metric 99
rule add from 198.18.0.3 table 77 pref 100
rule add iif eth1 table 77 pref 101
-6 rule add oif eth1 table 78 pref 102
neigh add 198.18.0.50 lladdr 02:00:00:00:00:50 dev eth1 nud permanent
"""


@pytest.fixture
def system(tmp_path):
    system = FakeSystem(tmp_path, netns=True)
    system.add_pci(NIC, ifname="eth1", group=7, peer_addresses=["198.18.0.1/24"])
    system.add_pci("0000:00:06.0", ifname="eth10", group=8, peer_addresses=["198.19.0.1/24"])
    for words in ("address add 198.19.0.2/24 dev eth10", "link set eth10 up",
                  "route add default via 198.19.0.1"):
        system.ip(*words.split())
    yield system
    system.close()


def picture(system, name):
    """Addresses, routes, rules, neighbours and link, as ip shows them."""
    text = ""
    for words in (f"-o address show dev {name}", "-o route show table all",
                  "-o -6 route show table all", "rule", "-6 rule",
                  f"neigh show dev {name} nud permanent"):
        lines = system.ip(*words.split()).splitlines()
        if "route" in words:
            lines = sorted(line for line in lines if f"dev {name}" in line)
        text += "\n".join(line for line in lines if "fe80" not in line and "ff00" not in line) + "\n"
    link = system.ip("-o", "-d", "link", "show", "dev", name)
    text += " ".join(re.findall(r"mtu \d+|qlen \d+|group \S+|alias \S+|state \S+", link))
    return re.sub(r"^\d+: |@if\d+|valid_lft.*|linkdown ?|\[detached\] ", "", text, flags=re.M)


def configure(system, text):
    for line in text.strip().splitlines():
        system.ip(*line.split())


def settle(system, name):
    """IPv6's own routes come a moment after the link, the local one after its address is proved."""
    for _ in range(100):
        routes = system.ip("-6", "route", "show", "table", "all", "dev", name)
        if "fe80::/64" in routes and "local fe80::" in routes:
            return
        subprocess.run(["sleep", "0.1"], check=True)


def test_everything_on_it_comes_back(system):
    configure(system, RICH)
    settle(system, "eth1")
    before, other = picture(system, "eth1"), picture(system, "eth10")
    done = system.run("nic.sh", "bind", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "eth1@" not in system.ip("-o", "link")
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    settle(system, "eth1")
    assert picture(system, "eth1") == before
    assert picture(system, "eth10") == other
    assert "DIFFERS" not in done.stdout


def test_a3_what_was_saved_serves_after_the_script_died_anywhere(system):
    """Killed before each step of restore, and run again."""
    configure(system, RICH)
    settle(system, "eth1")
    before = picture(system, "eth1")
    for at in range(1, 60):
        done = system.run("nic.sh", "bind", NIC)
        assert done.returncode == 0, done.stdout + done.stderr
        killed = system.run("nic.sh", "restore", NIC, PMDPERF_KILL_AT=str(at)).returncode
        done = system.run("nic.sh", "restore", NIC)
        assert done.returncode == 0, f"killed at {at}\n{done.stdout}{done.stderr}"
        settle(system, "eth1")
        assert picture(system, "eth1") == before, f"killed at {at}"
        if killed == 0:
            break
    assert 15 < at < 59


def test_another_nics_routes_are_never_altered(system):
    configure(system, RICH.replace("route add 10.4.0.0/16", "route add 10.4.0.0/17"))
    settle(system, "eth10")
    before = system.ip("route", "show", "table", "all", "dev", "eth10")
    system.run("nic.sh", "bind", NIC)
    monitor = subprocess.Popen(system.words("ip", "monitor", "route"), stdout=subprocess.PIPE, text=True)
    done = system.run("nic.sh", "restore", NIC)
    monitor.terminate()
    seen = [line for line in monitor.communicate()[0].splitlines()
            if "eth10" in line and "nexthop" not in line]
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen == []
    assert system.ip("route", "show", "table", "all", "dev", "eth10") == before


def test_an_interface_that_was_down_stays_down(system):
    system.ip("address", "add", "198.18.0.2/24", "dev", "eth1")
    before = picture(system, "eth1")
    system.run("nic.sh", "bind", NIC)
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert picture(system, "eth1") == before
    assert "state DOWN" in before


def test_a_name_that_somebody_else_took_is_said_and_not_stolen(system):
    configure(system, "address add 198.18.0.2/24 dev eth1\nlink set eth1 up")
    system.run("nic.sh", "bind", NIC)
    facts = system.facts()
    facts["devices"][NIC]["ifname"] = "eth7"
    system.set_facts(facts)
    system.ip("link", "add", "eth1", "type", "veth", "peer", "name", "eth1-far")
    (system.sys / "class/net/eth1").symlink_to(system.sys)
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "another interface is called eth1 now" in done.stderr


def test_what_differs_is_named_and_the_state_is_kept(system):
    """A route whose gateway nobody can reach any more."""
    configure(system, "address add 198.18.0.2/24 dev eth1\nlink set eth1 up\n"
              "route add 10.1.0.0/16 via 198.18.0.1")
    system.run("nic.sh", "bind", NIC)
    saved = system.root / "var/lib/pmdperf/nic" / NIC / "routes4"
    saved.write_text(saved.read_text().replace("198.18.0.1", "192.0.2.77"))
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 1
    assert "routes4     DIFFERS" in done.stdout
    assert "was  10.1.0.0/16 via 192.0.2.77" in done.stdout
    assert "not all is as it was" in done.stderr
    assert saved.exists() and system.driver(NIC) == "virtio-pci"


def test_the_state_is_private_and_whole(system):
    system.run("nic.sh", "bind", NIC)
    folder = system.root / "var/lib/pmdperf/nic"
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert [p.name for p in folder.iterdir()] == [NIC]
    meta = (folder / NIC / "meta").read_text()
    for line in ("version=1", "driver=virtio-pci", "target=vfio-pci", "ifname=eth1", f"bdf={NIC}"):
        assert line in meta.splitlines()


# -- owners --

SLEEPER = """#!/bin/bash
# A DHCP client: gives an address, stays. Told to end, it would give its lease back.
trap 'echo released >>"$LOG"; exit' TERM INT HUP
echo "$0 $*" >>"$LOG"
ip address add 198.18.0.2/24 valid_lft 3600 preferred_lft 3600 dev "${@: -1}" 2>/dev/null
ip link set "${@: -1}" up
ip route add default via 198.18.0.1 dev "${@: -1}" metric 5 2>/dev/null
while :; do sleep 0.2; done
"""


@pytest.fixture
def client(system, tmp_path):
    """A process called dhclient that looks after eth1."""
    log = tmp_path / "client.log"
    program = system.tools / "dhclient"
    write(program, SLEEPER.replace('"$LOG"', f'"{log}"'))
    program.chmod(0o755)
    system.real_proc()
    child = subprocess.Popen(system.words(str(program), "-v", "-pf", "/x y", "eth1"), start_new_session=True)
    for _ in range(100):
        if "default" in system.ip("route", "show", "dev", "eth1"):
            break
        subprocess.run(["sleep", "0.1"], check=True)
    yield log
    child.kill()
    child.wait()
    for pid in subprocess.run(["pgrep", "-f", str(program)], capture_output=True, text=True).stdout.split():
        subprocess.run(["kill", "-KILL", pid])


def test_a_dhcp_client_keeps_its_lease_and_its_words(system, client):
    before = picture(system, "eth1")
    done = system.run("nic.sh", "bind", NIC, "--console", "--detached")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stop the DHCP client of eth1" in done.stdout
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = client.read_text().splitlines()
    assert len(lines) == 2 and lines[0] == lines[1], "started again with its own words, never released"
    assert picture(system, "eth1") == before
    assert "add the address" not in done.stdout, "no static copy of a lease"


def owner_tool(system, name, log, answers):
    text = f'echo "{name} $*" >>{log}\n' + answers
    system.fake_tool(name, text)


def test_networkmanager_gets_it_back(system, tmp_path):
    log = tmp_path / "log"
    owner_tool(system, "nmcli", log, 'case "$*" in\n*GENERAL.STATE*) echo "GENERAL.STATE:100 (connected)" ;;\n'
               "*) ip address add 198.18.0.2/24 dev eth1 ;;\nesac")
    configure(system, "address add 198.18.0.2/24 dev eth1\nlink set eth1 up")
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    meta = (system.root / "var/lib/pmdperf/nic" / NIC / "meta").read_text()
    assert "owner=NetworkManager" in meta
    done = system.run("nic.sh", "restore", NIC)
    assert "hand eth1 back to NetworkManager" in done.stdout


def test_networkd_gets_it_back(system, tmp_path):
    log = tmp_path / "log"

    links = system.root / "run/systemd/netif/links"
    index = system.ip("-o", "link", "show", "dev", "eth1").split(":")[0]
    write(links / index, "ADMIN_STATE=configured\n")
    configure(system, "address add 198.18.0.2/24 valid_lft 3600 preferred_lft 3600 dev eth1\nlink set eth1 up")
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    owner_tool(system, "networkctl", log, f"""
[ "$1 $2" = "reconfigure eth1" ] || exit 1
ip link set eth1 up
ip address add 198.18.0.2/24 valid_lft 3600 preferred_lft 3600 dev eth1
echo ADMIN_STATE=configured >{links}/$(cat /sys/class/net/eth1/ifindex)
""")
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hand eth1 back to systemd-networkd" in done.stdout
    assert "add the address" not in done.stdout
    assert log.read_text() == "networkctl reconfigure eth1\n"


def test_ifupdown_gets_it_back(system, tmp_path):
    log = tmp_path / "log"
    write(system.root / "run/network/ifstate", "lo=lo\neth1=eth1\n")
    owner_tool(system, "ifup", log, "ip link set eth1 up; ip address add 198.18.0.2/24 dev eth1")
    configure(system, "address add 198.18.0.2/24 dev eth1\nlink set eth1 up")
    assert system.run("nic.sh", "bind", NIC).returncode == 0
    done = system.run("nic.sh", "restore", NIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert log.read_text() == "ifup --force eth1\n"
    assert "198.18.0.2/24" in ip("-n", system.netns, "-o", "address", "show", "dev", "eth1").stdout

# SPDX-License-Identifier: BSD-3-Clause
"""A name to one NIC: by PCI address, MAC or interface, and never by chance."""

import pytest

from fake_system import FakeSystem

FIND = """
nic_find "$WORD"
echo "id=$NIC_ID driver=$NIC_DRIVER if=$NIC_IF mac=$NIC_MAC"
"""


def find(system, word, saved=()):
    """saved: (id, mac, ifname) of NICs that were taken before."""
    for nic, mac, name in saved:
        folder = system.root / "var/lib/pmdperf/nic" / nic
        folder.mkdir(parents=True)
        (folder / "meta").write_text(f"version=1\nmac={mac}\nifname={name}\n")
    return system.shell(FIND, *NIC_FILES, WORD=word)


NIC_FILES = ("nic/find", "nic/state")


@pytest.fixture
def fake_system(tmp_path):
    return FakeSystem(tmp_path)


@pytest.fixture
def three_nics(fake_system):
    """In no order: the first by address is neither the first interface nor the first MAC."""
    fake_system.add_pci("0000:00:07.0", ifname="eth0", mac="02:00:00:00:00:0b")
    fake_system.add_pci("0000:00:05.0", ifname="eth2", mac="02:00:00:00:00:0c")
    fake_system.add_pci("0000:00:06.0", driver="ena", ifname="eth1", mac="02:00:00:00:00:0a")
    return fake_system


ALL = {
    "eth0": "id=0000:00:07.0 driver=virtio-pci if=eth0 mac=02:00:00:00:00:0b",
    "eth1": "id=0000:00:06.0 driver=ena if=eth1 mac=02:00:00:00:00:0a",
    "eth2": "id=0000:00:05.0 driver=virtio-pci if=eth2 mac=02:00:00:00:00:0c",
}


@pytest.mark.parametrize("word, name", [
    ("0000:00:05.0", "eth2"), ("00:06.0", "eth1"), ("eth0", "eth0"), ("eth1", "eth1"),
    ("02:00:00:00:00:0a", "eth1"), ("02:00:00:00:00:0B", "eth0"),
])
def test_a_nic_is_found_by_each_of_its_names(three_nics, word, name):
    result = find(three_nics, word)
    assert result.stdout.strip() == ALL[name], result.stderr


@pytest.mark.parametrize("word", [
    "eth7", "00:09.0", "02:00:00:00:00:ff", "all", "*", "0", "lo", "eth",
])
def test_a_wrong_name_is_told_what_exists(three_nics, word):
    result = find(three_nics, word)
    assert result.returncode == 2
    assert result.stdout == ""
    for fact in ("0000:00:05.0", "0000:00:06.0", "0000:00:07.0", "eth1", "02:00:00:00:00:0a"):
        assert fact in result.stderr or word == "lo"


@pytest.mark.parametrize("word", ["", "../eth0", "/sys/class/net/eth0"])
def test_what_cannot_be_a_name_is_wrong_usage(three_nics, word):
    result = find(three_nics, word)
    assert result.returncode == 2 and result.stdout == ""


def test_two_nics_with_one_mac_are_not_guessed_at(fake_system):
    fake_system.add_pci("0000:00:05.0", ifname="eth1", mac="02:00:00:00:00:0a")
    fake_system.add_pci("0000:00:06.0", ifname="eth2", mac="02:00:00:00:00:0a")
    result = find(fake_system, "02:00:00:00:00:0a")
    assert result.returncode == 2
    assert "0000:00:05.0" in result.stderr and "0000:00:06.0" in result.stderr


def test_a_bond_with_its_nics_mac_does_not_hide_the_nic(fake_system):
    fake_system.add_pci("0000:00:05.0", ifname="eth1", mac="02:00:00:00:01:00")
    fake_system.add_upper("eth1", "bond0")
    result = find(fake_system, "02:00:00:00:01:00")
    assert result.stdout.startswith("id=0000:00:05.0 "), result.stderr


def test_a_virtual_interface_is_no_nic(fake_system):
    fake_system.add_pci("0000:00:05.0", ifname="eth1")
    fake_system.add_upper("eth1", "bond0")
    result = find(fake_system, "bond0")
    assert result.returncode == 2
    assert "bond0" in result.stderr


@pytest.mark.parametrize("word", ["eth1", "02:00:00:00:00:0a", "00:05.0"])
def test_a_nic_that_was_taken_is_found_by_what_it_had(fake_system, word):
    fake_system.add_pci("0000:00:05.0", ifname="eth1", mac="02:00:00:00:00:0a", at="vfio-pci",
                        group=7)
    result = find(fake_system, word, saved=[("0000:00:05.0", "02:00:00:00:00:0a", "eth1")])
    assert result.stdout.startswith("id=0000:00:05.0 driver=vfio-pci if= "), result.stderr


def test_a_name_that_passed_to_another_nic_is_not_guessed_at(fake_system):
    fake_system.add_pci("0000:00:05.0", ifname="eth1", at="vfio-pci", group=7)
    fake_system.add_pci("0000:00:06.0", ifname="eth1")
    result = find(fake_system, "eth1", saved=[("0000:00:05.0", "02:00:00:00:00:0a", "eth1")])
    assert result.returncode == 2
    assert "0000:00:05.0" in result.stderr and "0000:00:06.0" in result.stderr


@pytest.mark.parametrize("virtio", [True, False])
def test_a_vf_below_another_bus_is_a_pci_device(fake_system, virtio):
    fake_system.add_pci("7a21:00:02.0", ifname="eth3", virtio=virtio)
    assert find(fake_system, "eth3").stdout.startswith("id=7a21:00:02.0 ")
    assert find(fake_system, "7a21:00:02.0").stdout.startswith("id=7a21:00:02.0 ")

# SPDX-License-Identifier: BSD-3-Clause
"""Which driver a NIC gets, why, and what stands in the way."""

import shutil

import pytest

from fake_system import FakeSystem

NIC = "0000:00:05.0"
KERNEL = "6.1.0-test"


@pytest.fixture
def system(tmp_path):
    system = FakeSystem(tmp_path, netns=True)
    system.fake_tool("uname", f'[ "$1" != -r ] || {{ echo {KERNEL}; exit; }}; exec /bin/uname "$@"')
    yield system
    system.close()


def bind(system, *options, nic=NIC, **environment):
    return system.run("nic.sh", "bind", nic, *options, **environment)


def add_nic(system, nic=NIC, **facts):
    facts.setdefault("ifname", "eth1")
    system.add_pci(nic, **facts)


# -- auto: what is chosen and why --


def test_with_an_iommu_it_is_vfio(system):
    add_nic(system, group=7)
    result = bind(system)
    assert result.returncode == 0, result.stdout + result.stderr
    assert system.driver(NIC) == "vfio-pci"
    assert "IOMMU" in result.stdout
    assert (system.sys / "module/vfio_iommu_type1").exists(), "busybox does not load it by itself"


def test_without_one_it_is_vfio_in_no_iommu_mode(system):
    add_nic(system)
    system.set(noiommu=True)
    result = bind(system)
    assert system.driver(NIC) == "vfio-pci", result.stdout + result.stderr
    assert "no-IOMMU" in result.stdout
    mode = system.sys / "module/vfio/parameters/enable_unsafe_noiommu_mode"
    assert mode.read_text() == "Y\n"


def test_no_iommu_mode_is_switched_off_again(system):
    add_nic(system)
    system.set(noiommu=True)
    bind(system)
    assert system.run("nic.sh", "restore", NIC).returncode == 0
    mode = system.sys / "module/vfio/parameters/enable_unsafe_noiommu_mode"
    assert mode.read_text() == "N\n"


def test_without_no_iommu_mode_it_is_igb_uio_and_the_lack_is_named(system):
    add_nic(system)
    system.add_module("igb_uio", ["igb_uio"])
    result = bind(system)
    assert system.driver(NIC) == "igb_uio", result.stdout + result.stderr
    assert "no-IOMMU" in result.stdout


def test_the_last_choice_is_uio_pci_generic(system):
    add_nic(system)
    result = bind(system)
    assert system.driver(NIC) == "uio_pci_generic", result.stdout + result.stderr
    for word in ("no-IOMMU", "igb_uio"):
        assert word in result.stdout


@pytest.mark.parametrize("facts, word", [({"vf": True}, "virtual function"), ({"irq": 0}, "INTx")])
def test_uio_pci_generic_needs_an_interrupt_line(system, facts, word):
    add_nic(system, **facts)
    result = bind(system)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and word in result.stderr
    assert system.driver(NIC) == "virtio-pci"
    # Every driver is named with its own reason.
    for driver in ("vfio-pci", "igb_uio", "uio_pci_generic"):
        assert driver in result.stderr


@pytest.mark.parametrize("driver", ["vfio-pci", "igb_uio"])
def test_a_driver_asked_for_is_not_replaced(system, driver):
    add_nic(system)
    result = bind(system, "--driver", driver)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr and driver in result.stderr
    assert system.driver(NIC) == "virtio-pci"


def test_a_driver_asked_for_is_used(system):
    add_nic(system, group=7)
    assert bind(system, "--driver=uio_pci_generic").returncode == 0
    assert system.driver(NIC) == "uio_pci_generic"


def test_b5_a_built_in_driver_needs_no_module(system):
    """vfio-pci is in the bus's drivers, and there is no module of that name anywhere."""
    add_nic(system, group=7)
    system.add_driver("vfio-pci")
    system.set(modules={})
    system.fake_tool("rmmod", f'echo "$@" >>{system.root}/unloaded')
    system.fake_tool("modprobe", f'[[ "$*" != *-r* ]] || echo "$@" >>{system.root}/unloaded; exit 1')
    result = bind(system)
    assert result.returncode == 0, result.stdout + result.stderr
    assert system.driver(NIC) == "vfio-pci"
    assert system.run("nic.sh", "restore", NIC).returncode == 0
    assert not (system.root / "unloaded").exists()


# -- groups --


@pytest.fixture
def four_ports(system):
    """A NIC of four functions in one IOMMU group, below a bridge in the same group."""
    system.add_pci("0000:00:04.0", driver="pcieport", pci_class=0x060400, group=7)
    for function in range(4):
        add_nic(system, f"0000:00:05.{function}", ifname=f"eth{function}", driver="ixgbe", group=7)
    system.ip("address", "add", "198.18.0.2/24", "dev", "eth2")
    return system


def test_b1_a_group_with_siblings_in_use_is_refused(four_ports):
    result = bind(four_ports)
    assert result.returncode == 1
    assert "NOT bound" in result.stderr
    for fact in ("0000:00:05.1", "0000:00:05.2", "0000:00:05.3", "ixgbe", "eth2", "198.18.0.2"):
        assert fact in result.stderr
    # The bridge is a member like any, and it is fine.
    bridge = [line for line in result.stderr.splitlines() if "0000:00:04.0" in line]
    assert bridge and "in the way" not in bridge[0]
    assert "drivers" not in "".join(four_ports.writes())
    for function in range(4):
        assert four_ports.driver(f"0000:00:05.{function}") == "ixgbe"


def test_b1_a_group_whose_siblings_are_free_is_viable(system):
    system.add_pci("0000:00:04.0", driver="pcieport", pci_class=0x060400, group=7)
    add_nic(system, group=7)
    add_nic(system, "0000:00:05.1", ifname=None, at=None, group=7)
    add_nic(system, "0000:00:05.2", ifname=None, at="vfio-pci", group=7)
    assert bind(system).returncode == 0
    assert system.driver(NIC) == "vfio-pci"


def test_b1_without_vfio_the_group_does_not_matter(four_ports):
    assert bind(four_ports, "--driver", "uio_pci_generic").returncode == 0


# -- what stays with the kernel --


@pytest.mark.parametrize("vendor, device, driver", [
    (0x15B3, 0x101E, "mlx5_core"), (0x15B3, 0x1004, "mlx4_core"), (0x1414, 0x00BA, "mana"),
])
def test_b7_nothing_to_bind_is_success(system, vendor, device, driver):
    add_nic(system, vendor=vendor, device=device, driver=driver, group=7)
    result = bind(system)
    assert result.returncode == 0, result.stderr
    assert "nothing to bind" in result.stdout
    assert f"-a {NIC}" in result.stdout
    assert system.driver(NIC) == driver
    assert system.writes() == []


def test_b7_one_that_was_bound_by_hand_is_no_success(system):
    add_nic(system, vendor=0x15B3, device=0x101E, driver="mlx5_core", group=7, at="vfio-pci")
    result = bind(system)
    assert result.returncode == 1
    assert "vfio-pci" in result.stderr and "mlx5" in result.stderr


def test_a_netvsc_nic_gets_the_way_to_do_it_or_goes_by_its_bus(system):
    guid = "000d3a6b-1c2d-000d-3a6b-1c2d000d3a6b"
    system.add_vmbus(guid, ifname="eth4")
    result = bind(system, nic="eth4")
    assert "uio_hv_generic" in result.stdout + result.stderr
    assert guid in result.stdout + result.stderr
    if result.returncode == 0:
        assert system.driver(guid) == "uio_hv_generic"
    else:
        assert system.driver(guid) == "hv_netvsc"


# -- igb_uio from the distribution's source --


@pytest.fixture
def igb(system):
    """All that a build needs; make and the kernel are fakes."""
    add_nic(system)
    system.set(modules={"uio": []})
    source = system.root / "usr/src/dpdk-kmods-0~20220829"
    source.mkdir(parents=True)
    for name in ("igb_uio.c", "compat.h", "Kbuild", "Makefile"):
        (source / name).write_text("/* */\n")
    headers = system.root / "lib/modules" / KERNEL / "build"
    headers.mkdir(parents=True)
    (headers / "Makefile").write_text("")
    system.fake_tool("gcc", "exit 0")
    system.fake_tool("make", f"""
echo "make $*" >>{system.root}/make.log
for word; do case $word in M=*) dir=${{word#M=}} ;; esac; done
[ ! -e {system.root}/make-fails ] || {{ echo "igb_uio.c:1: error: no member" >&2; exit 2; }}
echo module >"$dir/igb_uio.ko" """)
    return system


def built(system):
    return [path for path in system.root.rglob("igb_uio*") if path.suffix in (".ko", ".o")]


def test_igb_uio_is_built_when_missing(igb):
    result = bind(igb, "--driver", "igb_uio")
    assert result.returncode == 0, result.stdout + result.stderr
    assert igb.driver(NIC) == "igb_uio"
    source = igb.root / "usr/src/dpdk-kmods-0~20220829"
    assert sorted(path.name for path in source.iterdir()) == [
        "Kbuild", "Makefile", "compat.h", "igb_uio.c"], "the distribution's source is as it was"
    # Loaded with write-combining, or an ENA is slow.
    assert igb.run("nic.sh", "restore", NIC).returncode == 0


def test_igb_uio_is_built_once(igb):
    assert bind(igb, "--driver", "igb_uio").returncode == 0
    assert igb.run("nic.sh", "restore", NIC).returncode == 0
    shutil.rmtree(igb.sys / "bus/pci/drivers/igb_uio")
    assert bind(igb, "--driver", "igb_uio").returncode == 0
    assert len((igb.root / "make.log").read_text().splitlines()) == 1


def test_b2_igb_uio_is_loaded_with_write_combining(igb):
    igb.fake_tool("insmod", f'echo "$@" >>{igb.root}/insmod.log; '
                  f'mkdir -p {igb.sys}/bus/pci/drivers/igb_uio; '
                  f'touch {igb.sys}/bus/pci/drivers/igb_uio/{{bind,unbind}}')
    assert bind(igb, "--driver", "igb_uio").returncode == 0
    assert "wc_activate=1" in (igb.root / "insmod.log").read_text()


def test_b4_missing_kernel_headers_are_named_first(igb):
    shutil.rmtree(igb.root / "lib/modules")
    result = bind(igb, "--driver", "igb_uio")
    assert result.returncode == 1
    assert f"linux-headers-{KERNEL}" in result.stderr
    assert "NOT bound" in result.stderr
    assert not (igb.root / "make.log").exists()
    assert built(igb) == []


def test_b4_a_missing_source_is_named(igb):
    shutil.rmtree(igb.root / "usr/src")
    igb.fake_tool("apt-get", "echo 'E: Unable to locate package' >&2; exit 100")
    result = bind(igb, "--driver", "igb_uio")
    assert result.returncode == 1
    assert "dpdk-kmods-dkms" in result.stderr


def test_b4_a_build_that_breaks_leaves_nothing(igb):
    (igb.root / "make-fails").write_text("")
    result = bind(igb, "--driver", "igb_uio")
    assert result.returncode == 1
    assert "no member" in result.stderr
    assert built(igb) == []
    assert igb.driver(NIC) == "virtio-pci"

# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of fake_system.py: a tree of sysfs, and what a write to it does.

Run by the scripts as ROOT/kernel FILE VALUE, and as modprobe and others.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(os.path.relpath(target, path.parent.resolve()))


def real_ip():
    return next(p for p in ("/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip") if os.path.exists(p))


def ip(*words, check=True):
    return subprocess.run([real_ip(), *words], check=check, capture_output=True, text=True)


class Tree:
    """The tree, and what a kernel does in it."""

    def __init__(self, root):
        self.root = Path(root)
        self.sys = self.root / "sys"
        self.facts_file = self.root / "facts.json"

    def facts(self):
        return json.loads(self.facts_file.read_text())

    def set_facts(self, facts):
        self.facts_file.write_text(json.dumps(facts, indent=1))

    def device(self, nic):
        for bus in ("pci", "vmbus"):
            path = self.sys / "bus" / bus / "devices" / nic
            if path.exists():
                return path.resolve()
        raise KeyError(nic)

    def driver(self, nic):
        path = self.device(nic) / "driver"
        return path.resolve().name if path.is_symlink() else None

    def add_driver(self, name, bus="pci"):
        folder = self.sys / "bus" / bus / "drivers" / name
        for file in ("bind", "unbind", "new_id"):
            write(folder / file, "")
        return folder

    # -- what the kernel does --

    def attach(self, nic, driver):
        """Returns the status of the write that led here, which is often a lie."""
        facts = self.facts()
        fact = facts["devices"][nic]
        folder = self.sys / "bus" / fact["bus"] / "drivers" / driver
        manner = facts["refuse"].get(driver)
        if manner == "error":
            return 1
        if manner == "silently" or not folder.is_dir():
            return 0
        device = self.device(nic)
        if driver == "vfio-pci" and not self.make_vfio_group(device):
            return 0
        link(device / "driver", folder)
        link(folder / nic, device)
        if driver in ("igb_uio", "uio_pci_generic", "uio_hv_generic"):
            name = f"uio{sum(1 for _ in (self.root / 'dev').glob('uio*'))}"
            write(device / "uio" / name / "name", driver + "\n")
            write(self.root / "dev" / name, "")
        if driver == fact["driver"]:
            self.make_netdev(nic, fact)
        return 0

    def make_vfio_group(self, device):
        noiommu = self.sys / "module/vfio/parameters/enable_unsafe_noiommu_mode"
        group = device / "iommu_group"
        if group.is_symlink():
            write(self.root / "dev/vfio" / group.resolve().name, "")
        elif noiommu.exists() and noiommu.read_text().startswith("Y"):
            write(self.root / "dev/vfio/noiommu-0", "")
            folder = self.sys / "kernel/iommu_groups/0"
            link(folder / "devices" / device.name, device)
            link(group, folder)
        else:
            return False
        return True

    def detach(self, nic):
        device = self.device(nic)
        fact = self.facts()["devices"][nic]
        driver = self.driver(nic)
        (device / "driver").unlink()
        (self.sys / "bus" / fact["bus"] / "drivers" / driver / nic).unlink()
        for uio in device.glob("uio/*"):
            (self.root / "dev" / uio.name).unlink()
        shutil.rmtree(device / "uio", ignore_errors=True)
        if (self.root / "dev/vfio/noiommu-0").exists() and driver == "vfio-pci":
            (self.root / "dev/vfio/noiommu-0").unlink()
            (device / "iommu_group").unlink()
        if driver == fact["driver"] and fact["ifname"]:
            self.remove_netdev(nic, fact)

    def netdev_parent(self, nic, fact):
        device = self.device(nic)
        return device / f"virtio{fact['number']}" if fact["virtio"] else device

    def make_netdev(self, nic, fact):
        name = fact["comes_back_as"] or fact["ifname"]
        if not name:
            return
        parent = self.netdev_parent(nic, fact)
        if fact["peer_ns"]:
            peer = f"{fact['ifname']}-peer"
            ip("link", "add", name, "address", fact["mac"], "type", "veth",
               "peer", "name", peer, "netns", fact["peer_ns"])
            ip("-n", fact["peer_ns"], "link", "set", peer, "up")
            for address in fact["peer_addresses"]:
                ip("-n", fact["peer_ns"], "address", "add", address, "dev", peer)
        self.make_attributes(parent / "net" / name, fact)
        link(parent / "net" / name / "device", parent)
        link(self.sys / "class/net" / name, parent / "net" / name)

    def make_attributes(self, net, fact):
        """In a namespace they lead to the real interface's: /sys there is the namespace's own."""
        for name, text in {
            "address": fact["mac"],
            "addr_assign_type": "0",
            "ifindex": str(10 + fact["number"]),
            "mtu": "1500",
            "operstate": "down",
            "carrier": "1",
            "flags": "0x1002",
            "tx_queue_len": "1000",
            "ifalias": "",
            "netdev_group": "0",
            "queues/rx-0/rps_cpus": "0",
            "queues/rx-0/rps_flow_cnt": "0",
            "queues/tx-0/xps_cpus": "0",
        }.items():
            if fact["peer_ns"]:
                (net / name).parent.mkdir(parents=True, exist_ok=True)
                (net / name).unlink(missing_ok=True)
                (net / name).symlink_to(f"/sys/class/net/{net.name}/{name}")
            else:
                write(net / name, text + "\n")

    def remove_netdev(self, nic, fact):
        parent = self.netdev_parent(nic, fact)
        for net in list((parent / "net").glob("*")):
            (self.sys / "class/net" / net.name).unlink(missing_ok=True)
            if fact["peer_ns"]:
                ip("link", "delete", net.name, check=False)
        shutil.rmtree(parent if fact["virtio"] else parent / "net", ignore_errors=True)

    def rename(self, old, new):
        """The tree's part of "ip link set OLD name NEW"."""
        if not (self.sys / "class/net" / old).exists():
            return 0
        net = (self.sys / "class/net" / old).resolve()
        nic = next(n for n in self.facts()["devices"] if net.is_relative_to(self.device(n)))
        shutil.rmtree(net)
        (self.sys / "class/net" / old).unlink()
        parent = net.parent.parent
        self.make_attributes(parent / "net" / new, self.facts()["devices"][nic])
        link(parent / "net" / new / "device", parent)
        link(self.sys / "class/net" / new, parent / "net" / new)
        return 0

    def answer(self, file, value):
        """A write to a file of the tree, already done as a plain one."""
        path = Path(file).parent.resolve() / Path(file).name  # DEVICE/driver is a link
        facts = self.facts()
        with (self.root / "writes.log").open("a") as log:
            log.write(f"{os.path.relpath(path, self.root)} {value}\n")
        if path.name == "driver_override":
            path.write_text((value or "(null)") + "\n")
        elif path.name == "enable_unsafe_noiommu_mode":
            path.write_text("Y\n" if value in ("1", "y", "Y") else "N\n")
        elif path.name == "unbind":
            if self.driver(value) != path.parent.name:
                return 1
            self.detach(value)
        elif path.name in ("drivers_probe", "bind"):
            if value not in facts["devices"] or self.driver(value):
                return 1
            override = (self.device(value) / "driver_override").read_text().strip()
            chosen = override if override != "(null)" else facts["devices"][value]["driver"]
            if path.name == "bind" and path.parent.name != chosen:
                return 1
            return self.attach(value, chosen) if chosen else 0
        return 0

    def modprobe(self, words):
        names = [word for word in words if not word.startswith("-")]
        known = self.facts()["modules"]
        name = names[0].replace("_", "-") if names[0].replace("_", "-") in known else names[0]
        if name not in known:
            print(f"modprobe: FATAL: Module {names[0]} not found", file=sys.stderr)
            return 1
        for driver in known[name]:
            self.add_driver(driver)
        (self.sys / "module" / name.replace("-", "_")).mkdir(parents=True, exist_ok=True)
        if name in ("vfio-pci", "vfio") and self.facts()["noiommu"]:
            file = self.sys / "module/vfio/parameters/enable_unsafe_noiommu_mode"
            if not file.exists():
                write(file, "N\n")
        return 0


def main(root, role, *words):
    tree = Tree(root)
    if role == "kernel":
        return tree.answer(words[0], words[1] if len(words) > 1 else "")
    if role == "modprobe":
        return tree.modprobe(words)
    if role == "modinfo":
        known = tree.facts()["modules"]
        return 0 if {words[-1], words[-1].replace("_", "-")} & set(known) else 1
    if role == "rename":
        return tree.rename(*words)
    if role == "insmod":  # the name of the file is the name of the driver
        tree.add_driver(Path(words[0]).stem)
        return 0
    return 127


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

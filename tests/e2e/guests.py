# SPDX-License-Identifier: BSD-3-Clause
"""QEMU guests: started, waited for, ended. A case is shell text that runs as root in a guest, after
guest/lib.sh; it ends with status 0 or the test fails with its log."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from image import ROOT, WORK

LIB = Path(__file__).with_name("guest") / "lib.sh"
SECONDS = 400


def hub(model, count=2, **properties):
    """NICs of one model, all on one hub: what one sends, the others receive."""
    words = []
    for i in range(count):
        words += ["-netdev", f"hubport,id=hub{i},hubid=0"]
        words += nic(model, f"hub{i}", i, **properties)
    return words


def nic(model, netdev, number, **properties):
    """A NIC at PCI address 00:10+number.0 with the MAC 52:54:00:00:00:01+number."""
    more = "".join(f",{name}={value}" for name, value in properties.items())
    return ["-device", f"{model},netdev={netdev},mac=52:54:00:00:00:{number + 1:02x},"
            f"addr=0x{0x10 + number:x}{more}"]


def user_net(number=0):
    """QEMU's own network: a DHCP server and a gateway, 10.0.2.2, that answers pings."""
    return ["-netdev", f"user,id=user{number},ipv6=off"]


IOMMU = ["-device", "intel-iommu,intremap=on,caching-mode=on"]
VIRTIO_IOMMU = {"disable-legacy": "on", "iommu_platform": "on", "ats": "on"}


class Guest:
    """One guest. Its folder has case.sh, the log, what the case left, and the console."""

    def __init__(self, name, image, case, devices, memory=512, cpus=2, iommu=False, reboots=False,
                 prefix=(), append=""):
        self.folder = WORK / "out" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / "case.sh").write_text(f"{LIB.read_text()}\n{case}\nexit 0\n")
        words = [
            *prefix, "qemu-system-x86_64", "-M", "q35,kernel-irqchip=split" if iommu else "q35",
            "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(cpus), "-m", str(memory),
            "-nodefaults", "-no-user-config", "-display", "none",
            "-serial", f"file:{self.folder}/console", "-kernel", image.kernel,
            "-initrd", image.initrd, "-append",
            "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable rdinit=/init "
            + ("intel_iommu=on " if iommu else "") + append,
            "-virtfs", f"local,path={ROOT},mount_tag=src,security_model=none,readonly=on,"
            "multidevs=remap",
            "-virtfs", f"local,path={self.folder},mount_tag=out,security_model=none",
            *([] if reboots else ["-no-reboot"]), *(IOMMU if iommu else []), *devices,
        ]
        self.errors = open(self.folder / "qemu", "w")
        self.process = subprocess.Popen([str(w) for w in words], stdin=subprocess.DEVNULL,
                                        stdout=self.errors, stderr=self.errors)

    def wait(self, seconds=SECONDS):
        """Waits for the end. Returns the log; fails with it unless the case ended well."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end()
            raise AssertionError(f"the guest did not end within {seconds} s\n{self.text()}")
        finally:
            self.errors.close()
        status = self.folder / "status"
        assert status.exists(), f"the guest left no result\n{self.text()}"
        assert status.read_text().strip() == "0", self.text()
        return self.log()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self):
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def text(self):
        console = self.folder / "console"
        kernel = console.read_text(errors="replace")[-1500:] if console.exists() else ""
        qemu = (self.folder / "qemu").read_text(errors="replace")[-500:]
        return f"{self.folder}\n--- log\n{self.log()[-6000:]}\n--- console\n{kernel}\n--- qemu\n{qemu}"


class Namespace:
    """A network namespace with two multi-queue taps on a bridge, for QEMU to run in."""

    def __init__(self, queues):
        self.name = f"pmdperf-e2e-{os.getpid()}"
        self.queues = queues
        self.ip("netns", "add", self.name)
        self.inside("link", "add", "bridge0", "type", "bridge")
        for tap in ("tap0", "tap1"):
            self.inside("tuntap", "add", tap, "mode", "tap", "multi_queue")
            self.inside("link", "set", tap, "master", "bridge0")
        for name in ("tap0", "tap1", "bridge0"):
            subprocess.run(["ip", "netns", "exec", self.name, "sysctl", "-qw",
                            f"net.ipv6.conf.{name}.disable_ipv6=1"], check=True)
            self.inside("link", "set", name, "up")

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True)

    def inside(self, *words):
        self.ip("-n", self.name, *words)

    def prefix(self):
        return ["ip", "netns", "exec", self.name]

    def devices(self):
        return [w for i in range(2) for w in self.device(i, i)]

    def device(self, tap, slot):
        """A NIC on one of the taps; its place on the bus and MAC as nic() says."""
        return ["-netdev", f"tap,id=tap{tap},ifname=tap{tap},script=no,downscript=no,"
                f"queues={self.queues},vhost=off",
                *nic("virtio-net-pci", f"tap{tap}", slot, mq="on", vectors=2 * self.queues + 2)]

    def close(self):
        self.ip("netns", "delete", self.name)


def short_folder():
    """For sockets, whose paths hold only 107 bytes."""
    return Path(tempfile.mkdtemp(prefix="pmdperf.", dir="/tmp"))

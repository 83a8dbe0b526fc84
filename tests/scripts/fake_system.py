# SPDX-License-Identifier: BSD-3-Clause
"""A small fake machine for the take-over scripts: a tree of sysfs, procfs, /etc and /dev, a kernel
that answers writes to it, and the tools that change it.

    system = FakeSystem(tmp_path, netns=True)
    system.add_pci("0000:00:05.0", ifname="eth1", group=7)
    result = system.run("nic.sh", "bind", "0000:00:05.0")
    assert system.driver("0000:00:05.0") == "vfio-pci"

With netns, scripts run in a network namespace of their own, where each NIC is a real interface
(a veth whose other end, IFNAME-peer, is in a second namespace): it goes away with its driver and
comes back, bare, with it. Call close() at the end: the namespaces are the machine's.
"""

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import fake_kernel
from fake_kernel import Tree, ip, link, real_ip, write

REPOSITORY = Path(__file__).resolve().parents[2]
TIMEOUT = 120
BOOT_ID = "11111111-2222-3333-4444-555555555555"
NETVSC_CLASS = "{f8615163-df3e-46c5-913f-f2d2f965ed0e}"
# What each DPDK driver's module brings into the drivers' directory.
DPDK_MODULES = {
    "vfio-pci": ["vfio-pci"],
    "vfio_iommu_type1": [],
    "uio_pci_generic": ["uio_pci_generic"],
    "uio": [],
}
PASSWD = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n"
SHADOW = "root:$y$j9T$salt$hash:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n"
# The real one; the tree follows when it renames an interface.
IP_TOOL = r"""
{ip} "$@" || exit
[[ "$*" =~ link\ set\ (dev\ )?([^ ]+)\ name\ ([^ ]+) ]] || exit 0
exec {tools}/renamed "${{BASH_REMATCH[2]}}" "${{BASH_REMATCH[3]}}"
"""
numbers = itertools.count()


class FakeSystem(Tree):
    def __init__(self, folder, netns=False):
        root = Path(folder) / "root"
        root.mkdir(parents=True)
        super().__init__(root)
        self.tools = Path(folder) / "tools"
        self.netns = self.peer_ns = None
        if netns:
            name = f"pmdperf-test-{os.getpid()}-{next(numbers)}"
            self.netns, self.peer_ns = name, name + "-peer"
            for each in (self.netns, self.peer_ns):
                ip("netns", "add", each)
                ip("-n", each, "link", "set", "lo", "up")
        self.set_facts({"devices": {}, "modules": dict(DPDK_MODULES), "refuse": {},
                        "noiommu": False})
        self.number = 0
        for bus in ("pci", "vmbus"):
            (self.sys / "bus" / bus / "devices").mkdir(parents=True)
            write(self.sys / "bus" / bus / "drivers_probe", "")
        for folder in ("class/net", "kernel/iommu_groups", "module"):
            (self.sys / folder).mkdir(parents=True, exist_ok=True)
        for folder in ("dev", "run", "var/lib", "etc"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        write(root / "proc/sys/kernel/random/boot_id", BOOT_ID + "\n")
        write(root / "proc/uptime", "1000.00 2000.00\n")
        write(root / "proc/meminfo", "MemTotal: 16777216 kB\nHugePages_Total: 64\n"
              "HugePages_Free: 64\nHugepagesize: 2048 kB\n")
        write(root / "proc/net/tcp", "  sl  local_address rem_address   st\n")
        write(root / "proc/net/tcp6", "  sl  local_address rem_address   st\n")
        write(root / "proc/self/mountinfo", "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n")
        write(root / "proc/interrupts", "           CPU0       CPU1\n")
        write(root / "etc/passwd", PASSWD)
        write(root / "etc/shadow", SHADOW)
        write(root / "etc/resolv.conf", "")
        self.add_process(200, "agetty", ["/sbin/agetty", "-o", "-p", "--", "tty1", "linux"])
        self.program(root / "kernel", "kernel")
        for tool in ("modprobe", "modinfo", "insmod"):
            self.program(self.tools / tool, tool)
        if netns:
            (root / "proc/sys/net").symlink_to("/proc/sys/net")
            self.program(self.tools / "renamed", "rename")
            self.fake_tool("ip", IP_TOOL.format(ip=real_ip(), tools=self.tools))

    def close(self):
        for each in (self.netns, self.peer_ns):
            if each:
                ip("netns", "delete", each)
        self.netns = self.peer_ns = None

    def program(self, path, role):
        write(path, f'#!/bin/sh\nexec /usr/bin/python3 -I "{fake_kernel.__file__}" "{self.root}" {role} "$@"\n')
        path.chmod(0o755)

    def fake_tool(self, name, text):
        """A tool of the test's own, before all others on PATH."""
        path = self.tools / name
        write(path, "#!/bin/bash\n" + text + "\n")
        path.chmod(0o755)

    def set(self, **changes):
        """refuse={"vfio-pci": "silently" or "error"}, noiommu=True, modules={...}"""
        facts = self.facts()
        facts.update(changes)
        self.set_facts(facts)

    def comes_back_as(self, nic, name):
        """The NIC's interface gets this name at first when its driver is bound again."""
        facts = self.facts()
        facts["devices"][nic]["comes_back_as"] = name
        self.set_facts(facts)

    def real_proc(self):
        """Processes are the machine's own."""
        shutil.rmtree(self.root / "proc")
        (self.root / "proc").symlink_to("/proc")

    def add_device(self, bus, nic, device, driver, ifname, mac, virtio, peer_addresses, at):
        self.number += 1
        fact = {"bus": bus, "driver": driver, "ifname": ifname, "virtio": virtio,
                "mac": mac or f"02:00:00:00:00:{self.number:02x}", "number": self.number,
                "peer_ns": self.peer_ns, "peer_addresses": list(peer_addresses),
                "comes_back_as": None}
        facts = self.facts()
        facts["devices"][nic] = fact
        self.set_facts(facts)
        link(self.sys / "bus" / bus / "devices" / nic, device)
        link(device / "subsystem", self.sys / "bus" / bus)
        write(device / "driver_override", "(null)\n")
        if driver:
            self.add_driver(driver, bus)
        if at:
            if at != driver:
                self.add_driver(at, bus)
            self.in_netns(lambda: self.attach(nic, at))
        return fact

    def add_pci(self, nic, driver="virtio-pci", ifname=None, mac=None, group=None, numa=-1,
                vendor=0x1AF4, device=0x1041, pci_class=0x020000, irq=11, vf=False,
                virtio=None, peer_addresses=(), at="its own"):
        """A PCI device. driver is the kernel's; at is where it is now (None: nowhere)."""
        path = self.sys / "devices/pci0000:00" / nic
        for name, text in {
            "vendor": f"0x{vendor:04x}", "device": f"0x{device:04x}", "numa_node": str(numa),
            "class": f"0x{pci_class:06x}", "irq": str(irq), "enable": "1",
            "resource": "0x00000000febf0000 0x00000000febf7fff 0x0000000000040200\n"
                        "0x0000000800000000 0x0000000800003fff 0x000000000014220c",
        }.items():
            write(path / name, text + "\n")
        if vf:
            link(path / "physfn", self.sys / "devices/pci0000:00")
        if group is not None:
            folder = self.sys / "kernel/iommu_groups" / str(group)
            link(folder / "devices" / nic, path)
            link(path / "iommu_group", folder)
        if virtio is None:
            virtio = driver == "virtio-pci"
        return self.add_device("pci", nic, path, driver, ifname, mac, virtio, peer_addresses,
                               driver if at == "its own" else at)

    def add_vmbus(self, nic, driver="hv_netvsc", ifname=None, mac=None, peer_addresses=(),
                  at="its own"):
        path = self.sys / "devices/LNXSYSTM:00/VMBUS:00" / nic
        write(path / "class_id", NETVSC_CLASS + "\n")
        write(path / "device_id", "{" + nic + "}\n")
        return self.add_device("vmbus", nic, path, driver, ifname, mac, False, peer_addresses,
                               driver if at == "its own" else at)

    def add_upper(self, ifname, upper, kind="bond"):
        """upper lies on ifname. Only sysfs knows of it, unless the test makes it with ip."""
        net = self.sys / "devices/virtual/net" / upper
        write(net / "uevent", f"INTERFACE={upper}\nDEVTYPE={kind}\n")
        write(net / "address", "02:00:00:00:01:00\n")
        link(self.sys / "class/net" / upper, net)
        lower = (self.sys / "class/net" / ifname).resolve()
        link(net / f"lower_{ifname}", lower)
        link(lower / f"upper_{upper}", net)
        if kind in ("bond", "bridge", "team"):
            link(lower / "master", net)

    def add_process(self, pid, comm, argv=(), fds=(), maps="", tty=0, parent=1, environ=()):
        """fds: link targets, as /dev/uio0 or socket:[77]."""
        folder = self.root / "proc" / str(pid)
        write(folder / "comm", comm + "\n")
        write(folder / "cmdline", "".join(word + "\0" for word in argv))
        write(folder / "environ", "".join(word + "\0" for word in environ))
        fields = f"{pid} ({comm}) S {parent} {pid} {pid} {tty} -1 0 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0"
        write(folder / "stat", fields + "\n")
        write(folder / "status", f"Name:\t{comm}\nPid:\t{pid}\nPPid:\t{parent}\n")
        write(folder / "maps", maps)
        (folder / "fd").mkdir(exist_ok=True)
        for number, target in enumerate(fds, 3):
            (folder / "fd" / str(number)).symlink_to(target)
        if argv and argv[0].startswith("/"):
            (folder / "exe").symlink_to(argv[0])

    def add_module(self, name, drivers):
        facts = self.facts()
        facts["modules"][name] = drivers
        self.set_facts(facts)

    def reboot(self):
        """All devices with their own drivers, /run and modules' parameters gone, a new boot id."""
        for nic, fact in self.facts()["devices"].items():
            if self.driver(nic) != fact["driver"]:
                (self.device(nic) / "driver_override").write_text("(null)\n")
                self.in_netns(lambda n=nic, f=fact: (self.driver(n) and self.detach(n),
                                                     self.attach(n, f["driver"])))
        shutil.rmtree(self.root / "run")
        (self.root / "run").mkdir()
        write(self.root / "proc/sys/kernel/random/boot_id", BOOT_ID[::-1] + "\n")

    def in_netns(self, action):
        """Runs the action in the scripts' network namespace, in a child process."""
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                if self.netns:
                    with open(f"/run/netns/{self.netns}") as file:
                        enter_netns(file.fileno())
                action()
                status = 0
            except BaseException as error:  # the child may not return into pytest
                print(f"in_netns: {error!r}", file=sys.stderr)
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    def ip(self, *words, check=True):
        """ip in the scripts' namespace."""
        return ip("-n", self.netns, *words, check=check).stdout

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SSH_", "PMDPERF"))}
        return {**clean, "PMDPERF_SYSROOT": str(self.root), "LC_ALL": "C",
                "PATH": f"{self.tools}:{os.environ['PATH']}", **more}

    def words(self, *words):
        return [real_ip(), "netns", "exec", self.netns, *words] if self.netns else list(words)

    def run_words(self, script, *arguments):
        return [str(REPOSITORY / "scripts" / script), *arguments]

    def start(self, script, *arguments, **environment):
        return subprocess.Popen(
            self.words(*self.run_words(script, *arguments)),
            env=self.environment(**environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, script, *arguments, **environment):
        child = self.start(script, *arguments, **environment)
        out, err = child.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def shell(self, text, *files, **environment):
        """Runs shell text with common.sh, system.sh and other files of scripts/lib/ sourced."""
        lib = REPOSITORY / "scripts/lib"
        sourced = "".join(f'. "{lib}/{name}.sh"\n' for name in ("common", "system", *files))
        return subprocess.run(self.words("bash", "-c", f"set -eu\n{sourced}{text}"),
                              env=self.environment(**environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT)

    def writes(self):
        """Writes that the kernel was told of: lines of "FILE VALUE"."""
        path = self.root / "writes.log"
        return path.read_text().splitlines() if path.exists() else []

    def snapshot(self, *without):
        """The whole tree, to compare: {path: content, link target, or None for a folder}."""
        found = {}
        for folder, names, files in os.walk(self.root):
            for name in names + files:
                path = Path(folder, name)
                key = str(path.relative_to(self.root))
                if key.startswith(without or ("\0",)):
                    continue
                if path.is_symlink():
                    found[key] = "-> " + os.readlink(path)
                else:
                    found[key] = None if path.is_dir() else path.read_bytes()
        return found


def enter_netns(fd):
    # os.setns came with Python 3.12
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "setns")

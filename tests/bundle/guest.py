# SPDX-License-Identifier: BSD-3-Clause
"""A guest with the kernel of foreign.py and nothing in it but the bundle's program and busybox."""

import json
import re
import shutil
import subprocess

import foreign

SECONDS = 120
# What clouds give, what hypervisors give: 00:10.0, 00:11.0, 00:12.0, all on one hub.
NICS = [word for number, model in enumerate(("virtio-net-pci", "e1000", "vmxnet3")) for word in (
    "-netdev", f"hubport,id=hub{number},hubid=0",
    "-device", f"{model},netdev=hub{number},addr=0x{0x10 + number:x}")]
INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /run /var /tmp
ln -s /run /var/run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
exec </dev/ttyS0 >/dev/ttyS0 2>&1
give() { echo "RESULT $(cat "$1" | tr -d '\\n')"; }
case_() {
set -e
insmod /uio.ko
insmod /uio_pci_generic.ko
CASE
}
( case_ )
echo "STATUS $?"
poweroff -f
"""


def run(system, folder, cpu, devices, case):
    """Runs shell text in a guest. Returns what the console says, and the results given."""
    tree = folder / "tree"
    (tree / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), tree / "bin/busybox")
    shutil.copy(system.here / "build/app/pmdperf", tree / "bin/pmdperf")
    for name in foreign.MODULES:
        shutil.copy(foreign.WORK / f"{name}.ko", tree)
    (tree / "init").write_text(INIT.replace("CASE", case))
    (tree / "init").chmod(0o755)
    with open(folder / "initrd", "wb") as image:
        names = "".join(f"{path.relative_to(tree)}\n" for path in sorted(tree.rglob("*")))
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, input=names.encode(),
                       stdout=image, check=True)
    words = ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", cpu,
             "-smp", "2", "-m", "768", "-nodefaults", "-no-user-config", "-no-reboot",
             "-display", "none", "-serial", "stdio", "-kernel", foreign.WORK / "vmlinuz",
             "-initrd", folder / "initrd",
             "-append", "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable", *devices]
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=SECONDS)
    text = done.stdout.replace("\r", "")
    assert re.search(r"^STATUS 0$", text, re.M), text[-6000:]
    return text, [json.loads(line) for line in re.findall(r"^RESULT ({.*)$", text, re.M)]

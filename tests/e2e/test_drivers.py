# SPDX-License-Identifier: BSD-3-Clause
"""Two NICs of a guest are taken, frames go from one to the other, both are given back as they were."""

import json

import pytest

from guests import VIRTIO_IOMMU, hub

LOOP = """
modprobe {kernel_driver}
{prepare}
hugepages 128
ip addr add 10.9.0.1/24 dev $(interface_of $A)
ip link set $(interface_of $A) up
IF_A=$(interface_of $A) IF_B=$(interface_of $B)
wait_until 20 has_carrier $A
picture $IF_A $A >/out/picture.a
picture $IF_B $B >/out/picture.b
expect 0 $NIC bind $A --driver {driver}
expect 0 $NIC bind $B --driver {driver}
has_driver $A {bound}
has_driver $B {bound}
exchange $A $B 3 --txpkts=64
expect 0 $NIC status
expect 0 $NIC restore $A
expect 0 $NIC restore $B
same_picture $IF_A $A /out/picture.a
same_picture $IF_B $B /out/picture.b
ip netns add far
ip link set $IF_B netns far
ip -n far addr add 10.9.0.2/24 dev $IF_B
ip -n far link set $IF_B up
wait_until 10 answers 10.9.0.2
"""

CASES = {
    "virtio-igb_uio": dict(model="virtio-net-pci", driver="igb_uio"),
    "virtio-uio_pci_generic": dict(model="virtio-net-pci", driver="uio_pci_generic"),
    "virtio-vfio-iommu": dict(model="virtio-net-pci", driver="vfio-pci", iommu=True),
    "virtio-vfio-noiommu": dict(model="virtio-net-pci", driver="vfio-pci", noiommu=True),
    "vmxnet3-vfio-iommu": dict(model="vmxnet3", kernel_driver="vmxnet3", driver="vfio-pci",
                               iommu=True),
    "e1000e-vfio-iommu": dict(model="e1000e", kernel_driver="e1000e", driver="vfio-pci",
                              iommu=True),
    "e1000-igb_uio": dict(model="e1000", kernel_driver="e1000", driver="igb_uio"),
}


@pytest.mark.parametrize("name", CASES)
def test_frames_pass_and_the_nics_come_back(boot, image, name):
    case = CASES[name]
    iommu = case.get("iommu", False)
    if case.get("noiommu") and image.noiommu:
        pytest.skip(image.noiommu)
    text = LOOP.format(kernel_driver=case.get("kernel_driver", "virtio_net"),
                       driver=case["driver"], bound=case["driver"],
                       prepare="vfio_noiommu" if case.get("noiommu") else "")
    virtio = iommu and case["model"].startswith("virtio")
    guest = boot(text, hub(case["model"], **(VIRTIO_IOMMU if virtio else {})), memory=1024,
                 iommu=iommu)
    guest.wait()
    sent = json.loads((guest.folder / "tx.json").read_text())["summary"]["tx"]
    received = json.loads((guest.folder / "rx.json").read_text())["summary"]["rx"]
    assert sent["total_packets"] > 1000
    assert 0 < received["total_packets"] <= sent["total_packets"]

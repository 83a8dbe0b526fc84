# SPDX-License-Identifier: BSD-3-Clause
"""doctor.sh on machines of several kinds, as sysfs and procfs show them."""
import json

import pytest

from fake_kernel import write
from fake_system import FakeSystem

ETHTOOL = """
case $1 in
-l) printf 'Channel parameters for %s:\\nPre-set maximums:\\nRX:\\tn/a\\nCombined:\\t{most}\\nCurrent hardware settings:\\nCombined:\\t{now}\\n' "$2" ;;
-g) printf 'Ring parameters for %s:\\nPre-set maximums:\\nRX:\\t{ring}\\nTX:\\t{ring}\\nCurrent hardware settings:\\nRX:\\t256\\nTX:\\t256\\n' "$2" ;;
esac
"""
IP = """
case "$*" in
*'route show table all'*) echo "{route}" ;;
*'route get'*) echo "10.0.0.9 dev {dev} src 10.0.0.5" ;;
esac
"""


class Machine(FakeSystem):
    def __init__(self, folder, cpus="0-63", pages=(), cmdline=""):
        super().__init__(folder)
        self.node(0, cpus, dict(pages))
        for name, text in {"isolated": "", "smt/active": "1"}.items():
            write(self.sys / "devices/system/cpu" / name, text + "\n")
        write(self.sys / "devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
        write(self.sys / "kernel/security/lockdown", "[none] integrity confidentiality\n")
        write(self.sys / "module/kernel/parameters/consoleblank", "0\n")
        write(self.root / "proc/sys/kernel/printk", "4\t4\t1\t7\n")
        write(self.root / "proc/cpuinfo", "flags\t\t: fpu constant_tsc nonstop_tsc avx2\n")
        write(self.root / "proc/mounts", "/dev/sda1 / ext4 rw 0 0\n")
        write(self.root / "proc/locks", "")
        write(self.root / "proc/meminfo", "MemAvailable: 8388608 kB\nHugePages_Total: 0\n"
              "Hugepagesize: 2048 kB\n")

    def node(self, number, cpus, pages):
        folder = self.sys / f"devices/system/node/node{number}"
        write(folder / "cpulist", cpus + "\n")
        for size, (total, free) in pages.items():
            write(folder / f"hugepages/hugepages-{size}kB/nr_hugepages", f"{total}\n")
            write(folder / f"hugepages/hugepages-{size}kB/free_hugepages", f"{free}\n")

    def dmi(self, **names):
        for name, text in names.items():
            write(self.sys / "class/dmi/id" / name, text + "\n")

    def nic(self, address, name, now=1, most=1, ring=256, default=True, **more):
        self.add_pci(address, ifname=name, **more)
        net = self.sys / "class/net" / name
        for queue in range(now):
            (net / f"queues/rx-{queue}").mkdir(parents=True, exist_ok=True)
        write(net / "mtu", "1500\n")
        write(net / "carrier", "1\n")
        self.fake_tool("ethtool", ETHTOOL.format(most=most, now=now, ring=ring))
        route = f"default via 10.0.0.1 dev {name}" if default else ""
        self.fake_tool("ip", IP.format(route=route, dev=name))

    def doctor(self, *words, status=0):
        r = self.run("doctor.sh", *words, PMDPERF="/bin/true")
        assert r.returncode == status, r.stdout + r.stderr
        lines = r.stdout.splitlines()
        if "--json" not in words:
            assert all(len(line) < 80 for line in lines if not line.lstrip().startswith(">")), r.stdout
            lines = unfolded(lines)
        return lines


def unfolded(lines):
    """Each finding in a line, its command in the next."""
    whole = []
    for line in lines:
        if line.startswith(" " * 18) and not line.lstrip().startswith(">"):
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    return whole


def has(lines, *wanted):
    for line in wanted:
        assert line in lines, "\n".join([f"missing: {line}", *lines])


def test_amazon_with_ena(tmp_path):
    m = Machine(tmp_path, cpus="0-71", pages={2048: (512, 512)})
    m.dmi(sys_vendor="Amazon EC2", product_name="c5n.18xlarge")
    m.nic("0000:00:05.0", "ens5", now=32, most=32, ring=16384, driver="ena", vendor=0x1D0F,
          device=0xEC20, numa=0, virtio=False)
    m.add_process(300, "amazon-ssm-agen")
    lines = m.doctor()
    has(lines,
        "ok   machine      Amazon EC2, c5n.18xlarge",
        "ok   hugepages    node 0: 512 of 2 MB, 512 free",
        "ok   cpus         node 0: CPUs 0-71",
        "ok   threads      two a core; one lcore is put on each physical core",
        "ok   0000:00:05.0 driver ena, interface ens5, node 0",
        "ok   preset       ena, not verified, taken from documents: slow without write-combining: "
        "igb_uio with wc_activate=1, as nic.sh loads it, or a patched vfio",
        "ok   queues       ens5: 32",
        "ok   descriptors  ens5: 256 now, 16384 at most",
        "ok   traffic      ens5 carries the default route: it is taken at a console only",
        "warn agent        amazon-ssm-agen loses its connection",
        "ok   log-in       somebody can log in at a console",
        "0 bad, 1 warn, 26 ok")


def test_alibaba_with_one_queue_in_use(tmp_path):
    m = Machine(tmp_path)
    m.dmi(sys_vendor="Alibaba Cloud", product_name="Alibaba Cloud ECS")
    m.nic("0000:00:05.0", "eth0", now=1, most=32, ring=4096)
    lines = m.doctor("eth0")
    has(lines,
        "ok   machine      Alibaba Cloud",
        "ok   queues       eth0: 1 in the kernel's use, 32 possible, and pmdperf uses those",
        "warn hugepages    none is reserved; scripts/send and scripts/receive do it")
    assert lines[lines.index("warn hugepages    none is reserved; scripts/send and scripts/receive "
                             "do it") + 1].endswith("/hugepages.sh reserve --mem 512")


def test_azure_has_its_nic_on_another_bus(tmp_path):
    m = Machine(tmp_path)
    m.dmi(sys_vendor="Microsoft Corporation", product_name="Virtual Machine",
          chassis_asset_tag="7783-7084-3265-9085-8269-3286-77")
    m.add_process(400, "waagent")
    write(m.sys / "devices/system/clocksource/clocksource0/current_clocksource",
          "hyperv_clocksource_tsc_page\n")
    lines = m.doctor()
    has(lines,
        "ok   machine      Microsoft Azure",
        "ok   clock        hyperv_clocksource_tsc_page",
        "warn agent        waagent reports the machine as not ready",
        "                  > systemctl stop waagent",
        "warn nic          no NIC is on PCI: --io af_packet uses any interface")


def test_google_with_gvnic(tmp_path):
    m = Machine(tmp_path)
    m.dmi(sys_vendor="Google", product_name="Google Compute Engine")
    m.nic("0000:00:04.0", "ens4", now=16, most=16, driver="gvnic", vendor=0x1AE0, device=0x42,
          virtio=False)
    m.add_process(500, "google_guest_ag")
    has(m.doctor(),
        "ok   machine      Google Compute Engine",
        "ok   0000:00:04.0 driver gvnic, interface ens4, node n/a",
        "warn agent        google_guest_ag configures NICs anew")


def test_two_nodes_with_mlx5_and_an_iommu(tmp_path):
    m = Machine(tmp_path, cpus="0-23,48-71", pages={2048: (64, 0)})
    m.node(1, "24-47,72-95", {1048576: (4, 3)})
    m.dmi(sys_vendor="Dell Inc.", product_name="PowerEdge R740")
    m.nic("0000:3b:00.0", "p1p1", now=48, most=63, driver="mlx5_core", vendor=0x15B3,
          device=0x1017, numa=1, group=40, virtio=False, default=False)
    for cpu, governor in ((0, "performance"), (1, "powersave")):
        write(m.sys / f"devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor", governor + "\n")
    write(m.sys / "devices/system/cpu/isolated", "24-47\n")
    lines = m.doctor("0000:3b:00.0")
    has(lines,
        "ok   machine      Dell Inc. PowerEdge R740",
        "ok   hugepages    node 0: 64 of 2 MB, 0 free, node 1: 4 of 1 GB, 3 free",
        "ok   cpus         node 0: CPUs 0-23,48-71; node 1: CPUs 24-47,72-95",
        "ok   isolated     CPUs 24-47 are kept from other programs",
        "warn governor     performance powersave: rates change with the frequency",
        "                  > cpupower frequency-set -g performance",
        "ok   iommu        on, 1 groups: vfio-pci isolates the NIC",
        "ok   queues       p1p1: 48 in the kernel's use, 63 possible, and pmdperf uses those")
    text = " ".join(" ".join(lines).split())
    assert ("0000:3b:00.0 driver mlx5_core, interface p1p1, node 1; mlx5 (or mlx4): DPDK uses it beside "
            "the kernel") in text
    assert not any(line.startswith("ok   traffic") for line in lines)


def test_a_machine_with_everything_wrong(tmp_path):
    m = Machine(tmp_path)
    m.nic("0000:00:05.0", "eth0")
    write(m.sys / "class/net/eth0/carrier", "0\n")
    write(m.sys / "kernel/security/lockdown", "none [integrity] confidentiality\n")
    write(m.sys / "module/kernel/parameters/consoleblank", "600\n")
    write(m.root / "proc/sys/kernel/printk", "7\t4\t1\t7\n")
    write(m.root / "proc/mounts", "10.0.0.9:/root / nfs4 rw,addr=10.0.0.9 0 0\n")
    write(m.root / "proc/meminfo", "MemAvailable: 262144 kB\nHugePages_Total: 0\n"
          "Hugepagesize: 2048 kB\n")
    write(m.root / "etc/shadow", "root:!:19000:0:99999:7:::\n")
    write(m.sys / "devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
    write(m.root / "proc/cpuinfo", "flags\t\t: fpu constant_tsc\n")
    lines = m.doctor(status=1)
    has(lines,
        "bad  memory       256 MB are available, a run needs 512 MB with all it starts",
        "bad  lockdown     the kernel is locked down (secure boot), and there is no IOMMU: "
        "no driver can take a NIC",
        "warn blanking     the screen goes dark after 600 s; a run quiets that",
        "warn messages     the kernel writes over the console (level 7); a run quiets that",
        "warn log-in       no account has a password, so nobody can log in at a console",
        "warn clock        hpet: reading the time is slow, and the TSC is not trusted",
        "warn link         eth0: no carrier",
        "                  > ip link set eth0 up")
    assert "bad storage eth0 carries nfs4 on / from 10.0.0.9" in " ".join(" ".join(lines).split())
    blocking = m.doctor("--blocking", status=1)
    assert {line.split()[1] for line in blocking if line.startswith("bad")} == {
        "memory", "lockdown", "storage"}
    assert not any(line.startswith(("ok ", "warn")) for line in blocking)


def test_nothing_is_blocking(tmp_path):
    m = Machine(tmp_path)
    m.nic("0000:00:05.0", "eth0")
    assert m.doctor("--blocking") == []


def test_other_programs_of_dpdk(tmp_path):
    m = Machine(tmp_path)
    config = m.root / "var/run/dpdk/rte/config"
    write(config, "")
    m.add_process(700, "testpmd")
    inode = config.stat().st_ino
    write(m.root / "proc/locks", f"1: POSIX  ADVISORY  WRITE 700 08:01:{inode} 0 EOF\n")
    has(m.doctor(), "warn programs     other programs of DPDK run: testpmd (700)")
    write(m.root / "proc/locks", "")
    has(m.doctor(), "ok   programs     no other program of DPDK runs")


def test_a_taken_nic(tmp_path):
    m = Machine(tmp_path)
    m.add_pci("0000:00:05.0", at="vfio-pci", group=3)
    lines = m.doctor()
    has(lines, "warn 0000:00:05.0 taken by vfio-pci already")
    assert any(line.endswith("nic.sh restore 0000:00:05.0") for line in lines)


def test_json_says_the_same(tmp_path):
    m = Machine(tmp_path)
    m.dmi(sys_vendor='A "quoted" \\ vendor', product_name="x")
    m.nic("0000:00:05.0", "eth0")
    lines = m.doctor()
    found = json.loads("\n".join(m.doctor("--json")))
    assert found["schema"] == "pmdperf-doctor/1"
    assert lines[-1] == f"{found['bad']} bad, {found['warn']} warn, {found['ok']} ok"
    assert len(found["findings"]) == found["bad"] + found["warn"] + found["ok"]
    assert found["findings"][0]["text"] == 'A "quoted" \\ vendor x'
    text = " ".join(" ".join(lines).split())
    for finding in found["findings"]:
        assert f"{finding['state']} {finding['name']} {finding['text']}" in text
        assert (finding["command"] is None) == (finding["state"] == "ok")


def test_looks_only(tmp_path):
    m = Machine(tmp_path)
    m.nic("0000:00:05.0", "eth0")
    before = {p: (p.read_bytes() if p.is_file() else None) for p in m.root.rglob("*")}
    m.doctor()
    after = {p: (p.read_bytes() if p.is_file() else None) for p in m.root.rglob("*")}
    assert before == after


@pytest.mark.parametrize("words, text", [
    (["--frob"], "unknown option '--frob'"),
    (["eth0", "eth1"], "one NIC at a time"),
    (["--json", "--blocking"], "one of --json and --blocking"),
    (["eth9"], "there is no NIC 'eth9'"),
])
def test_mistyped(tmp_path, words, text):
    m = Machine(tmp_path)
    m.nic("0000:00:05.0", "eth0")
    r = m.run("doctor.sh", *words)
    assert r.returncode == 2
    assert text in r.stderr and r.stdout == ""

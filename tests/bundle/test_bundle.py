# SPDX-License-Identifier: BSD-3-Clause
"""The tarball: what is in it, that it is the same each time, and that it needs nothing from the
system it is unpacked on.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import guest
from conftest import BUILD, ROOT, make

NULL = "--no-pci --no-huge -m 256 --vdev=net_null0 -- --forward-mode=txonly".split()
# What x86-64-v2 does not have: all that is encoded as VEX, BMI, MOVBE, RTM. TZCNT is not among
# them: the compiler writes it for BSF, which older CPUs take it for.
TOO_NEW = re.compile(
    r"^\s+[0-9a-f]+:\s+(?:\w+ )?(v(?!err|erw|mcall|mlaunch)[a-z0-9]+|andn|bextr|bls(?:i|msk|r)|bzhi"
    r"|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe|xbegin|adcx|adox|rdrand|rdseed)[lqw]?\s", re.M)


def out(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True,
                          check=True).stdout


def too_new(file):
    return set(TOO_NEW.findall(out("objdump", "-d", "--no-show-raw-insn", file)))


def mapped(pid):
    """The files that a process has code of."""
    found = set()
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split(None, 5)
        if "x" in fields[1] and len(fields) == 6 and not fields[5].startswith("["):
            found.add(fields[5])
    return found


# -- the tarball --


def test_it_says_what_it_made(bundle):
    file, said = bundle
    data = file.read_bytes()
    assert f"Bundle  {file}\n" in said
    assert f"Size    {len(data)} bytes\n" in said
    assert said.endswith(f"SHA256  {hashlib.sha256(data).hexdigest()}\n")


def test_it_is_the_same_each_time(bundle, tmp_path):
    again = tmp_path / "again.tar.gz"
    make(again)
    assert again.read_bytes() == bundle[0].read_bytes()


def test_owners_times_and_modes_say_nothing_of_the_maker(bundle):
    with tarfile.open(bundle[0]) as tar:
        members = tar.getmembers()
    names = [member.name for member in members]
    assert {(m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, "", "")}
    assert len({m.mtime for m in members}) == 1
    assert {m.mode & 0o777 for m in members if m.isdir()} == {0o755}
    assert {m.mode & 0o777 for m in members if m.isfile()} == {0o755, 0o644}
    assert not [name for name in names if "__pycache__" in name]
    assert len(set(names)) == len(names)


def test_users_get_what_users_need(system):
    top = {path.name for path in system.here.iterdir()}
    assert top == {"BUNDLE", "LICENSE", "README.md", "README.txt", "bin", "build", "config",
                   "dpdk-kmods", "licences", "scripts", "source"}
    scripts = {str(path.relative_to(ROOT)) for path in (ROOT / "scripts").rglob("*.sh")}
    there = {str(path.relative_to(system.here)) for path in (system.here / "scripts").rglob("*.sh")}
    assert scripts - there == {"scripts/bench.sh", "scripts/bundle.sh", "scripts/test.sh"}
    assert there - scripts == set()
    assert os.readlink(system.here / "bin/pmdperf") == "../build/app/pmdperf"


def test_readme_fits_a_screen_and_names_the_folder(system):
    lines = (system.here / "README.txt").read_text().splitlines()
    assert lines[0] == system.here.name
    assert max(map(len, lines)) <= 88
    assert len(lines) <= 45
    assert f"    tar xzf {system.here.name}.tar.gz" in lines


def test_each_package_has_its_licence(system):
    folder = system.here / "licences"
    packages = {line.split()[0]: line.split()[1] for line in
                (folder / "VERSIONS").read_text().splitlines()}
    assert {path.name for path in folder.iterdir()} == {*packages, "VERSIONS", "common",
                                                        "dpdk-kmods-dkms"}
    assert {"libc6-dev", "libdpdk-dev", "libibverbs-dev", "libjansson-dev", "libnuma-dev"} \
        <= set(packages)
    assert packages["libc6-dev"] == "glibc"
    for package in packages:
        text = (folder / package).read_text(errors="replace")
        assert text == Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        assert "opyright" in text
    assert {"GPL-2", "LGPL-2.1", "LGPL-3"} <= {path.name for path in (folder / "common").iterdir()}


@pytest.mark.parametrize("words, status, said", [
    (["--out"], 2, "--out takes the name of a file"),
    (["--out="], 2, "--out takes the name of a file"),
    (["--oot", "x"], 2, "unknown argument '--oot'"),
    (["--out", "/no-such-folder/x"], 1, "the folder /no-such-folder is not there"),
    (["--out", "/tmp"], 1, "--out /tmp is a folder"),
])
def test_wrong_words_are_refused_before_anything_is_built(words, status, said):
    done = subprocess.run([ROOT / "scripts/bundle.sh", *words], capture_output=True, text=True)
    assert done.returncode == status
    assert said in done.stderr
    assert "Building" not in done.stdout


# -- the program --


def test_the_program_needs_no_loader_and_an_old_kernel(system):
    file = system.here / "build/app/pmdperf"
    headers = out("readelf", "-lW", file)
    assert "LOAD" in headers
    assert "INTERP" not in headers and "DYNAMIC" not in headers
    major, minor = re.search(r"OS: Linux, ABI: (\d+)\.(\d+)", out("readelf", "-nW", file)).groups()
    assert (int(major), int(minor)) <= (4, 18)


def test_our_own_code_has_no_instruction_beyond_x86_64_v2(system, tmp_path):
    # Libraries choose at run time what they use of newer CPUs. What is ours does not.
    objects = sorted(BUILD.glob("app/*.p/*.o")) + sorted(BUILD.glob("lib/*.p/*.o"))
    assert {path.name for path in objects} >= {"engine_txonly.c.o", "eal.c.o", "eal_args.c.o"}
    assert [(path.name, too_new(path)) for path in objects if too_new(path)] == []
    # That such code would be found:
    (tmp_path / "new.c").write_text("void f(float *a) { for (int i = 0; i < 64; i++) a[i] *= 2; }\n"
                                    "unsigned g(unsigned a, int b) { return a << b; }\n")
    out("cc", "-O3", "-march=haswell", "-c", tmp_path / "new.c", "-o", tmp_path / "new.o")
    assert {"vmovups", "shlx"} <= too_new(tmp_path / "new.o")


def test_the_drivers_of_clouds_are_in_it(system):
    text = (system.here / "build/app/pmdperf").read_bytes()
    there = set(re.findall(rb'PMD_INFO_STRING= \{"name": "(\w+)"', text))
    assert there >= {
        b"net_virtio", b"net_virtio_user", b"net_vhost", b"net_null", b"net_ring", b"net_memif",
        b"net_af_packet", b"net_af_xdp", b"net_tap", b"net_ena", b"net_gve", b"net_netvsc",
        b"mlx5_common_pci", b"mlx5_eth", b"net_mlx4", b"net_ixgbe", b"net_ixgbe_vf", b"net_i40e",
        b"net_ice", b"net_iavf", b"net_idpf", b"net_e1000_em", b"net_e1000_igb",
        b"net_e1000_igb_vf", b"net_vmxnet3", b"net_bnxt", b"net_hinic", b"net_enic",
        b"net_ionic_pci", b"net_igc",
    }


def test_the_verbs_of_mlx4_and_mlx5_register_themselves(system):
    symbols = out("nm", BUILD / "app/pmdperf")
    for name in ("verbs_provider_mlx4", "verbs_provider_mlx5"):
        assert re.search(rf" [RDrd] {name}$", symbols, re.M)
    # The constructor that rdma-core gives to each of them.
    assert symbols.count(" t drv__register_driver\n") == 2


def test_its_source_makes_the_same_program(system, tmp_path):
    shutil.copytree(system.here / "source", tmp_path / "source")
    options = (tmp_path / "source/MESON_OPTIONS").read_text().split()
    build = tmp_path / "source/build"
    out("meson", "setup", *options, build, tmp_path / "source")
    out("ninja", "-C", build, "app/pmdperf")
    out("strip", build / "app/pmdperf")
    assert (build / "app/pmdperf").read_bytes() == (system.here / "build/app/pmdperf").read_bytes()


# -- in another system --


def test_the_system_is_another_one(system):
    assert not (system.root / "usr/bin/python3").exists()
    assert not (system.root / "usr/bin/cc").exists()
    host = re.search(r'VERSION_CODENAME=(\w+)', Path("/etc/os-release").read_text())[1]
    assert system.release != host


@pytest.mark.parametrize("name", ["build/app/pmdperf", "bin/pmdperf"])
def test_questions_are_answered(system, name):
    version = (system.here / "BUNDLE").read_text().splitlines()[0]
    assert re.fullmatch(r"pmdperf \d+\.\d+\.\d+, DPDK \S+", version)
    done = system.run(system.top / name, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, version + "\n", "")
    done = system.run(system.top / name, "--help")
    assert done.returncode == 0
    assert done.stdout == out(BUILD / "app/pmdperf", "--help")


def test_a_run_sends_and_uses_no_file_of_the_system(system):
    # DPDK's drivers of that system, which a DPDK in shared libraries would load.
    plugins = next(Path("/usr/lib").glob("*/dpdk/pmds-*"))
    decoys = system.root / plugins.relative_to("/")
    decoys.mkdir(parents=True, exist_ok=True)
    shutil.copy(plugins / f"librte_net_ring.so.{plugins.name[5:].split('.')[0]}", decoys)
    result = system.root / "tmp/null.json"
    child = system.start(system.program, *NULL, "--warmup=0", "--stats-period=100ms",
                         "--duration=60", "--json=/tmp/null.json")
    try:
        assert child.stdout.readline().startswith("pmdperf ")
        assert mapped(child.pid) == {str(system.here / "build/app/pmdperf")}
        # By this name the dead man's switch knows it.
        assert Path(f"/proc/{child.pid}/comm").read_text() == "pmdperf\n"
        next(line for line in child.stdout if re.match(r" +\d+\.\d{3} ", line))
        child.terminate()
        text, _ = child.communicate(timeout=20)
    finally:
        child.kill()
        child.wait()
        shutil.rmtree(decoys)
    assert child.returncode == 0, text
    report = json.loads(result.read_text())
    assert report["ports"][0]["driver"] == "net_null"
    assert report["summary"]["tx"]["packets"] > 0
    assert list((system.root / "run").glob("dpdk/*")) == []


def test_a_packet_socket_sends(system):
    command = " ".join(["ip link set lo up && exec", str(system.program),
                        "--no-pci --no-huge -m 256 --vdev=net_af_packet0,iface=lo",
                        "-- --forward-mode=txonly --warmup=0",
                        "--duration=1 --json=/tmp/lo.json --dst-mac=02:00:00:00:00:02"])
    done = system.run("sh", "-c", command, net=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((system.root / "tmp/lo.json").read_text())
    assert report["ports"][0]["driver"] == "net_af_packet"
    assert report["summary"]["tx"]["packets"] > 0


def test_quickstart_measures_without_python_or_compiler(system):
    done = system.run(system.top / "scripts/quickstart.sh", "--seconds", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert "Building" not in done.stdout and "Installing" not in done.stdout
    (folder,) = (system.here / "results").iterdir()
    for size in (64, 1430):
        tx, rx = (json.loads((folder / f"{size}-{side}.json").read_text())["summary"][way]
                  for side, way in (("sender", "tx"), ("receiver", "rx")))
        assert tx["total_packets"] == rx["total_packets"] > 0
        assert f"Frames of {size} bytes, received through a virtio ring" in done.stdout
    assert done.stdout.count("\nRECEIVED\n") == 2


def test_hugepages_status_asks_the_program(system):
    done = system.run(system.top / "scripts/hugepages.sh", "status")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["node", "pages", "all", "free", "ours", "needed"]
    assert "not known" not in done.stdout


def test_nic_status_lists(system):
    done = system.run(system.top / "scripts/nic.sh", "status")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PCI address  interface ")


def test_nic_sh_finds_the_source_of_igb_uio(system):
    text = f"""
cd {system.top}/scripts/lib
. ./common.sh; . ./system.sh; . ./nic/igb_uio.sh
igb_uio_source
"""
    done = system.run("bash", "-euc", text)
    assert done.stdout == f"{system.top}/dpdk-kmods\n"
    assert 'MODULE_DESCRIPTION("UIO driver for Intel IGB PCI cards")' in \
        (system.here / "dpdk-kmods/igb_uio.c").read_text()


# -- on an old CPU --


def test_nics_work_on_a_cpu_of_2008_and_an_old_kernel(system, tmp_path):
    """x86-64-v2 and no more: an instruction beyond it would end the program."""
    text, results = guest.run(system, tmp_path, "Nehalem", guest.NICS, """
flags=$(grep -m 1 ^flags /proc/cpuinfo)
case $flags in *avx*) exit 1 ;; *sse4_2*) ;; esac
echo 100 >/proc/sys/vm/nr_hugepages
for nic in 0000:00:10.0 0000:00:11.0 0000:00:12.0; do
	echo uio_pci_generic >/sys/bus/pci/devices/$nic/driver_override
	echo $nic >/sys/bus/pci/drivers_probe
	pmdperf -a $nic -- --forward-mode=txonly --duration=1 --warmup=0 --json=/$nic.json
	give /$nic.json
done
pmdperf --no-pci --vdev=net_null0 -- --forward-mode=txonly --duration=1 --json=/null.json
give /null.json
""")
    drivers = [result["ports"][0]["driver"] for result in results]
    assert drivers == ["net_virtio", "net_e1000_em", "net_vmxnet3", "net_null"], text
    assert min(result["summary"]["tx"]["packets"] for result in results) > 0
    kernel = results[0]["host"]["kernel"]
    assert kernel.split(".")[:2] != os.uname().release.split(".")[:2]


def test_a_cpu_that_is_too_old_is_told(system, tmp_path):
    """As the CPUs kvm64 and qemu64 are, which some virtual machines have."""
    text, _ = guest.run(system, tmp_path, "kvm64", [], """
status=0
pmdperf --version || status=$?
echo "ended with $status"
""")
    assert "pmdperf: this CPU has no POPCNT, which this build needs." in text
    assert "ended with 1\n" in text

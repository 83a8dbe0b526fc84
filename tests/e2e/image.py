# SPDX-License-Identifier: BSD-3-Clause
"""What a guest boots: a kernel of the distribution, its modules, igb_uio and a vfio that knows the
no-IOMMU mode, and an initramfs with the tools that the cases use. Nothing is installed on the
host: packages are downloaded and unpacked into build/e2e/. The project's own files are not in it:
guests see them as they are.
"""

import fcntl
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "e2e"
PROGRAM_BUILD = WORK / "pmdperf"
FORMAT = 9  # of the image: raised when what is put into it changes

MODULES = """
virtio_pci virtio_net vmxnet3 e1000 e1000e igb
9p 9pnet_virtio af_packet veth dummy tun bridge
uio uio_pci_generic igb_uio
vfio vfio_pci vfio_iommu_type1
""".split()

TOOLS = """
/usr/bin/bash /usr/sbin/ip /usr/sbin/tc /usr/sbin/ethtool /usr/bin/flock /usr/bin/setsid
/usr/bin/ss /usr/bin/ping /usr/bin/stty
""".split()

PMDS = """
bus_pci bus_vdev mempool_ring net_virtio net_e1000 net_vmxnet3 net_null net_ring
""".split()


class Unavailable(Exception):
    """QEMU or a package cannot be had here: the tests are skipped and say what. Whatever else goes
    wrong is a failure."""


def run(*words, error=RuntimeError, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        tail = (done.stdout + done.stderr).strip().splitlines()[-8:]
        raise error(f"{' '.join(map(str, words))[:120]} failed:\n" + "\n".join(tail))
    return done.stdout


def with_fresh_lists(function, *arguments):
    """apt's lists may be too old, or not there: then they are fetched, and once more."""
    try:
        return function(*arguments)
    except Unavailable:
        if not shutil.which("apt-get"):
            raise
        run("apt-get", "update", error=Unavailable)
        return function(*arguments)


def kernel_package():
    """("6.1.0-57-amd64", "6.1.192-3") of the distribution's generic kernel."""
    if not shutil.which("apt-get"):
        raise Unavailable("guests are made of Debian's packages, and there is no apt-get here")
    depends = run("apt-cache", "depends", "linux-image-amd64", error=Unavailable)
    found = re.search(r"Depends: linux-image-(\d\S*-amd64)\s", depends)
    if not found:
        raise Unavailable("there is no package linux-image-amd64")
    policy = run("apt-cache", "policy", f"linux-image-{found[1]}")
    version = re.search(r"Candidate: (\d\S*)", policy)
    if not version:
        raise Unavailable(f"the package linux-image-{found[1]} cannot be had")
    return found[1], version[1]


def libraries_of(package):
    """Its packages of libraries that a host may not have; their names change with the release."""
    return re.findall(r"Depends: (libtom\S+)", run("apt-cache", "depends", package, error=Unavailable))


def fetch(release, version):
    """Downloads and unpacks: returns the folder of each package."""
    base = re.match(r"\d+\.\d+", release)[0]
    names = {
        f"linux-image-{release}": version,
        f"linux-headers-{release}": version,
        f"linux-headers-{release.removesuffix('-amd64')}-common": version,
        f"linux-kbuild-{base}": version,
        "linux-compiler-gcc-12-x86": version,
        f"linux-source-{base}": version,
        "dpdk-kmods-dkms": None,
        "isc-dhcp-client": None,
        "dropbear-bin": None,
        **dict.fromkeys(libraries_of("dropbear-bin")),
    }
    debs = WORK / "debs"
    shutil.rmtree(debs, ignore_errors=True)
    debs.mkdir(parents=True)
    run("apt-get", "download", *[f"{n}={v}" if v else n for n, v in names.items()], cwd=debs,
        error=Unavailable)
    folders = {}
    for name in names:
        deb = next(debs.glob(f"{name}_*.deb"))
        folder = WORK / "packages" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if not name.startswith("linux-source"):
            run("dpkg-deb", "-x", deb, folder)
        folders[name.split("-6")[0]] = folder
    folders["source"] = next(debs.glob("linux-source*.deb"))
    return folders


def headers(release):
    """One tree of headers, as the packages would install them."""
    tree = WORK / "headers"
    shutil.rmtree(tree, ignore_errors=True)
    for folder in (WORK / "packages").glob("linux-*"):
        if "image" not in folder.name:
            shutil.copytree(folder, tree, symlinks=True, dirs_exist_ok=True)
    build = tree / "usr/src" / f"linux-headers-{release}"
    makefile = build / "Makefile"
    text = makefile.read_text()
    makefile.write_text(text.replace("/usr/src/linux-headers", f"{tree}/usr/src/linux-headers"))
    return build


def build_igb_uio(build, folders):
    source = next(folders["dpdk-kmods-dkms"].glob("usr/src/dpdk-kmods-*"))
    run("make", "-s", "-C", build, f"M={source}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")
    return next(source.rglob("igb_uio.ko"))


def build_vfio_noiommu(build, folders):
    """No Debian kernel has CONFIG_VFIO_NOIOMMU. vfio.ko alone, built with it, serves the others."""
    tree = WORK / "vfio"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    deb = folders["source"]
    inner = run("dpkg-deb", "-c", deb).split()
    archive = next(w for w in inner if w.endswith(".tar.xz"))
    name = Path(archive).name.removesuffix(".tar.xz")
    run("bash", "-o", "pipefail", "-c", f"dpkg-deb --fsys-tarfile '{deb}' | tar -xO '{archive}' "
        f"| tar -xJ -C '{tree}' --strip-components=3 '{name}/drivers/vfio'")
    (tree / "Kbuild").write_text(
        "ccflags-y += -DCONFIG_VFIO_NOIOMMU=1\nobj-m += vfio.o\n"
        "vfio-y := vfio_main.o iova_bitmap.o container.o\n")
    run("make", "-s", "-C", build, f"M={tree}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")
    return tree / "vfio.ko"


def unpack_kernel(image):
    """An ELF kernel, which QEMU starts four seconds sooner than a packed one."""
    data = image.read_bytes()
    at = data.find(b"\xfd7zXZ\x00")
    if at < 0:
        return data
    return lzma.LZMADecompressor().decompress(data[at:])


class Tree:
    """The initramfs while it is put together."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in "dev proc sys run tmp out src root etc var/lib/dhcp usr/bin usr/sbin usr/lib " \
                    "usr/lib64 sbin/x".split():
            (folder / name).mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "sbin")
        for name in ("bin", "sbin", "lib", "lib64"):
            (folder / name).symlink_to(f"usr/{name}")
        (folder / "var/run").symlink_to("/run")

    def path(self, at):
        """Where a path of the host is here: /lib is a link to /usr/lib."""
        text = str(at)
        return self.folder / (text if text.startswith("/usr") else "/usr" + text).lstrip("/")

    def put(self, file, at=None):
        """A file, and the libraries it needs. A driver of DPDK that is a library of others, too,
        must stay one file, or it is loaded twice."""
        real = Path(file).resolve()
        at = self.path(at or file)
        if at.exists() or at.is_symlink():
            return
        at.parent.mkdir(parents=True, exist_ok=True)
        if "/dpdk/pmds-" in str(real) and self.path(real) != at:
            self.put(real)
            at.symlink_to(real)
            return
        shutil.copy(real, at)
        self.put_libraries(real)

    def put_libraries(self, file):
        listed = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
        for library in re.findall(r"(?:=> )?(/\S+) \(0x", listed):
            self.put(library)


def modules(tree, release, folders, igb_uio, vfio_noiommu):
    """The modules that the cases use and what they depend on. The vfio with no-IOMMU mode lies
    beside the distribution's and is loaded by name."""
    image = folders["linux-image"]
    stock = next(p for p in (image / "lib/modules", image / "usr/lib/modules") if p.exists())
    full = stock / release
    (full / "updates").mkdir(exist_ok=True)
    shutil.copy(igb_uio, full / "updates/igb_uio.ko")
    base = stock.parents[1 if stock.parent.parent.name == "usr" else 0].parent
    run("busybox", "depmod", "-b", base if (base / "lib/modules").exists() else image, release)
    wants = {}
    for line in (full / "modules.dep").read_text().splitlines():
        path, _, needs = line.partition(":")
        wants[Path(path).name.split(".ko")[0].replace("-", "_")] = [path, *needs.split()]
    target = tree.folder / "usr/lib/modules" / release
    for name in MODULES:
        for path in wants.get(name, ()):
            copy = target / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(full / path, copy)
    for name in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        if (full / name).exists():
            shutil.copy(full / name, target / name)
    for packed in target.rglob("*.ko.xz"):
        run("xz", "-d", packed)
    for module in target.rglob("*.ko"):
        run("strip", "-g", module)
    run("busybox", "depmod", "-b", tree.folder, release)
    if vfio_noiommu:
        shutil.copy(vfio_noiommu, tree.folder / "root/vfio.ko")
        run("strip", "-g", tree.folder / "root/vfio.ko")


def userland(tree, folders):
    for tool in TOOLS:
        tree.put(shutil.which(Path(tool).name) or tool, tool)
    # Not busybox's, which takes its own ip and others before those on PATH.
    (tree.folder / "usr/bin/sh").symlink_to("bash")
    busybox = shutil.which("busybox")
    tree.put(busybox, "/usr/bin/busybox")
    for name in run(busybox, "--list").split():
        for at in (tree.folder / "usr/bin" / name, tree.folder / "usr/sbin" / name):
            if at.exists():
                break
        else:
            (tree.folder / "usr/bin" / name).symlink_to("busybox")
    for name in ("modprobe", "insmod", "udhcpc", "reboot"):
        at = tree.folder / "usr/sbin" / name
        if not at.exists():
            at.symlink_to("../bin/busybox")
    dhcp = folders["isc-dhcp-client"]
    tree.put(dhcp / "sbin/dhclient", "/usr/sbin/dhclient")
    shutil.copy(dhcp / "sbin/dhclient-script", tree.folder / "usr/sbin/dhclient-script")
    (tree.folder / "etc/dhcp").mkdir()
    (tree.folder / "etc/dhcp/dhclient.conf").write_text(
        "request subnet-mask, broadcast-address, routers, domain-name-servers;\n")
    ssh_server(tree, folders)
    (tree.folder / "etc/fstab").write_text("")
    # With a password that is none, so that somebody "could log in".
    (tree.folder / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (tree.folder / "etc/shadow").write_text("root:$6$guest$guest:19000:0:99999:7:::\n")
    (tree.folder / "etc/group").write_text("root:x:0:\n")


def ssh_server(tree, folders):
    """With libraries of its own packages."""
    for library in [f for n in folders if n.startswith("libtom") for f in folders[n].rglob("*.so.*")]:
        shutil.copy(library, tree.folder / "usr/lib" / library.name, follow_symlinks=False)
        tree.put_libraries(library)
    tree.put(next(folders["dropbear-bin"].rglob("sbin/dropbear")), "/usr/sbin/dropbear")
    (tree.folder / "etc/dropbear").mkdir()
    (tree.folder / "etc/shells").write_text("/bin/bash\n")


def pmds(tree):
    """Only the drivers that are used: EAL starts seconds sooner. Those the program itself is
    linked with come as its libraries."""
    found = sorted(Path("/usr/lib").glob("*/dpdk/pmds-*"))
    if not found:
        raise Unavailable("there is no folder of DPDK's drivers in /usr/lib")
    plugins = found[-1]
    suffix = plugins.name.removeprefix("pmds-")
    for name in PMDS:
        library = plugins / f"librte_{name}.so.{suffix.split('.')[0]}"
        tree.put(library)


def program(tree):
    """Built for a processor that QEMU has. It stays outside: guests see the build folder."""
    binary = PROGRAM_BUILD / "app/pmdperf"
    if not (PROGRAM_BUILD / "build.ninja").exists():
        run("meson", "setup", PROGRAM_BUILD, ROOT, "-Dmarch=x86-64-v2", "-Dtests=disabled")
    run("ninja", "-C", PROGRAM_BUILD, "app/pmdperf")
    if tree:
        tree.put_libraries(binary)
        for extra in Path("/usr/lib").glob("*/libgcc_s.so.1"):
            tree.put(extra)
    return binary


def pack(tree, target):
    shutil.copy(Path(__file__).with_name("guest") / "init", tree.folder / "init")
    (tree.folder / "init").chmod(0o755)
    run("bash", "-o", "pipefail", "-c",
        f"cd '{tree.folder}' && find . | cpio -o -H newc --quiet | lz4 -q -l -f - '{target}'")


class Image:
    """kernel and initrd are files for QEMU. noiommu: why no-IOMMU mode is missing, or None."""

    def __init__(self):
        if not shutil.which("qemu-system-x86_64"):
            raise Unavailable("there is no qemu-system-x86_64")
        self.kernel = WORK / "vmlinux"
        self.initrd = WORK / "initrd"
        WORK.mkdir(parents=True, exist_ok=True)
        # Tests in several processes: the first makes it, the others wait.
        with open(WORK / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.have()
        self.noiommu = (WORK / "noiommu").read_text() or None

    def have(self):
        release, version = with_fresh_lists(kernel_package)
        stamp = WORK / "stamp"
        want = f"{FORMAT} {release} {version} {run('pkg-config', '--modversion', 'libdpdk')}"
        if not stamp.exists() or stamp.read_text() != want:
            self.make(release, version)
            stamp.write_text(want)
        else:
            program(None)

    def make(self, release, version):
        (WORK / "stamp").unlink(missing_ok=True)
        folders = with_fresh_lists(fetch, release, version)
        build = headers(release)
        igb_uio = build_igb_uio(build, folders)
        try:
            vfio = build_vfio_noiommu(build, folders)
            (WORK / "noiommu").write_text("")
        except RuntimeError as why:
            vfio = None
            (WORK / "noiommu").write_text(f"vfio with no-IOMMU mode does not build: {why}")
        self.kernel.write_bytes(unpack_kernel(
            folders["linux-image"] / "boot" / f"vmlinuz-{release}"))
        tree = Tree(WORK / "root")
        userland(tree, folders)
        modules(tree, release, folders, igb_uio, vfio)
        program(tree)
        pmds(tree)
        pack(tree, self.initrd)
        for name in ("debs", "packages", "headers", "vfio", "root"):
            shutil.rmtree(WORK / name, ignore_errors=True)


if __name__ == "__main__":
    Image()

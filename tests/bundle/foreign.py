# SPDX-License-Identifier: BSD-3-Clause
"""A small system of another release, with an old C library, an old bash and no Python, and a kernel
of its time: packages of Debian, unpacked and not installed. Made once, in a minute, and kept in
build/bundle/.
"""

import fcntl
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bundle"
FORMAT = 1  # raised when what is put into it changes
RELEASES = ("buster", "bullseye", "trixie")  # the first that the mirror still has
MODULES = ("uio", "uio_pci_generic")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = """
bash coreutils dash findutils grep gzip iproute2 mawk sed tar util-linux
""".split()

# Nothing of it is left when the words end: the mounts are in a namespace of their own.
ENTER = """
set -e
mount -t proc -o ro proc "$0/proc"
mount -t sysfs -o ro sysfs "$0/sys"
mount --bind /dev "$0/dev"
mount -o remount,bind,ro "$0/dev"
exec chroot "$0" "$@"
"""


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        tail = (done.stdout + done.stderr).strip().splitlines()[-8:]
        raise RuntimeError(f"{' '.join(map(str, words))[:120]} failed:\n" + "\n".join(tail))
    return done.stdout


def mirror():
    """The archive of Debian that this machine uses."""
    uris = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    for uri in uris.split():
        if re.search(r"/debian/?$", uri):
            return uri
    raise RuntimeError("apt knows no archive of Debian here: see /etc/apt/sources.list")


def fetch(release):
    """Downloads the packages and all that they depend on, with apt, by its own rules; to a folder
    of its own, as for a machine where nothing is installed."""
    folder = WORK / "apt"
    shutil.rmtree(folder, ignore_errors=True)
    for name in "state/lists/partial cache/archives/partial".split():
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources").write_text(f"deb [signed-by={KEYS}] {mirror()} {release} main\n")
    apt = ["apt-get", "-q"]
    for name, value in {
        "Dir::Etc::sourcelist": folder / "sources",
        "Dir::Etc::sourceparts": "-",
        "Dir::Etc::preferencesparts": "-",
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Check-Valid-Until": "false",
    }.items():
        apt += ["-o", f"{name}={value}"]
    run(*apt, "-o", "APT::Update::Error-Mode=any", "update")
    run(*apt, "--download-only", "-y", "--no-install-recommends", "install", *PACKAGES)
    depends = run("apt-cache", *apt[2:], "depends", "linux-image-amd64")
    run(*apt, "download", re.search(r"Depends: (linux-image-\d\S*)", depends)[1], cwd=folder)
    return sorted((folder / "cache/archives").glob("*.deb")), next(folder.glob("linux-image-*.deb"))


def unpack(debs, root):
    shutil.rmtree(root, ignore_errors=True)
    for name in ("dev", "proc", "sys", "run", "tmp", "opt", "bin", "var"):
        (root / name).mkdir(parents=True)
    for deb in debs:
        run("dpkg-deb", "-x", deb, root)
    # What the packages' scripts would have done.
    for link, target in (("usr/bin/awk", "mawk"), ("bin/sh", "dash"), ("var/run", "/run")):
        if not (root / link).exists() and not (root / link).is_symlink():
            (root / link).symlink_to(target)


def unpack_kernel(deb):
    """The kernel and the modules by which a program drives a NIC, as WORK/vmlinuz and WORK/*.ko."""
    folder = WORK / "apt/kernel"
    run("dpkg-deb", "-x", deb, folder)
    shutil.copy(next(folder.glob("boot/vmlinuz-*")), WORK / "vmlinuz")
    for name in MODULES:
        file = next(folder.rglob(f"{name}.ko*"))
        shutil.copy(file, WORK / file.name)
        if file.suffix == ".xz":
            run("xz", "-df", WORK / file.name)


def system():
    """(its folder, its release). Raises RuntimeError if no release can be had."""
    WORK.mkdir(parents=True, exist_ok=True)
    root = WORK / "root"
    stamp = WORK / "stamp"
    with open(WORK / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists():
            number, release = stamp.read_text().split()
            if number == str(FORMAT):
                return root, release
            stamp.unlink()
        reasons = []
        for release in RELEASES:
            try:
                debs, kernel = fetch(release)
                unpack(debs, root)
                unpack_kernel(kernel)
            except RuntimeError as why:
                reasons.append(f"{release}: {why}")
                continue
            shutil.rmtree(WORK / "apt")
            stamp.write_text(f"{FORMAT} {release}\n")
            return root, release
    raise RuntimeError("\n".join(reasons))


def words(root, *command, net=False):
    """What runs the command in the system. It keeps its pid."""
    own_net = ["--net"] if net else []
    return ["unshare", "--mount", "--propagation", "private", *own_net, "sh", "-c", ENTER,
            str(root), "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
            *map(str, command)]

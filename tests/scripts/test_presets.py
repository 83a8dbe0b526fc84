# SPDX-License-Identifier: BSD-3-Clause
"""What config/nic/ says of kinds of NICs: well-formed, cited, and used."""
import configparser
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "config/nic").glob("*.ini"))
KEYS = {
    "match": {"pci", "vmbus", "kernel"},
    "limits": {"rx-queues", "tx-queues", "descriptors-min", "descriptors-max", "rss-key", "reta"},
    "use": {"bind", "devargs", "note", "verified"},
}


def read(file):
    parser = configparser.ConfigParser(comment_prefixes=("#",), inline_comment_prefixes=None)
    parser.read(file)
    return parser


def test_the_kinds_that_clouds_and_servers_have():
    assert {f.stem for f in FILES} == {"virtio-net", "ena", "gvnic", "netvsc", "mana", "mlx5", "ixgbe",
                                       "i40e", "ice", "vmxnet3", "e1000"}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file(file):
    preset = read(file)
    assert set(preset.sections()) <= set(KEYS) and {"match", "use"} <= set(preset.sections())
    for section in preset.sections():
        assert set(preset[section]) <= KEYS[section]
    assert preset["use"]["bind"] in ("user", "kernel")
    assert preset["use"]["verified"] in ("yes", "no")
    assert preset["use"]["note"]
    match = preset["match"]
    assert match["kernel"]
    assert ("pci" in match) != ("vmbus" in match)
    for pci in match.get("pci", "").split(","):
        assert not pci or re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", pci), pci
    if "limits" in preset:
        assert all(re.fullmatch("[1-9][0-9]*", v) for v in preset["limits"].values())


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_facts_have_a_source(file):
    """A comment stands before each group of facts; what was tried is verified by its tests."""
    cited = False
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            cited = True
        elif line.startswith("[") or not line:
            cited = False
        elif not line.startswith(("note", "verified = no")):
            assert cited, line


def test_no_id_is_in_two_files():
    ids = [i for f in FILES for i in read(f)["match"].get("pci", "").split(",") if i]
    assert len(ids) == len(set(ids))


def shell(text, root=""):
    p = subprocess.run(["bash", "-c", f'set -eu; HERE={ROOT}/scripts\n. "$HERE/lib/common.sh"; '
                        '. "$HERE/lib/system.sh"; . "$HERE/lib/nic/find.sh"; '
                        f'. "$HERE/lib/preset.sh"\n{text}'],
                       env=dict(os.environ, PMDPERF_SYSROOT=str(root)), capture_output=True,
                       text=True, check=True)
    return p.stdout


@pytest.mark.parametrize("ids, name", [("1af4:1041", "virtio-net"), ("1d0f:ec20", "ena"),
                                       ("8086:10d3", "e1000"), ("8086:ffff", ""), ("", "")])
def test_chosen_by_id(ids, name):
    assert pathlib.Path(shell(f'preset_for "{ids}"').strip()).stem == name


def test_values_and_text(tmp_path):
    file = ROOT / "config/nic/vmxnet3.ini"
    assert shell(f'preset_get "{file}" limits tx-queues') == "8\n"
    assert shell(f'preset_get "{file}" limits none; preset_get "{file}" none bind') == ""
    device = tmp_path / "sys/bus/pci/devices/0000:00:05.0"
    device.mkdir(parents=True)
    (device / "vendor").write_text("0x1d0f\n")
    (device / "device").write_text("0xec20\n")
    text = shell('preset_text "$(preset_of 0000:00:05.0)"', tmp_path)
    assert text.startswith("ena, not verified, taken from documents: slow without write-combining")

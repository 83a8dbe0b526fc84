# SPDX-License-Identifier: BSD-3-Clause
"""Guests for the cases. The image is made once, in about a minute, and kept in build/e2e/."""

import os
import re
import shutil

import pytest

import guests
import image as images


@pytest.fixture(scope="session")
def image():
    if os.getuid() != 0:
        pytest.skip("needs root: it makes network interfaces and shares folders with guests")
    try:
        return images.Image()
    except images.Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture
def boot(image, request):
    """boot(case, devices, ...): starts a guest, named after the test."""
    started = []

    def start(case, devices, name="", **options):
        test = re.sub(r"[^a-zA-Z0-9_.-]+", "-", request.node.name.removeprefix("test_"))
        guest = guests.Guest(f"{test}{name}", image, case, devices, **options)
        started.append(guest)
        return guest

    yield start
    for guest in started:
        guest.end()


@pytest.fixture
def sockets():
    folder = guests.short_folder()
    yield folder
    shutil.rmtree(folder)

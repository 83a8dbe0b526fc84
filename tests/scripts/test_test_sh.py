# SPDX-License-Identifier: BSD-3-Clause
"""test.sh: the line it ends with, and its exit status."""

import signal
import time

import pytest

HEADER = """
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
static void good(void **s) { (void)s; }
static void bad(void **s) { (void)s; assert_true(0); }
static void omitted(void **s) { (void)s; skip(); }
static void crash(void **s) { (void)s; (void)bad; (void)omitted; (void)good; _Exit(3); }
int main(void)
{
	const struct CMUnitTest tests[] = { %s };
	(void)crash;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""


def program(*tests):
    return HEADER % ", ".join(f"cmocka_unit_test({name})" for name in tests)


def last_line(done):
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("words", [["unti"], ["unit", "unti"], ["--unti"]])
def test_wrong_suite_is_status_2_and_lists_the_valid(clone, nothing_left, words):
    done = clone.run("test.sh", *words)
    assert done.returncode == 2
    assert "unti" in done.stderr
    if not words[-1].startswith("-"):
        assert "unit integration scripts fuzz bundle e2e lint" in done.stderr
    assert not (clone.folder / "build").exists()


def test_help_is_status_0(clone):
    done = clone.run("test.sh", "--help")
    assert done.returncode == 0
    assert "usage: ./scripts/test.sh" in done.stdout


def test_tests_are_counted_and_not_programs(clone, nothing_left):
    clone.unit_tests({"one": program("good", "good"), "two": program("good", "omitted")})
    done = clone.run("test.sh", "unit")
    assert last_line(done) == "3 passed, 0 failed, 1 skipped", done.stderr
    assert done.returncode == 0


def test_failures_and_crashes_are_counted(clone, nothing_left):
    clone.unit_tests({"one": program("good", "bad"), "two": program("good", "crash", "good")})
    done = clone.run("test.sh", "unit")
    assert last_line(done).split(", ")[1] == "2 failed", done.stderr
    assert "not ok 2 - bad" in done.stderr
    assert "two: FAIL, status 3" in done.stderr
    assert done.returncode == 1


def test_nothing_ran_is_a_failure(clone, nothing_left):
    done = clone.run("test.sh", "unit")
    assert done.returncode == 1
    assert last_line(done).startswith("0 passed, ")


def test_build_failure_is_a_failure(clone, nothing_left):
    clone.unit_tests({"one": "nonsense\n"})
    done = clone.run("test.sh", "unit")
    assert last_line(done) == "0 passed, 1 failed, 0 skipped"
    assert done.returncode == 1


def test_python_suite_is_counted_and_its_absence_is_a_failure(clone, nothing_left):
    folder = clone.folder / "tests" / "scripts"
    folder.mkdir(parents=True)
    assert last_line(clone.run("test.sh", "scripts")) == "0 passed, 1 failed, 0 skipped"
    (folder / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip()\n"
    )
    done = clone.run("test.sh", "scripts")
    assert last_line(done) == "1 passed, 1 failed, 1 skipped", done.stderr
    assert done.returncode == 1


def test_suite_that_is_killed_is_a_failure(clone, nothing_left):
    folder = clone.folder / "tests" / "integration"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text("import os\ndef test_a(): os.kill(os.getpid(), 9)\n")
    done = clone.run("test.sh", "integration")
    assert done.returncode == 1
    assert last_line(done).startswith("0 passed, 2 failed")


def test_werror_only_in_ci_and_not_left_switched_on(clone):
    clone.unit_tests({"one": program("good").replace("int main", "static int unused;\nint main")})
    strict = "'c', default_options: 'warning_level=2')"
    build = clone.folder / "meson.build"
    build.write_text(build.read_text().replace("'c')", strict, 1))
    assert clone.run("test.sh", "unit").returncode == 0
    ci = clone.run("test.sh", "unit", CI="true")
    assert "Werror" in ci.stderr
    assert ci.returncode == 1
    assert clone.run("test.sh", "unit").returncode == 0


def test_signal_ends_it_and_the_line_still_comes(clone, nothing_left):
    clone.unit_tests({"one": "#include <unistd.h>\nint main(void) { sleep(60); return 0; }\n"})
    child = clone.start("test.sh", "unit")
    deadline = time.monotonic() + 60
    while not (clone.folder / "build" / "one").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=15)
    assert child.returncode == 143
    assert out.splitlines()[-1] == "0 passed, 0 failed, 0 skipped"

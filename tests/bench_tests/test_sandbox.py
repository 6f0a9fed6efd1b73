"""The sandbox stops what generated code may do, whichever fence holds it in."""

import contextlib
import socket
from pathlib import Path

import pytest

from tests.bench.common.sandbox import (
    Isolation,
    Limits,
    available_isolation,
    run_program,
    run_programs,
)

QUICK = Limits(seconds=3)
FENCES: list[Isolation] = ["namespaces", "python"]


@pytest.fixture(params=FENCES)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    if request.param == "namespaces" and available_isolation() != "namespaces":
        pytest.skip("this kernel gives no namespaces to this user")
    fence: Isolation = request.param
    return fence


def test_a_program_that_ends_passes(isolation: Isolation) -> None:
    outcome = run_program("import collections.abc, json, math\nassert 1 + 1 == 2", QUICK, isolation)
    assert outcome.passed, outcome.detail


@pytest.mark.parametrize("source", ["assert False", "exit(0)", "import os; os._exit(0)", "1 +"])
def test_a_program_that_does_not_reach_its_end_fails(source: str, isolation: Isolation) -> None:
    assert not run_program(source, QUICK, isolation).passed


def test_an_endless_program_is_ended(isolation: Isolation) -> None:
    assert run_program("while True: pass", Limits(seconds=1), isolation).detail == "killed"


def test_a_program_that_waits_is_ended(isolation: Isolation) -> None:
    source = "import time; time.sleep(60)"
    assert run_program(source, Limits(patience=0.7), isolation).detail == "timeout"


def test_a_fork_bomb_goes_out(isolation: Isolation) -> None:
    bomb = "import os, time\nfor _ in range(100):\n    if os.fork() == 0: time.sleep(30)"
    outcome = run_program(bomb, QUICK, isolation)
    assert not outcome.passed
    assert "BlockingIOError" in outcome.detail or "PermissionError" in outcome.detail
    assert not _guards()


def test_memory_is_limited(isolation: Isolation) -> None:
    outcome = run_program("x = bytearray(2 << 30)", QUICK, isolation)
    assert outcome.detail.startswith("MemoryError")


def test_files_outside_are_safe(isolation: Isolation, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    victim = tmp_path / "victim"
    victim.write_text("whole")
    victim.chmod(0o666)
    for source in (
        f"open({str(victim)!r}, 'w')",
        f"import os; os.remove({str(victim)!r})",
        f"import os; os.mkdir({str(tmp_path / 'new')!r})",
        f"import shutil; shutil.rmtree({str(tmp_path)!r})",
    ):
        assert not run_program(source, QUICK, isolation).passed
    assert victim.read_text() == "whole"
    assert [entry.name for entry in tmp_path.iterdir()] == ["victim"]


def test_its_own_folder_can_be_written_and_is_gone_afterwards(isolation: Isolation) -> None:
    source = "open('x', 'w').write('1')\nimport os\nraise ValueError(os.getcwd())"
    folder = run_program(source, QUICK, isolation).detail.removeprefix("ValueError: ")
    assert "box-" in folder
    assert not Path(folder).exists()


def test_there_is_no_network(isolation: Isolation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        source = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        assert not run_program(source, QUICK, isolation).passed
        with pytest.raises(TimeoutError):
            server.accept()


def test_standard_input_is_empty(isolation: Isolation) -> None:
    assert run_program("input()", QUICK, isolation).detail.startswith("EOFError")


def test_many_programs_keep_their_order() -> None:
    outcomes = run_programs([f"assert {n} % 2" for n in range(6)], QUICK)
    assert [outcome.passed for outcome in outcomes] == [False, True] * 3


def _guards() -> list[str]:
    """Sandboxed processes that are still there."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(entry.read_bytes().decode("utf-8", "replace"))
    return [line for line in lines if "guard.py" in line]

"""The program: how it starts and ends, in whose folder, and what of it is ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.isolated import isolated
from tests.lsp.engine import FakeServer
from tests.lsp.wire import Wire, wire
from tests.test_packaging import SHIPPED

ROOT = Path(__file__).parent.parent.parent
PLACE = {"textDocument": {"uri": "file:///w/a.py"}, "position": {"line": 0, "character": 4}}
PROGRAMS = {
    "module": tuple(isolated(sys.executable, str(ROOT), "lsp_server")[1:]),
    "command": ("-m", "clients.cli", "lsp"),
}
FOLDERS = {"module": "--folder", "command": "--runtime-dir"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_ways_to_start_it_are_the_same(fake: FakeServer, program: str) -> None:
    fake.engine.answer = lambda fill: "42"
    with wire(fake.folder, arguments=(*PROGRAMS[program], "--stdio"), flag=FOLDERS[program]) as it:
        assert insert_text(it) == "42"


@pytest.mark.e2e
def test_nothing_of_a_workspace_is_executed(fake: FakeServer, tmp_path: Path) -> None:
    """Started in a folder that holds packages of our names, ours run, and theirs never do."""
    workspace, trap = tmp_path / "workspace", tmp_path / "trapped"
    for name in (*SHIPPED, "pygls", "msgspec", "websockets", "sitecustomize"):
        package = workspace / name
        package.mkdir(parents=True)
        for file in ("__init__.py", "__main__.py"):
            (package / file).write_text(f"open({str(trap)!r}, 'a').write({name!r})\n")
    environment = {**os.environ, "PYTHONPATH": str(workspace)}
    environment["PYTHONSTARTUP"] = str(workspace / "engine" / "__init__.py")
    arguments = PROGRAMS["module"]
    with wire(fake.folder, arguments=arguments, cwd=workspace, environment=environment) as it:
        assert insert_text(it) == "pass"
        assert it.request(2, "retouch/status")["result"]["state"] in ("idle", "working")
    assert not trap.exists()


@pytest.mark.e2e
def test_the_engine_it_starts_is_ours_too(tmp_path: Path) -> None:
    """The engine's server is started from a workspace that would like to be it."""
    trap = tmp_path / "trapped"
    (tmp_path / "engine").mkdir()
    for file in ("__init__.py", "__main__.py"):
        (tmp_path / "engine" / file).write_text(f"open({str(trap)!r}, 'w')\n")
    folder = tmp_path / "state"
    (folder / "engine").mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    code = (
        "import subprocess, sys; from pathlib import Path;"
        "from lsp_server.link.launching import engine_command;"
        "command = [*engine_command(Path(sys.argv[1])), '--model', sys.argv[1]];"
        "sys.exit(subprocess.run(command, cwd=sys.argv[1]).returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 3
    assert "config.json" in done.stderr
    assert not trap.exists()


def test_it_ends_with_the_editor(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lsp_server", "--folder", str(tmp_path)]
    done = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_the_process_is_without_torch(tmp_path: Path) -> None:
    code = (
        "import sys, lsp_server.app; from pathlib import Path;"
        "lsp_server.app.build('0', Path(sys.argv[1]));"
        "print(*{'torch', 'numpy', 'models', 'engine', 'clients', 'litestar'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def insert_text(line: Wire) -> str:
    """What is offered behind `x = `."""
    item = {"uri": "file:///w/a.py", "languageId": "python", "version": 1, "text": "x = "}
    line.notify("textDocument/didOpen", {"textDocument": item})
    params = {**PLACE, "context": {"triggerKind": 1}}
    answer = line.request(1, "textDocument/inlineCompletion", params)
    return str(answer["result"][0]["insertText"])

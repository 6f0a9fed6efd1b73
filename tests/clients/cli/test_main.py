"""Help, completion, configuration, the demo, and the edges of the program."""

import json
import logging
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from clients.cli.demo import ACTS, EXAMPLES
from clients.cli.logs import log_path, start_log, stop_log
from clients.cli.main import COMMANDS as COMMAND_TABLE
from clients.cli.settings import Settings, table
from engine.errors import EngineError
from protocol.messages import (
    Done,
    PolicyName,
    ReviseText,
    Score,
    Scores,
    ServerMessage,
    Token,
)
from tests.clients.cli.harness import Cli
from tests.fakes import FakeEngine

COMMANDS = tuple(command.name for command in COMMAND_TABLE)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """Standard output, reflowed and without frames."""
    return " ".join(capsys.readouterr().out.replace("\u2502", " ").split())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(
    cli: Cli, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert cli.run(command, "--help") == 0
    assert f"Examples retouch {command}" in said(capsys).replace("echo 'two = 1 + <FILL>' | ", "")


def test_the_main_help_names_config_and_log(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("--help") == 0
    text = said(capsys)
    for word in (*COMMANDS, "--install-completion", "config.toml", "retouch.log"):
        assert word in text


def test_help_names_the_exit_codes(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run("fill", "--help")
    assert "0 changed, 1 no change, 2 bad usage or input, 3 engine failure" in said(capsys)


def test_the_version(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("--version") == 0
    assert capsys.readouterr().out.startswith("retouch")


def test_settings_complete_their_words() -> None:
    environ = {
        **os.environ,
        "_RETOUCH_COMPLETE": "complete_bash",
        "COMP_WORDS": "retouch fill x --policy ",
        "COMP_CWORD": "4",
    }
    command = [sys.executable, "-m", "clients.cli.main"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(get_args(PolicyName))


def test_torch_is_not_loaded_for_help() -> None:
    code = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from clients.cli.main import run\n"
        "try: run()\n"
        "finally: assert 'torch' not in sys.modules, 'torch was loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_config_prints_a_config_file(cli: Cli) -> None:
    cli.environ["RETOUCH_SEED"] = "7"
    assert cli.run("config", "--marker", 'a"b') == 0
    text = cli.out.decode()
    assert "RETOUCH_SEED; from RETOUCH_SEED" in text
    values = tomllib.loads(text)
    assert values["seed"] == 7
    assert values["marker"] == 'a"b'
    assert msgspec.convert(values, Settings).seed == 7


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_config_shows_what_is_not_utf_8(cli: Cli, form: tuple[str, ...]) -> None:
    assert cli.run("config", "--model", os.fsdecode(b"caf\xe9"), *form) == 0
    assert "caf\ufffd" in cli.out.decode()


def test_config_as_json(cli: Cli) -> None:
    (cli.folder / "config.toml").write_text("steps = 4\n")
    assert cli.run("config", "--json") == 0
    found = {row["name"]: row for row in json.loads(cli.out)["settings"]}
    assert found.keys() == {row.name for row in table()}
    assert (found["steps"]["value"], found["steps"]["source"]) == (4, "file")
    assert found["seed"]["source"] == "default"


def test_a_bad_config_file_stops_every_command(cli: Cli) -> None:
    (cli.folder / "config.toml").write_text("polcy = 'causal'\n")
    for command in (("config",), ("demo",), ("fill", "x", "--at", "1:1")):
        assert cli.run(*command) == 2
        assert "did you mean policy?" in cli.err


def test_the_demo_fills_and_rewrites_and_writes_nothing(cli: Cli) -> None:
    before = {path: path.read_bytes() for path in EXAMPLES.iterdir() if path.is_file()}
    cli.engine.answer = "    demo"
    film = cli.folder / "demo.svg"
    assert cli.run("demo", "--record", str(film)) == 0
    assert [fill.shape for fill in cli.engine.fills] == ["block", "line"]
    assert {act.verb for act in ACTS} == {"fill", "rewrite"}
    for act in ACTS:
        assert f"$ {act.command}\n" in cli.err
        assert Path(act.command.split()[2]).is_file()
    assert cli.out.decode().count("+    demo\n") == len(ACTS)
    assert film.read_text("utf-8").startswith("<svg ")
    assert {path: path.read_bytes() for path in before} == before
    assert len(cli.opened) == 1


class Examined(FakeEngine):
    """Leaves a text as it is, and finds it as likely as can be."""

    def _run(self, fill: Any) -> Iterator[ServerMessage]:
        if isinstance(fill, ReviseText):
            yield Done(fill.id, fill.text, "converged", (Token(fill.text, 1.0, 0),))
        elif isinstance(fill, Score):
            yield Scores(fill.id, (Token(fill.text, 1.0, 0, now=1.0),))
        else:
            yield from super()._run(fill)


TEXTS = {command.name: command.examples for command in COMMAND_TABLE}
ASKING = ("fill", "rewrite", "revise", "score", "demo", "config")


@pytest.mark.parametrize(
    "example", [e for name in ASKING for e in re.findall(r"^  (.*)  \[dim\]", TEXTS[name], re.M)]
)
def test_the_examples_in_the_help_work(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    for path in EXAMPLES.glob("*.*"):
        cli.file(path.read_bytes(), path.name)
    monkeypatch.chdir(cli.folder)
    cli.engine = Examined()
    before, _, command = example.rpartition("retouch ")
    cli.stdin = before.encode()
    assert cli.run(*shlex.split(command)) in (0, 1), cli.err


def test_the_demo_without_an_engine(cli: Cli) -> None:
    cli.failure = EngineError("the model folder is empty")
    assert cli.run("demo") == 3
    assert "the model folder is empty" in cli.err


def test_a_reader_that_hangs_up(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(b"x\n" * 20_000)
    command = (
        f"{sys.executable} -m tests.clients.cli.interruptible 0 "
        f"rewrite {path} --lines 1:400 | true; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert done.returncode in (0, 141)


def test_the_log_file(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "retouch.log"
    start_log(path)
    logging.getLogger("retouch.cli").info("hello")
    stop_log()
    assert "INFO hello" in path.read_text()
    assert log_path().name == "retouch.log"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device stands for a full disk")
def test_a_log_on_a_full_disk_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    start_log(Path("/dev/full"))
    logging.getLogger("retouch.cli").info("hello")
    stop_log()
    assert capsys.readouterr().err == ""


def test_no_log_folder_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    start_log(tmp_path / "file" / "retouch.log")
    stop_log()

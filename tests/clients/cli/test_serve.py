"""serve from the outside: what its flags make of a server."""

import json
from pathlib import Path

import pytest

import engine.server.run
from engine.server.run import Serving
from engine.server.runtime import RuntimeFile, RuntimeInfo
from protocol.runtime import LOCK
from tests.clients.cli.harness import Cli


@pytest.fixture
def servings(monkeypatch: pytest.MonkeyPatch) -> list[Serving]:
    """What would have been served."""
    found: list[Serving] = []
    monkeypatch.setattr(engine.server.run, "serve", found.append)
    return found


def test_deadlines_are_told_or_taken_away(cli: Cli, servings: list[Serving]) -> None:
    folder = str(cli.folder)
    assert cli.run("serve", "--runtime-dir", folder) == 0
    flags = ("--auto-deadline-ms", "300", "--manual-deadline-ms", "0")
    assert cli.run("serve", "--runtime-dir", folder, *flags) == 0
    plain, told = (serving.server.limits for serving in servings)
    assert plain.auto_deadline_ms
    assert plain.manual_deadline_ms
    assert (told.auto_deadline_ms, told.manual_deadline_ms) == (300, None)


def test_help_tells_the_deadlines_apart(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("serve", "--help") == 0
    text = " ".join(capsys.readouterr().out.replace("\u2502", " ").split())
    assert "requests made while one types" in text and "requests made by hand" in text


@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_what_runs_an_engine_of_its_own_offers_no_server(
    cli: Cli, servings: list[Serving], command: str
) -> None:
    assert cli.run(command, "--no-server") == 2
    assert not servings


def test_the_token_is_found_from_every_folder(
    cli: Cli, servings: list[Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cli.folder)
    assert cli.run("serve", "--runtime-dir", "state") == 0
    assert cli.run("serve", "--token-file", "secret") == 0
    files = [serving.server.token_file for serving in servings]
    assert files == [cli.folder / "state" / "token", cli.folder / "secret"]
    assert servings[0].folder == cli.folder / "state"


def test_status_where_nobody_can_tell(cli: Cli) -> None:
    RuntimeFile(cli.folder).publish(RuntimeInfo(1, "::1", 1, "0", "fake", None))
    (cli.folder / LOCK).mkdir()
    assert cli.run("status", "--runtime-dir", str(cli.folder), "--json") == 3
    assert json.loads(cli.out)["error"]["code"] == "engine_failed"
    assert "can't be used" in cli.err and "internal" not in cli.err


def test_the_token_is_asked_for_unless_told_otherwise(cli: Cli, servings: list[Serving]) -> None:
    folder = str(cli.folder)
    assert cli.run("serve", "--runtime-dir", folder) == 0
    assert cli.run("serve", "--runtime-dir", folder, "--no-auth") == 0
    files = [serving.server.token_file for serving in servings]
    assert files == [Path(folder) / "token", None]
    assert "every program on this machine may ask" in cli.err
    assert cli.run("serve", "--runtime-dir", folder, "--no-auth", "--host", "0.0.0.0") == 2

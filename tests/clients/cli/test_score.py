"""score from the outside: what is asked, how tokens are told, what is refused."""

import json

import pytest

from protocol.messages import Accepted, Error, Score, Scores, ServerMessage, Token
from tests.clients.cli.harness import Cli

CODE = b"def area(r):\n    return 3 * r\n\nprint(area(2))\n"
TOKENS = (
    Token("", 1.0, 0, locked=True),
    Token("    return", 0.5, 0, now=0.5),
    Token(" 3", 0.25, 0, now=0.25, best=" pi\x1b"),
    Token(" * r", 1.0, 0),
    Token("\n", 1.0, 0),
)


def answering(cli: Cli, *messages: ServerMessage) -> None:
    cli.engine.script = (Accepted("cli-1", "fake", 0, 4, "causal"), *messages)


def asked(cli: Cli) -> Score:
    (request,) = cli.engine.fills
    assert isinstance(request, Score)
    return request


def test_every_token_is_told_with_its_place(cli: Cli) -> None:
    answering(cli, Scores("cli-1", TOKENS))
    assert cli.run("score", str(cli.file(CODE)), "--lines", "2", "--method", "canvas") == 0
    request = asked(cli)
    assert (request.prefix, request.text) == ("def area(r):\n", "    return 3 * r\n")
    assert (request.suffix, request.path) == ("\nprint(area(2))\n", "code.py")
    assert request.method == "canvas"
    lines = cli.out.decode().splitlines()
    assert lines[0].split() == ["2:1", "\u00b7" * 4 + "return", "0.5000"]
    assert lines[1].split() == ["2:11", "\u00b73", "0.2500", "rather", "\u00b7pi\\x1b"]
    assert lines[2].split() == ["2:13", "\u00b7*\u00b7r", "-"]
    assert len(lines) == 4


def test_json_is_for_programs(cli: Cli) -> None:
    answering(cli, Scores("cli-1", TOKENS, finish="deadline"))
    assert cli.run("score", str(cli.file(CODE)), "--json", "--timeout-ms", "9") == 0
    assert asked(cli).text == CODE.decode()
    assert asked(cli).deadline_ms == 9
    found = json.loads(cli.out)
    assert found["finish"] == "deadline"
    assert found["tokens"][1] == {
        "at": {"line": 1, "column": 11},
        "text": " 3",
        "probability": 0.25,
        "best": " pi\x1b",
    }


def test_what_was_cut_is_said(cli: Cli) -> None:
    path = str(cli.file(CODE + b"# a remark\n" * 20_000))
    accepted = Accepted("cli-1", "fake", 0, 4, "causal", ("the engine cut too",))
    cli.engine.script = (accepted, Scores("cli-1", TOKENS))
    assert cli.run("score", path, "--lines", "2", "--json") == 0
    cut, also = json.loads(cli.out)["notes"]
    assert cut.startswith("only the first") and also == "the engine cut too"
    assert f"note: {cut}\nnote: {also}\n" in cli.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--lines", "2", "--method", "magic"], "choose one of"),
        (["--lines", "2", "--range", "2:1-2:2"], "can't go together"),
        (["--range", "2:1-2:1"], "nothing to score"),
        ([], "at most 16384 characters are scored at once"),
        (["--lines", "99"], "outside the file"),
    ],
)
def test_bad_usage_is_refused(cli: Cli, flags: list[str], message: str) -> None:
    path = cli.file(CODE + b"# a remark\n" * (0 if flags else 2000))
    assert cli.run("score", str(path), *flags) == 2
    assert message in cli.err
    assert not cli.opened


@pytest.mark.parametrize(("code", "status"), [("too_large", 2), ("engine_failed", 3)])
def test_an_engine_that_says_no_is_told(cli: Cli, code: str, status: int) -> None:
    answering(cli, Error(code, "no", "cli-1"))
    assert cli.run("score", str(cli.file(CODE))) == status
    assert "no" in cli.err

"""revise from the outside: what is asked, what is shown, what stays in the file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.cli.parts import revised_parts
from clients.cli.revise_command import explanation
from protocol.messages import Accepted, Delta, Done, Lock, ReviseText, Token
from tests.clients.cli.harness import Cli

CODE = b"def area(r):\n    return 3 * r\n\nprint(area(2))\n"
TOKENS = (
    Token("    return", 1.0, 0, locked=True, why="locked"),
    Token(" 3", 0.9, 0, now=0.9, why="kept: likely"),
    Token(" *", 0.25, 0, now=0.75, revised_from=" +", why="changed: the text became likelier"),
    Token(" r", 0.8, 0, now=0.9, why="kept: likely"),
)


def answering(cli: Cli, text: str) -> ReviseText:
    """Let the engine answer `text`; what it was asked comes from `asked`."""
    cells = ("    return", " 3", " *", " r")
    cli.engine.script = (
        Accepted("cli-1", "fake", 0, 4, "posterior"),
        Delta("cli-1", 1, 4, (0, 1, 2, 3), cells, (1.0, 0.9, 0.25, 0.8)),
        Done("cli-1", text, "converged", TOKENS),
    )
    return ReviseText("x", "", "x", "")


def asked(cli: Cli) -> ReviseText:
    (request,) = cli.engine.fills
    assert isinstance(request, ReviseText)
    return request


def test_a_better_span_is_shown_and_written(cli: Cli) -> None:
    path = cli.file(CODE)
    answering(cli, "    return 3 + r\n")
    assert cli.run("revise", str(path), "--lines", "2", "-i") == 0
    assert path.read_bytes() == CODE.replace(b"3 * r", b"3 + r")
    request = asked(cli)
    assert (request.prefix, request.text) == ("def area(r):\n", "    return 3 * r\n")
    assert (request.suffix, request.path) == ("\nprint(area(2))\n", "code.py")
    assert (request.strength, request.method, request.locks, request.keep) == (0.3, None, (), ())


def test_nothing_better_leaves_the_file_and_says_so(cli: Cli) -> None:
    path = cli.file(CODE)
    answering(cli, "    return 3 * r\n")
    assert cli.run("revise", str(path), "--range", "2:1-3:1", "-i") == 1
    assert path.read_bytes() == CODE
    assert "no change" in cli.err


def test_options_reach_the_request(cli: Cli) -> None:
    answering(cli, "    return 3 * r\n")
    flags = "--strength 0.5 --lock area --lock r+ --keep literals --method wino"
    more = ("--instruction", "use pi", "--timeout-ms", "500", "--seed", "4", "--guidance", "2.5")
    cli.run("revise", str(cli.file(CODE)), "--lines", "2", *flags.split(), *more)
    request = asked(cli)
    assert (request.strength, request.keep, request.method) == (0.5, ("literals",), "wino")
    assert request.locks == (Lock(pattern="area"), Lock(pattern="r+"))
    assert (request.instruction, request.guidance) == ("use pi", 2.5)
    assert (request.deadline_ms, request.sampling.seed) == (500, 4)


def test_several_spans_are_one_text_locked_between_them(cli: Cli) -> None:
    path = cli.file(CODE)
    tokens = (
        Token("    return", 1.0, 0),
        Token(" 4", 0.9, 0, now=0.9, revised_from=" 3"),
        Token(" *", 0.2, 0, revised_from=" +"),
        Token(" r", 0.2, 0),
        Token("", 0.2, 0, revised_from=" "),
        Token("\n\n", 1.0, 0, locked=True),
        Token("print(", 1.0, 0, revised_from=""),
        Token("area(3))", 0.1, 0, revised_from="print(area(2))"),
    )
    new = "    return 4 * r\n\nprint(area(3))\n"
    cli.engine.script = (
        Accepted("cli-1", "fake", 0, 8, "posterior"),
        Done("cli-1", new, "converged", tokens),
    )
    old = CODE.replace(b"3 * r\n", b"3 + r \n")
    path.write_bytes(old)
    assert cli.run("revise", str(path), "--lines", "4", "--lines", "2", "-i", "--json") == 0
    request = asked(cli)
    assert request.text == "    return 3 + r \n\nprint(area(2))\n"
    assert request.locks == (Lock(18, 19),)
    assert path.read_bytes() == b"def area(r):\n    return 4 * r\n\nprint(area(3))\n"
    holes = json.loads(cli.out)["holes"]
    assert [hole["text"] for hole in holes] == ["    return 4 * r\n", "print(area(3))\n"]


def test_an_answer_that_changes_what_is_between_is_not_taken(cli: Cli) -> None:
    path = cli.file(CODE)
    answering(cli, "    return 3 * r\nX\nprint(area(2))\n")
    assert cli.run("revise", str(path), "--lines", "2", "--lines", "4", "-i") == 3
    assert path.read_bytes() == CODE and "between the spans" in cli.err


@given(
    pieces=st.lists(
        st.tuples(st.text("ab\n", min_size=1, max_size=3), st.text("ab\n", max_size=3)),
        min_size=3,
        max_size=9,
    )
)
def test_parts_are_cut_where_the_locked_text_stands(pieces: list[tuple[str, str]]) -> None:
    """Every third piece is locked and so unchanged; the others may be replaced, or go."""
    pieces = [(old, old) if n % 3 == 1 else (old, new) for n, (old, new) in enumerate(pieces)]
    tokens = [Token(new, 0.5, 0, revised_from=None if old == new else old) for old, new in pieces]
    text = "".join(old for old, _ in pieces)
    locked = [_around(pieces, n) for n in range(1, len(pieces), 3)]
    bounds = [0, *(bound for place in locked for bound in place), len(text)]
    spans = list(zip(bounds[::2], bounds[1::2], strict=True))
    done = Done("r", "".join(new for _, new in pieces), "converged", tuple(tokens))
    expected = ["".join(new for _, new in part) for part in _free(pieces)]
    assert list(revised_parts(done, text, spans)) == expected


def _around(pieces: list[tuple[str, str]], number: int) -> tuple[int, int]:
    start = sum(len(old) for old, _ in pieces[:number])
    return start, start + len(pieces[number][0])


def _free(pieces: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The runs of pieces between the locked ones."""
    runs: list[list[tuple[str, str]]] = [[]]
    for number, piece in enumerate(pieces):
        if number % 3 == 1:
            runs.append([])
        else:
            runs[-1].append(piece)
    return runs


def test_every_token_is_explained(cli: Cli) -> None:
    answering(cli, "    return 3 + r\n")
    cli.run("revise", str(cli.file(CODE)), "--lines", "2", "--explain")
    lines = cli.err.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("token"))
    assert lines[head + 1].split() == ["\u00b7" * 4 + "return", "locked"]
    assert lines[head + 2].split() == ["\u00b73", "0.9000", "0.9000", "kept:", "likely"]
    assert lines[head + 3].endswith("likelier than with \u00b7+")


def test_json_tells_of_tokens_too(cli: Cli) -> None:
    answering(cli, "    return 3 + r\n")
    assert cli.run("revise", str(cli.file(CODE)), "--lines", "2", "--json", "--explain") == 0
    found = json.loads(cli.out)
    assert found["tokens"][2]["revised_from"] == " +"
    assert found["tokens"][0]["locked"] and found["policy"] == "posterior"
    assert "token  " not in cli.err


def test_what_a_terminal_must_not_see_is_escaped() -> None:
    table = explanation([Token("\x1b[31m\u4e2d", 0.5, 0, now=0.5, why="kept")])
    text = "".join(piece for piece, _ in table[1])
    assert "\x1b" not in text and "\u4e2d" in text


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--lines", "2", "--method", "magic"], "choose one of"),
        (["--lines", "2", "--keep", "magic"], "choose one of"),
        (["--range", "2:1-2:1"], "nothing to revise"),
        ([], "say which span"),
        (["--lines", "2", "--strength", "2"], "range"),
        (["--lines", "2", "--lines", "2:3"], "overlap or touch"),
        (["--lines", "2", "--lines", "3"], "overlap or touch"),
        (["--lines", "2", "--range", "1:1-1:2"], "can't go together"),
        (["--lines", "2", "--guidance", "2"], "--instruction"),
    ],
)
def test_bad_usage_is_refused(cli: Cli, flags: list[str], message: str) -> None:
    assert cli.run("revise", str(cli.file(CODE)), *flags) == 2
    assert message in cli.err or not cli.err  # typer writes its own errors to the real stream
    assert not cli.opened

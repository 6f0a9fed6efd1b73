"""The options that hold an answer to a language: what is sent for them, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from protocol.constraint import Choices, Ebnf, JsonSchema, Lark, Lengths, Regex, Syntax
from protocol.messages import Done, Error, Fill, Stats
from protocol.requests import ReviseText
from tests.clients.cli.harness import Cli
from tests.fakes import FakeEngine

SCHEMA = '{"type": "object"}'


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def sent(cli: Cli, *options: str, text: bytes = b"x = <FILL>\n") -> Fill:
    code = cli.run("fill", str(cli.file(text)), *options)
    assert code in (0, 1), cli.err
    (fill,) = cli.engine.fills
    return fill


def test_every_kind_is_sent(cli: Cli, tmp_path: Path) -> None:
    grammar = tmp_path / "g.ebnf"
    grammar.write_text('root ::= "a"')
    lark = tmp_path / "g.txt"
    lark.write_text('start: "a"')
    gbnf = tmp_path / "g.gbnf"
    gbnf.write_text("root ::= .")
    schema = tmp_path / "s.json"
    schema.write_text(SCHEMA)
    for options, want in [
        (("--regex", "a+"), Regex("a+")),
        (("--choices", "a,b c"), Choices(("a", "b c"))),
        (("--choices", '["a,b", "c"]'), Choices(("a,b", "c"))),
        (("--schema", SCHEMA), JsonSchema(SCHEMA)),
        (("--schema", str(schema)), JsonSchema(SCHEMA)),
        (("--grammar", str(grammar)), Ebnf('root ::= "a"')),
        (("--grammar", str(lark)), Lark('start: "a"')),
        (("--grammar", str(gbnf)), Ebnf(r"root ::= [\s\S]")),
        (("--syntax", "python"), Syntax(language="python")),
        (("--max-chars", "9"), Lengths(max_chars=9)),
        (("--exact-tokens", "3"), Lengths(exact_tokens=3)),
        (("--regex", "a+", "--min-chars", "2", "--best-effort"), None),
        (
            ("--schema", SCHEMA, "--syntax", "yaml"),
            Syntax(language="yaml", schema=SCHEMA),
        ),
        (("--schema", SCHEMA, "--scope", "document"), JsonSchema(SCHEMA, scope="document")),
    ]:
        cli.engine = FakeEngine("a")
        fill = sent(cli, *options)
        assert fill.constraint == (want or Regex("a+", min_chars=2, best_effort=True)), options
    cli.engine = FakeEngine("a")
    assert sent(cli).constraint is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--regex", "a", "--choices", "b"), "--regex and --choices can't go together"),
        (("--scope", "document"), "--scope needs a constraint"),
        (("--best-effort",), "--best-effort needs a constraint"),
        (("--regex", "a", "--scope", "file"), "choose one of hole, document"),
        (("--max-chars", "3", "--scope", "document"), "lengths are those of the hole"),
        (("--regex", "a", "--max-chars", "3", "--scope", "document"), "bound the hole"),
        (("--min-chars", "5", "--max-chars", "3"), "--min-chars 5 is more"),
        (("--syntax", "python", "--scope", "hole"), "speaks of the document"),
        (("--schema", "-"), "can't be read from standard input"),
        (("--schema", "missing.json"), "no such file"),
        (("--choices", "[1]"), "takes texts"),
        (("--choices", "[1"), "no JSON array"),
        (("--regex", ""), "can't be asked"),
    ],
)
def test_what_makes_no_sense_is_refused(cli: Cli, options: tuple[str, ...], why: str) -> None:
    assert cli.run("fill", str(cli.file(b"x = <FILL>\n")), *options) == 2
    assert why in cli.err
    assert not cli.opened


def test_a_gbnf_that_has_no_equal_is_refused_by_name(cli: Cli, tmp_path: Path) -> None:
    grammar = tmp_path / "g.gbnf"
    grammar.write_text("root ::= <[12]>")
    code = cli.run("fill", str(cli.file(b"<FILL>")), "--grammar", str(grammar))
    assert code == 2
    assert "the token <[12]> at line 1" in cli.err


def test_several_holes(cli: Cli) -> None:
    fill = sent(cli, "--regex", "a+", text=b"<FILL> and <FILL>\n")
    assert [hole.constraint for hole in fill.holes] == [Regex("a+")]
    cli.engine = FakeEngine("a")
    fill = sent(cli, "--regex", "a+", "--scope", "document", text=b"<FILL> and <FILL>\n")
    assert [hole.constraint for hole in fill.holes] == [None]


def test_whole_lines_keep_their_newlines_out_of_every_hole(cli: Cli) -> None:
    path = cli.file(b"a = 1\nb = 2\nc = 3\nd = 4\n")
    lines = ("--lines", "1", "--lines", "3")
    cli.engine.answers = ("a = 8", "c = 9")
    assert cli.run("rewrite", str(path), *lines, "--regex", "[ac] = [0-9]", "-i") == 0
    assert path.read_bytes() == b"a = 8\nb = 2\nc = 9\nd = 4\n"
    (fill,) = cli.engine.fills
    assert (fill.holes[0].before, fill.suffix) == ("\nb = 2\n", "\nd = 4\n")


def test_the_newline_of_whole_lines_is_not_in_the_language(cli: Cli) -> None:
    path = cli.file(b"a\nb\nc\n")
    cli.engine = FakeEngine("zz", finish="stop")
    assert cli.run("rewrite", str(path), "--lines", "2", "--regex", "z+", "-i") == 0
    (fill,) = cli.engine.fills
    assert (fill.prefix, fill.suffix) == ("a\n", "\nc\n")
    assert path.read_bytes() == b"a\nzz\nc\n"


def test_a_revision_is_held_too(cli: Cli) -> None:
    cli.engine.script = [Done("cli-1", "b", "converged")]
    cli.run("revise", str(cli.file(b"b\n")), "--lines", "1", "--choices", "a,b")
    (request,) = cli.engine.fills
    assert isinstance(request, ReviseText)
    assert request.constraint == Choices(("a", "b"))


def test_a_document_that_must_be_cut_is_refused(cli: Cli) -> None:
    text = b"x\n" * 200_000 + b"<FILL>\n"
    code = cli.run("fill", str(cli.file(text)), "--regex", "a", "--scope", "document")
    assert code == 2
    assert "too long for a constraint on the whole document" in cli.err


@pytest.mark.parametrize(
    "code", ["constraint_invalid", "constraint_unsatisfiable", "unsupported", "too_large"]
)
def test_what_the_engine_refuses_is_bad_input(cli: Cli, code: str) -> None:
    cli.engine.script = [Error(code, "The constraint needs at least 9 tokens.", "cli-1")]
    assert cli.run("fill", str(cli.file(b"<FILL>")), "--regex", "a{9}") == 2
    assert "needs at least 9 tokens" in cli.err


def test_log_valid_is_reported_and_a_miss_is_said(cli: Cli) -> None:
    stats: Any = Stats(steps=1)
    cli.engine.script = [Done("cli-1", "b", "constraint", (), stats, log_valid=-1.5)]
    cli.run("fill", str(cli.file(b"<FILL>")), "--regex", "a", "--best-effort", "--json")
    report = json.loads(cli.out)
    assert report["log_valid"] == -1.5
    assert any("does not keep to the constraint" in note for note in report["notes"])

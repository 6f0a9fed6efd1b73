"""fill and rewrite from the outside: outputs, exit codes, and what stays in the file."""

import json
import subprocess
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from protocol.messages import Done
from tests.clients.cli.harness import Cli

CODE = b"def area(r):\n    return None\n\nprint(area(2))\n"


def test_fill_shows_a_diff_and_leaves_the_file(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answer = "3.14 * r * r"
    assert cli.run("fill", str(path), "--range", "2:12-2:16") == 0
    assert path.read_bytes() == CODE
    assert "-    return None\n+    return 3.14 * r * r\n" in cli.out.decode()
    assert "NFE" in cli.err
    (fill,) = cli.engine.fills
    assert (fill.prefix[-11:], fill.suffix[:2], fill.shape) == ("    return ", "\n\n", "auto")
    assert cli.engine.closed


def test_a_file_named_dash_is_a_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cli.folder)
    path = cli.file(CODE, "-")
    assert cli.run("fill", "./-", "--lines", "2", "-i") == 0
    assert path.read_bytes() == CODE.replace(b"    return None", b"pass")


def test_whole_lines_are_asked_for_as_a_block(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answer = "    x = r\n    return x"
    assert cli.run("rewrite", str(path), "--lines", "2:3", "--in-place") == 0
    (fill,) = cli.engine.fills
    assert (fill.shape, fill.lines, fill.canvas.tokens) == ("block", 2, None)
    assert (fill.prefix, fill.suffix) == ("def area(r):\n", "print(area(2))\n")
    expected = b"def area(r):\n    x = r\n    return x\nprint(area(2))\n"
    assert path.read_bytes() == expected
    assert cli.out == b""


def test_a_part_of_a_line_is_rewritten_as_a_span(cli: Cli) -> None:
    cli.run("rewrite", str(cli.file(CODE)), "--range", "2:12-2:16")
    assert cli.engine.fills[0].shape == "span"


def test_no_change_is_exit_code_one(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answer = "    return None"
    assert cli.run("rewrite", str(path), "--lines", "2", "-i") == 1
    assert path.read_bytes() == CODE
    assert "no change" in cli.err


def test_settings_reach_the_request(cli: Cli) -> None:
    flags = "--policy fixed --order left --steps 3 --threshold 0.5 --temperature 0.2 --top-p 0.7"
    more = "--seed 11 --max-tokens 9 --timeout-ms 500 --shape span --threads 1 --device cpu"
    cli.run("fill", str(cli.file(CODE)), "--at", "2:5", *flags.split(), *more.split())
    (fill,) = cli.engine.fills
    sampling = fill.sampling
    assert (sampling.policy, sampling.order, sampling.steps) == ("fixed", "left", 3)
    assert (sampling.threshold, sampling.temperature, sampling.top_p) == (0.5, 0.2, 0.7)
    assert (sampling.seed, fill.canvas.tokens, fill.deadline_ms) == (11, 9, 500)
    assert fill.shape == "span"
    assert (cli.opened[0].threads, cli.opened[0].device) == (1, "cpu")


def test_the_longest_time_is_asked_for_by_default(cli: Cli) -> None:
    path, cli.engine.script = str(cli.file(CODE)), ()
    for verb in ("fill", "revise", "score"):
        cli.run(verb, path, "--lines", "2")
    assert [request.deadline_ms for request in cli.engine.fills] == [600_000] * 3


def test_json(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answer = "2 * r"
    cli.engine.notes = ("Only the last 256 tokens before the hole were used.",)
    assert cli.run("fill", str(path), "--range", "2:12-2:16", "--json", "--seed", "3") == 0
    found = json.loads(cli.out)
    assert found["text"] == "2 * r"
    assert found["start"] == {"line": 2, "column": 12}
    assert "".join(token["text"] for token in found["tokens"]) == "2 * r"
    assert all(token["step"] >= 1 for token in found["tokens"])
    assert (found["seed"], found["model"], found["finish"]) == (3, "fake", "converged")
    assert found["nfe"] == found["steps"] == found["stats"]["steps"]
    assert found["notes"] == list(cli.engine.notes)
    assert (found["changed"], found["written"]) == (True, False)


def test_standard_input_gives_the_whole_text(cli: Cli) -> None:
    cli.stdin = "\ufeffa = <FILL>\r\nb\r\n".encode()
    cli.engine.answer = "1"
    assert cli.run("fill", "-") == 0
    assert cli.out == "\ufeffa = 1\r\nb\r\n".encode()


def test_standard_input_as_a_diff(cli: Cli) -> None:
    cli.stdin = b"a = TODO"
    cli.engine.answer = "1"
    assert cli.run("fill", "-", "--marker", "TODO", "--diff", "--quiet") == 0
    assert b"-a = TODO\n\\ No newline at end of file\n+a = 1\n" in cli.out
    assert cli.err == ""


@pytest.mark.parametrize(
    ("name", "head", "lines"),
    [
        ("code.py", b"", "20:22"),
        ("my code.py", b"", "20:22"),
        ("code.py", BOM_UTF8, "1"),
        ("code.py", BOM_UTF8, "3:4"),
        ("code.py", BOM_UTF8, "20:22"),
    ],
)
def test_the_diff_applies(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, head: bytes, lines: str
) -> None:
    monkeypatch.chdir(cli.folder)
    before = head + b"".join(b"line %d\r\n" % n for n in range(1, 40))
    path = cli.file(before, name)
    cli.engine.answer = "new\nand more"
    cli.run("fill", name, "--lines", lines, "--diff")
    patch = cli.out
    cli.run("fill", name, "--lines", lines, "-i")
    wanted = path.read_bytes()
    path.write_bytes(before)
    try:
        command = ["patch", "--binary", "--strip=0", "--fuzz=0"]
        subprocess.run(command, input=patch, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no patch program")
    assert path.read_bytes() == wanted


KEPT = [
    ("crlf", b"a\r\nb\r\nc\r\n", b"a\r\nx\r\ny\r\nc\r\n"),
    ("cr only", b"a\rb\rc\r", b"a\rx\ry\rc\r"),
    ("mixed", b"a\nb\r\nc\n", b"a\nx\ny\r\nc\n"),
    ("bom", b"\xef\xbb\xbfa\nb\nc\n", b"\xef\xbb\xbfa\nx\ny\nc\n"),
    ("utf-16", "\ufeffa\nb\nc\n".encode("utf-16-le"), "\ufeffa\nx\ny\nc\n".encode("utf-16-le")),
    ("no final newline", b"a\nb", b"a\nx\ny"),
    ("a blank line behind", b"a\nb\n\nc\n", b"a\nx\ny\n\nc\n"),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in KEPT], ids=[r[0] for r in KEPT])
def test_what_belongs_to_the_file_is_kept(cli: Cli, before: bytes, after: bytes) -> None:
    path = cli.file(before)
    path.chmod(0o754)
    cli.engine.answer = "x\ny"
    assert cli.run("rewrite", str(path), "--lines", "2", "--in-place") == 0
    assert path.read_bytes() == after
    assert path.stat().st_mode & 0o777 == 0o754


EDGES = [
    ("tab", "\tx", "1:2-1:3", "\ty"),
    ("emoji", "\U0001f600x\U0001f600", "1:2-1:3", "\U0001f600y\U0001f600"),
    ("joined emoji cut apart", "\U0001f468\u200d\U0001f469", "1:2-1:3", "\U0001f468y\U0001f469"),
    ("combining mark behind", "ax\u0301", "1:2-1:3", "ay\u0301"),
    ("combining mark before", "e\u0301x", "1:3-1:4", "e\u0301y"),
    ("wide", "\u4e2dx\u4e2d", "1:2-1:3", "\u4e2dy\u4e2d"),
    ("mask glyph", "\u2592x\u2592", "1:2-1:3", "\u2592y\u2592"),
    ("special token", "<|endoftext|>x<empty_output>", "1:14-1:15", "<|endoftext|>y<empty_output>"),
    ("escape", "\x1b[2Jx", "1:5-1:6", "\x1b[2Jy"),
]


@pytest.mark.parametrize(
    ("before", "span", "after"), [r[1:] for r in EDGES], ids=[r[0] for r in EDGES]
)
@pytest.mark.parametrize("terminal", [False, True])
def test_odd_characters_at_the_edge(
    cli: Cli, before: str, span: str, after: str, terminal: bool
) -> None:
    path = cli.file(before.encode())
    cli.engine.answer = "y"
    cli.terminal, cli.environ["TERM"] = terminal, "xterm-256color"
    assert cli.run("fill", str(path), "--range", span, "-i") == 0
    assert path.read_bytes() == after.encode()
    assert "\x1b[2J" not in cli.err


def test_whole_lines_stay_lines_when_the_answer_breaks_off(cli: Cli) -> None:
    path = cli.file(b"a\nb\nc\n")
    cli.engine.script = (Done("cli-1", "x\ny", "length"),)
    assert cli.run("rewrite", str(path), "--lines", "2", "-i") == 0
    assert path.read_bytes() == b"a\nx\ny\nc\n"


def test_a_link_stays_a_link(cli: Cli) -> None:
    path = cli.file(CODE)
    link = cli.folder / "link.py"
    link.symlink_to(path)
    assert cli.run("fill", str(link), "--lines", "2", "-i") == 0
    assert link.is_symlink()
    assert b"\npass\n" in path.read_bytes()


def test_the_recording(cli: Cli) -> None:
    film = cli.folder / "film.svg"
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2", "--record", str(film)) == 0
    assert film.read_text("utf-8").startswith("<svg ")


def test_bad_recording_place(cli: Cli) -> None:
    path = str(cli.file(CODE))
    assert cli.run("fill", path, "--lines", "2", "--record", str(Path("none") / "x.svg")) == 2
    assert "recording can't be written" in cli.err

"""Several markers in a text: all of them are filled, and nothing else changes."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.cli import address, newlines
from clients.cli.canvas import Canvas
from clients.cli.canvas_view import Size, compose, scene
from clients.cli.document import Document
from clients.cli.errors import EngineFailure
from clients.cli.request import build
from clients.cli.settings import Settings
from engine.client import EngineClient
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import Delta
from tests.clients.cli.harness import Cli
from tests.clients.cli.test_canvas_view import drawn

CODE = b"def area(r):\n    return <FILL>\n\n\nprint(area(<FILL>))\n"


def test_every_marker_is_asked_for_in_one_request(cli: Cli) -> None:
    cli.engine.answers = ("3 * r * r", "2")
    assert cli.run("fill", str(cli.file(CODE)), "--max-tokens", "9", "--shape", "span") == 0
    (fill,) = cli.engine.fills
    assert (fill.prefix, fill.suffix) == ("def area(r):\n    return ", "))\n")
    (hole,) = fill.holes
    assert (hole.before, hole.shape, hole.canvas.tokens) == ("\n\n\nprint(area(", "span", 9)
    assert "+    return 3 * r * r\n" in cli.out.decode() and "+print(area(2))" in cli.out.decode()


def test_in_place_and_json(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answers = ("3 * r * r", "2")
    assert cli.run("fill", str(path), "--in-place", "--json") == 0
    assert path.read_bytes() == b"def area(r):\n    return 3 * r * r\n\n\nprint(area(2))\n"
    found = json.loads(cli.out)
    assert [hole["text"] for hole in found["holes"]] == ["3 * r * r", "2"]
    assert [hole["start"]["line"] for hole in found["holes"]] == [2, 5]
    assert found["text"] == "3 * r * r" and found["written"] is True


def test_one_hole_is_a_list_of_one(cli: Cli) -> None:
    cli.run("fill", str(cli.file(b"a = <FILL>\n")), "--json")
    found = json.loads(cli.out)
    assert [hole["text"] for hole in found["holes"]] == [found["text"]]


def test_standard_input_with_all_kinds_of_line_ends(cli: Cli) -> None:
    cli.stdin = "\ufeffa = <FILL>\r\nb = <FILL>\nc\r\n".encode("utf-16-le")
    cli.engine.answers = ("1", "2\n3")
    assert cli.run("fill", "-") == 0
    assert cli.out == "\ufeffa = 1\r\nb = 2\r\n3\nc\r\n".encode("utf-16-le")


TEXT = st.text("ab \n\r\u00e9\U0001f600\u2028", max_size=12)
BETWEEN = st.text("ab \n\r\u00e9\U0001f600\u2028", min_size=1, max_size=12)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    outer=st.tuples(TEXT, TEXT),
    betweens=st.lists(BETWEEN, min_size=1, max_size=4),
    answers=st.lists(st.text("xy\n(", min_size=1, max_size=6), min_size=5, max_size=5),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_every_byte_outside_the_holes_stays(
    tmp_path: Path, outer: tuple[str, str], betweens: list[str], answers: list[str], encoding: str
) -> None:
    cli = Cli(tmp_path)
    pieces = [outer[0], *betweens, outer[1]]
    path = cli.file("<FILL>".join(pieces).encode(encoding))
    cli.engine.answers = answers[: len(pieces) - 1]
    assert cli.run("fill", str(path), "-i", "--json", "--shape", "span") == 0
    texts = [hole["text"] for hole in json.loads(cli.out)["holes"]]
    for text, answer in zip(texts, cli.engine.answers, strict=True):  # at the end of a text
        assert newlines.normalise(text).rstrip("\n") == answer.rstrip("\n")  # one "\n" may go
    whole = "".join(piece + text for piece, text in zip(pieces, [*texts, ""], strict=True))
    assert path.read_bytes() == whole.encode(encoding)


@pytest.mark.parametrize("gap", [1, 3, 6, 7, 8, 9, 40])
def test_the_diff_applies(cli: Cli, gap: int) -> None:
    """Holes near each other share a hunk, others get their own; growth is counted."""
    lines = [b"line %d\r\n" % n for n in range(100)]
    for n in range(3):
        lines[10 + n * gap] = b"x = <FILL>\r\n"
    path = cli.file(b"".join(lines))
    cli.engine.answers = ("1\n2\n3", "4", "5\n6")
    cli.run("fill", str(path), "--diff", "--shape", "block")
    (patch := cli.folder / "a.patch").write_bytes(cli.out)
    assert cli.out.count(b"\n+++ ") == 1
    cli.run("fill", str(path), "-i", "--shape", "block")
    wanted = path.read_bytes()
    path.write_bytes(b"".join(lines))
    command = ["patch", "--fuzz=0", "--binary", str(path), str(patch)]
    try:
        told = subprocess.run(command, check=True, capture_output=True).stdout
    except FileNotFoundError:
        pytest.skip("there is no patch program")
    assert path.read_bytes() == wanted and b"offset" not in told


def test_a_hole_that_had_no_time_keeps_its_marker(cli: Cli) -> None:
    path = cli.file(CODE)
    cli.engine.answers, cli.engine.finish = ("3", ""), "deadline"
    assert cli.run("fill", str(path), "-i") == 0
    assert path.read_bytes() == CODE.replace(b"<FILL>", b"3", 1)
    assert "in 1 of 2 holes" in cli.err


def test_an_engine_that_answers_too_few_holes_is_a_failure(cli: Cli) -> None:
    cli.engine.answers = ("3",)
    assert cli.run("fill", str(cli.file(CODE))) == 3
    assert "filled 1 of 2 holes" in cli.err


def test_markers_side_by_side_are_bad_input(cli: Cli) -> None:
    assert cli.run("fill", str(cli.file(b"<FILL><FILL>"))) == 2
    assert not cli.engine.fills


def test_the_live_picture_shows_all_holes(cli: Cli) -> None:
    cli.terminal = True
    cli.environ.update({"TERM": "xterm-256color", "COLUMNS": "60", "LINES": "20"})
    cli.engine.answers = ("3 * r * r", "2")
    cli.run("fill", str(cli.file(CODE)))
    assert "\u22ef" in cli.err and "revealed 0/" in cli.err


def picture(raw: str, height: int, *deltas: Delta) -> str:
    document = Document.of(raw)
    span, *others = address.marked(document, "<FILL>")
    job = build("fill", document, [span, *others], Settings(), None)
    canvas = Canvas(rest=[Canvas() for _ in others])
    for delta in deltas:
        canvas.apply(delta)
    return drawn(compose(scene(job, 1), canvas, Size(40, height), len(deltas)))


def test_holes_stand_one_below_the_other() -> None:
    first = Delta("f", 3, 2, (0,), ("1",), (0.5,))
    second = Delta("f", 1, 3, (2,), ("z",), (0.5,), canvas=1)
    assert picture("a = <FILL>\nb\nc\nd = <FILL>!\n", 12, first, second) == (
        "  1 \u2502 a = [1]\u2592\n"
        "  2 \u2502 b\n"
        "\u22ef\n"
        "  3 \u2502 c\n"
        "  4 \u2502 d = \u2592\u2592[z]!"
    )


@given(st.integers(1, 30), st.integers(2, 16))
def test_no_picture_is_higher_than_its_room(height: int, holes: int) -> None:
    shown = picture("a\n<FILL>\nb\n" * holes, height)
    assert 1 <= len(shown.split("\n")) <= height


def test_the_hole_at_work_is_in_sight() -> None:
    full = Delta("f", 1, 1, (0,), ("done",), (0.5,))
    shown = picture("a = <FILL>\n" + "b\n" * 9 + "c = <FILL>\n", 4, full)
    assert "c = " in shown and "done" not in shown


def test_a_canvas_that_was_not_asked_for_is_a_failure() -> None:
    with pytest.raises(EngineFailure, match="not asked for"):
        Canvas().apply(Delta("f", 1, 1, (0,), ("a",), (0.5,), canvas=1))


@pytest.mark.parametrize("policy", ["causal", "threshold"])
def test_through_a_real_engine(cli: Cli, tiny: Model, policy: str) -> None:
    engine: EngineClient = LocalEngine(tiny, EngineConfig(threads=1))
    cli.engine = engine  # type: ignore[assignment]
    path = cli.file(CODE)
    assert cli.run("fill", str(path), "-i", "--json", "--policy", policy) == 0
    found = json.loads(cli.out)
    texts = [hole["text"] for hole in found["holes"]]
    parts = CODE.decode().split("<FILL>")
    assert path.read_bytes().decode() == parts[0] + texts[0] + parts[1] + texts[1] + parts[2]

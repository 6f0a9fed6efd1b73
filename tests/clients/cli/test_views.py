"""What a fill shows while it runs, with and without a terminal."""

from io import BytesIO

import pytest

from clients.cli import address
from clients.cli.canvas import Canvas
from clients.cli.canvas_view import scene
from clients.cli.document import Document
from clients.cli.program import Program
from clients.cli.request import build
from clients.cli.settings import Settings
from clients.cli.views import LivePicture, PlainProgress, Silent
from protocol.messages import Delta
from tests.clients.cli.harness import Cli, Stream
from tests.clients.cli.screen import Screen

MOVES = ("\x1b[2K", "\x1b[1A", "\x1b[?25l")
CODE = b"def area(r):\n    return None\n"


def fill_on_terminal(cli: Cli, *flags: str, **environ: str) -> str:
    """What standard error got, as a terminal."""
    cli.terminal = True
    cli.environ.update({"TERM": "xterm-256color", "COLUMNS": "60", "LINES": "20", **environ})
    cli.engine.answer = "    return 3 * r * r"
    cli.run("fill", str(cli.file(CODE)), "--lines", "2", *flags)
    return cli.err


def test_a_terminal_gets_the_live_canvas(cli: Cli) -> None:
    shown = fill_on_terminal(cli)
    assert "\u2592" in shown and "revealed 0/" in shown
    assert "\x1b[?25l" in shown and shown.count("\x1b[?25h") == 1


@pytest.mark.parametrize(
    ("flags", "environ"),
    [
        (("--no-live",), {}),
        (("--reduced-motion",), {}),
        ((), {"RETOUCH_REDUCED_MOTION": "1"}),
        ((), {"TERM": "dumb"}),
        ((), {"TERM": ""}),
    ],
)
def test_plain_progress_where_nothing_may_move(
    cli: Cli, flags: tuple[str, ...], environ: dict[str, str]
) -> None:
    shown = fill_on_terminal(cli, *flags, **environ)
    assert not [move for move in MOVES if move in shown]
    assert "\u2592" not in shown
    assert "revealed" in shown and "NFE" in shown


@pytest.mark.parametrize(("flags", "environ"), [(("--no-color",), {}), ((), {"NO_COLOR": "1"})])
def test_no_colours(cli: Cli, flags: tuple[str, ...], environ: dict[str, str]) -> None:
    assert "\x1b[1;32m" in fill_on_terminal(cli, "--context", "2")
    shown = fill_on_terminal(cli, *flags, **environ)
    assert "\u2592" in shown
    assert "32m" not in shown and "34m" not in shown


def test_a_pipe_gets_plain_text(cli: Cli) -> None:
    cli.engine.answer = "a b c d e f g h i j"
    cli.run("fill", str(cli.file(CODE)), "--lines", "2")
    assert "\x1b" not in cli.err + cli.out.decode()
    assert cli.err.splitlines()[0].endswith("opening the model")


def test_quiet_says_nothing(cli: Cli) -> None:
    assert fill_on_terminal(cli, "--quiet") == ""
    assert cli.out


def test_a_diff_on_a_terminal_is_coloured_and_harmless(cli: Cli) -> None:
    cli.engine.answer = "x\x1b]0;title\x07"
    cli.run("fill", str(cli.file(b"\x1b[2Jold\n")), "--lines", "1", "--color", "always")
    shown = cli.out.decode()
    assert "\x1b[32m" in shown or "\x1b[32;" in shown
    assert "\x1b[2J" not in shown and "\x07" not in shown


@pytest.fixture
def stream() -> Stream:
    """A terminal's output."""
    return Stream(terminal=True)


def live(stream: Stream, raw: str, now: list[float]) -> LivePicture:
    """The live picture for line 1 of a text, with a clock of the test's own."""
    environ = {"TERM": "xterm", "COLUMNS": "40", "LINES": "12"}
    program = Program(lambda _: pytest.fail("no engine"), environ, BytesIO(), BytesIO(), stream)
    document = Document.of(raw)
    job = build("fill", document, [address.lines(document, "1")], Settings(), None)
    return LivePicture(program.console(stream, Settings()), scene(job, 1), lambda: now[0])


def test_the_screen_shows_the_frame_and_is_clean_afterwards(stream: Stream) -> None:
    canvas, screen = Canvas(), Screen()
    with live(stream, "a\nb\u4e2d\tc\n", [0.0]) as view:
        view.say("hello")
        canvas.resize(4)
        view.draw(canvas)
        canvas.apply(Delta("f", 1, 4, (1, 3), ("x", "\n"), (0.5, 0.5)))
        view.draw(canvas, last=True)
        screen.feed(stream.getvalue())
        assert screen.text() == [
            "hello",
            "  1 \u2502 \u2592x\u2592",
            "  2 \u2502 b\u4e2d c",
            "  step 1 \u00b7 revealed 2/4 \u00b7 0 ms",
        ]
        assert not screen.cursor_shown
        seen = len(stream.getvalue())
    screen.feed(stream.getvalue()[seen:])
    assert [line for line in screen.text() if line] == ["hello"]
    assert screen.cursor_shown


def test_frames_come_at_most_thirty_times_a_second(stream: Stream) -> None:
    now = [0.0]
    canvas = Canvas()
    with live(stream, "a\nb\n", now) as view:
        view.draw(canvas)
        for step in range(1, 101):
            now[0] += 0.01
            canvas.apply(Delta("f", step, 100, (step - 1,), ("x",), (0.5,)))
            view.draw(canvas)
        view.draw(canvas, last=True)
    assert 20 <= stream.getvalue().count("revealed") <= 32
    assert "revealed 100/100" in stream.getvalue()


def test_progress_speaks_at_the_quarters() -> None:
    stream = Stream()
    program = Program(lambda _: pytest.fail("no engine"), {}, BytesIO(), BytesIO(), stream)
    view = PlainProgress(program.console(stream, Settings()))
    canvas = Canvas()
    for step in range(1, 9):
        canvas.apply(Delta("f", step, 8, (step - 1,), ("x",), (0.5,)))
        view.draw(canvas)
    assert stream.getvalue().splitlines() == [
        f"  step {step} \u00b7 revealed {step}/8" for step in (2, 4, 6, 8)
    ]


def test_silence() -> None:
    with Silent() as view:
        view.say("x")
        view.draw(Canvas(), last=True)

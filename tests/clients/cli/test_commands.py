"""fill and rewrite from the outside: outputs, exit codes, files, and every bad input."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from engine.errors import EngineError
from protocol.messages import Done, Error
from tests.clients.cli.harness import Cli
from tests.fakes import FakeEngine

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


def test_the_diff_applies(cli: Cli) -> None:
    path = cli.file(b"".join(b"line %d\r\n" % n for n in range(1, 40)))
    cli.engine.answer = "new\nand more"
    cli.run("fill", str(path), "--lines", "20:22", "--diff")
    patch = cli.folder / "a.patch"
    patch.write_bytes(cli.out)
    cli.run("fill", str(path), "--lines", "20:22", "-i")
    wanted = path.read_bytes()
    path.write_bytes(b"".join(b"line %d\r\n" % n for n in range(1, 40)))
    try:
        command = ["patch", "--binary", str(path), str(patch)]
        subprocess.run(command, check=True, capture_output=True)
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


BAD = [
    (("fill", "none.py", "--at", "1:1"), "no such file"),
    (("fill", ".", "--at", "1:1"), "is a directory"),
    (("fill", "binary", "--at", "1:1"), "binary file"),
    (("fill", "latin", "--at", "1:1"), "not UTF-8"),
    (("fill", "code.py", "--at", "99:1"), "outside the file, which has 4 lines"),
    (("fill", "code.py", "--at", "1:99"), "columns are 1 to 13"),
    (("fill", "code.py", "--lines", "3:9"), "outside the file"),
    (("fill", "code.py", "--at", "1:1", "--lines", "1"), "can't go together"),
    (("fill", "code.py"), "there is no <FILL> in the text"),
    (("fill", "code.py", "--marker", ""), "marker"),
    (("fill", "code.py", "--at", "1:1", "--diff", "--json"), "can't go together"),
    (("fill", "-", "--at", "1:1", "--in-place"), "--in-place needs a file"),
    (("fill", "code.py", "--at", "1:1", "--shape", "round"), "choose one of"),
    (("fill", "code.py", "--at", "1:1", "--steps", "0"), "--steps: Expected int >= 1"),
    (("fill", "code.py", "--at", "1:1", "--policy", "magic"), "--policy: Invalid enum value"),
    (("rewrite", "code.py"), "say which span"),
    (("rewrite", "code.py", "--range", "1:2-1:2"), "span is empty"),
    (("rewrite", "empty.py", "--lines", "1"), "which is empty"),
    (("rewrite", "long.py", "--lines", "1:500"), "can't be asked"),
    (("rewrite",), "Missing argument"),
    (("polish",), "No such command"),
    (("fill", "code.py", "--colour"), "No such option"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(row[0]) for row in BAD])
def test_bad_usage_and_input(
    cli: Cli, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cli.folder)
    cli.file(CODE)
    cli.file(b"\x7fELF\0\0", "binary")
    cli.file(b"caf\xe9", "latin")
    cli.file(b"", "empty.py")
    cli.file(b"x\n" * 500, "long.py")
    monkeypatch.setattr("sys.stderr", stream := _Capture())
    assert cli.run(*arguments) == 2
    said = cli.err + stream.text
    assert words in " ".join(said.replace("\u2502", " ").split())
    assert not cli.opened, "the model was loaded for a request that can't be met"
    assert (cli.folder / "code.py").read_bytes() == CODE


class _Capture:
    """Standard error for typer's own messages."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        return False


def test_an_error_as_json(cli: Cli) -> None:
    assert cli.run("fill", "none.py", "--at", "1:1", "--json") == 2
    assert json.loads(cli.out)["error"]["code"] == "bad_input"
    assert "no such file" in cli.err


def test_a_long_context_is_cut_and_said(cli: Cli) -> None:
    path = cli.file(b"x = 1\n" * 100_000 + b"<FILL>\n" + b"y = 2\n" * 100_000)
    assert cli.run("fill", str(path), "--json") == 0
    (fill,) = cli.engine.fills
    assert fill.prefix.startswith("x = 1\n") and fill.suffix.endswith("y = 2\n")
    notes = " ".join(json.loads(cli.out)["notes"])
    assert f"only the last {len(fill.prefix)} characters" in notes
    assert f"only the first {len(fill.suffix)} characters" in notes


def test_a_file_that_changes_meanwhile_is_not_written(cli: Cli) -> None:
    path = cli.file(CODE)

    def write(_: int) -> None:
        path.write_bytes(b"theirs")

    cli.engine.on_receive = write
    assert cli.run("fill", str(path), "--lines", "2", "-i") == 2
    assert "changed while retouch was at work" in cli.err
    assert path.read_bytes() == b"theirs"


def test_no_write_permission(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.file(CODE)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert cli.run("fill", str(path), "--lines", "2", "-i") == 2
    assert "no permission to write" in cli.err
    assert not cli.opened
    assert path.read_bytes() == CODE


def test_a_full_disk(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.file(CODE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cli.run("fill", str(path), "--lines", "2", "-i") == 2
    assert "no space left" in cli.err
    assert path.read_bytes() == CODE
    assert not list(cli.folder.glob(".*.tmp"))


def test_corrupt_weights_are_an_engine_failure(cli: Cli) -> None:
    cli.failure = EngineError("base.safetensors: the header is cut off.")
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2") == 3
    assert "the header is cut off" in cli.err


@pytest.mark.parametrize(
    ("code", "exit_code"), [("engine_failed", 3), ("overloaded", 3), ("unsupported", 2)]
)
def test_an_error_on_the_way(cli: Cli, code: str, exit_code: int) -> None:
    path = cli.file(CODE)
    cli.engine.answer = "a b c d e f g h"
    cli.engine.failure = Error(code, "It\x1b[2J broke.", "cli-1")
    assert cli.run("fill", str(path), "--lines", "2", "-i") == exit_code
    assert "It\\x1b[2J broke." in cli.err
    assert path.read_bytes() == CODE
    assert cli.engine.closed


def test_an_engine_that_falls_silent(cli: Cli) -> None:
    cli.engine.script = ()
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2") == 3
    assert "without an answer" in cli.err
    assert cli.engine.cancelled == ["cli-1"]


@pytest.mark.parametrize("verb", ["fill", "rewrite"])
def test_nothing_in_time_changes_nothing(cli: Cli, verb: str) -> None:
    path = cli.file(CODE)
    cli.engine.script = (Done("cli-1", "", "deadline"),)
    assert cli.run(verb, str(path), "--lines", "2", "-i", "--timeout-ms", "1") == 1
    assert path.read_bytes() == CODE
    assert "time was up" in cli.err


def test_an_interrupt_leaves_the_file(cli: Cli) -> None:
    path = cli.file(CODE)

    def interrupt(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    cli.engine.on_receive = interrupt
    assert cli.run("fill", str(path), "--lines", "2", "-i") == 130
    assert path.read_bytes() == CODE
    assert cli.engine.cancelled == ["cli-1"]
    assert cli.engine.closed


def test_a_bug_ends_cleanly(cli: Cli, caplog: pytest.LogCaptureFixture) -> None:
    cli.failure = ZeroDivisionError("secret text")
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2") == 3
    assert "internal error: ZeroDivisionError" in cli.err
    assert "secret" not in caplog.text


def test_the_log_holds_no_text(cli: Cli, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "retouch")
    cli.engine.answer = "answer_of_the_model"
    cli.run("fill", str(cli.file(b"secret_of_the_file <FILL>")))
    assert "fill" in caplog.text
    assert "secret" not in caplog.text and "answer" not in caplog.text


def test_what_the_fake_does_is_the_contract() -> None:
    assert FakeEngine().receive() is None


def test_the_recording(cli: Cli) -> None:
    film = cli.folder / "film.svg"
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2", "--record", str(film)) == 0
    assert film.read_text("utf-8").startswith("<svg ")


def test_bad_recording_place(cli: Cli) -> None:
    path = str(cli.file(CODE))
    assert cli.run("fill", path, "--lines", "2", "--record", str(Path("none") / "x.svg")) == 2
    assert "recording can't be written" in cli.err

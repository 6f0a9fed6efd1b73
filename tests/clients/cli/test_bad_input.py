"""Everything that can be wrong with input, file, disk or engine: exit codes and words."""

import json
import os

import pytest

from engine.errors import EngineError
from protocol.codec import MSGPACK
from protocol.limits import FRAME_LIMIT
from protocol.messages import Done, Error
from tests.clients.cli.harness import Cli
from tests.fakes import FakeEngine

CODE = b"def area(r):\n    return None\n\nprint(area(2))\n"


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
    (("fill", "wide.py", "--lines", "1", "--diff"), "is UTF-16"),
    (("fill", "cr.py", "--lines", "1", "--diff"), "CR alone"),
    (("fill", "code.py", "--at", "1:1", "--instruction", "caf\udce9"), "no valid text"),
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
    cli.file("\ufeffx\n".encode("utf-16-le"), "wide.py")
    cli.file(b"x\ry\n", "cr.py")
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


@pytest.mark.parametrize("flag", ["--no-such", "--at"])
def test_bad_usage_as_json(cli: Cli, flag: str) -> None:
    assert cli.run("fill", "none.py", "--json", flag) == 2
    found = json.loads(cli.out)["error"]
    assert found["code"] == "bad_input" and flag in found["message"]


def test_many_bytes_are_cut_as_many_characters_are(cli: Cli) -> None:
    line = "\u4e2d\u6587\n".encode()
    path = cli.file(line * 87_000 + b"<FILL>\n" + line * 40_000)
    assert cli.run("fill", str(path), "--json") == 0
    (fill,) = cli.engine.fills
    assert len(MSGPACK.encode(fill)) <= FRAME_LIMIT
    assert fill.prefix.startswith("\u4e2d") and fill.suffix.endswith("\u6587\n")
    assert len(json.loads(cli.out)["notes"]) == 2


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


def test_a_part_that_settled_in_time_is_said_to_be_one(cli: Cli) -> None:
    cli.engine.script = (Done("cli-1", "    return", "deadline"),)
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2", "-i") == 0
    assert "note: the time was up; this is what had settled by then" in cli.err


def test_a_working_folder_that_is_gone(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.file(CODE)
    gone = cli.folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert cli.run("fill", str(path), "--lines", "2") == 0
    assert cli.engine.fills[0].path == "code.py"


def test_a_name_that_is_not_utf_8(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cli.folder)
    name = os.fsdecode(b"caf\xe9.py")
    try:
        cli.file(CODE, name)
    except OSError:
        pytest.skip("no such names here")
    assert cli.run("fill", name, "--lines", "2") == 0
    assert cli.engine.fills[0].path == "caf\ufffd.py"


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


def test_a_bug_as_json(cli: Cli) -> None:
    cli.failure = ZeroDivisionError("oh")
    assert cli.run("fill", str(cli.file(CODE)), "--lines", "2", "--json") == 3
    found = json.loads(cli.out)["error"]
    assert found["code"] == "internal_error" and "ZeroDivisionError" in found["message"]


def test_the_log_holds_no_text(cli: Cli, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "retouch")
    cli.engine.answer = "answer_of_the_model"
    cli.run("fill", str(cli.file(b"secret_of_the_file <FILL>")))
    assert "fill" in caplog.text
    assert "secret" not in caplog.text and "answer" not in caplog.text


def test_what_the_fake_does_is_the_contract() -> None:
    assert FakeEngine().receive() is None

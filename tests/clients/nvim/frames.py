"""Frames and commits as the contract has them, and jobs to send them for."""

from itertools import count
from typing import Any

from tests.clients.nvim.editor import Editor, span

MASK = "\u2592"

Range = dict[str, Any]

_numbers = count(1)


def line(text: str, **kinds: list[list[float]]) -> dict[str, Any]:
    """A line of a frame; where its masks are is told by the glyphs, which are one unit each."""
    masks = [[at, at + 1] for at, letter in enumerate(text) if letter == MASK]
    return {"text": text, "masks": masks, "new": [], **kinds}


def frame(editor: Editor, where: Range, *lines: str | dict[str, Any], **more: Any) -> None:
    """The server sends a frame; `job` is the first one unless told otherwise."""
    params = {
        "jobId": "job-1",
        "seq": next(_numbers),
        "step": 1,
        "steps": 4,
        "uri": editor.uri,
        "version": editor.version,
        "hole": 0,
        "range": where,
        "lines": [line(each) if isinstance(each, str) else each for each in lines],
        "done": False,
        **more,
    }
    editor.send("retouch/denoise", **params)


def commit(editor: Editor, *edits: tuple[Range, str], **more: Any) -> None:
    """The server asks to put a result into the text."""
    params = {
        "jobId": "job-1",
        "uri": editor.uri,
        "version": editor.version,
        "edits": [{"range": where, "newText": text} for where, text in edits],
        "label": "Retouch",
        "diffFirst": False,
        **more,
    }
    editor.ask("retouch/commit", **params)


def ended(editor: Editor, reason: str = "done", **more: Any) -> None:
    """The server's last word on a job."""
    editor.send("retouch/ended", **{"jobId": "job-1", "reason": reason, **more})


def job(editor: Editor, text: str | bytes, command: str, name: str = "a.py") -> None:
    """Open a file and start a job in it by a command."""
    editor.open(name, text)
    editor.vim.command(command)
    editor.settle()


__all__ = ["MASK", "commit", "ended", "frame", "job", "line", "span"]

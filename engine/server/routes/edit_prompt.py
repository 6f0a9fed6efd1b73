"""Inception's edit and apply requests: one user message with tagged parts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from protocol.errors import ProtocolError
from protocol.messages import ContextFile

CURSOR = "<|cursor|>"
PATH = re.compile(r"^[ \t]*(?:code_snippet|current)_file_path:[ \t]*(.*)\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """The file around the code to edit, that code, and where the cursor is in it, if it is."""

    before: str
    code: str
    after: str
    cursor: int | None
    files: tuple[ContextFile, ...]


def edit_of(message: str) -> Edit:
    """The parts of an edit request; ProtocolError if the code to edit is missing or doubled."""
    content = _part(message, "current_file_content")
    if content is None:
        raise ProtocolError("invalid_message", "There is no current_file_content.", "messages")
    body = PATH.sub("", content, count=1)
    before, code, after = _around(body, "code_to_edit")
    if CURSOR in before + after or code.count(CURSOR) > 1:
        raise ProtocolError(
            "invalid_message", "The cursor must be in the code to edit.", "messages"
        )
    cursor = code.find(CURSOR) if CURSOR in code else None
    return Edit(before, code.replace(CURSOR, ""), after, cursor, _files(message))


def apply_of(message: str) -> tuple[str, str]:
    """The file and the snippet of an apply request."""
    original = _part(message, "original_code")
    snippet = _part(message, "update_snippet")
    if original is None or snippet is None:
        text = "The message needs original_code and update_snippet."
        raise ProtocolError("invalid_message", text, "messages")
    return original, snippet


def _part(text: str, name: str) -> str | None:
    """What stands between the tags of a part, without the line ends next to them."""
    opening, closing = f"<|{name}|>", f"<|/{name}|>"
    if text.count(opening) != 1 or text.count(closing) != 1:
        return None
    inner = text.split(opening, 1)[1].split(closing, 1)[0]
    return inner.removeprefix("\n").removesuffix("\n")


def _around(text: str, name: str) -> tuple[str, str, str]:
    """Before, inside and behind a part, byte for byte.

    A line end behind the opening tag belongs to the tags, and so does then one behind the other.
    """
    opening, closing = f"<|{name}|>", f"<|/{name}|>"
    if text.count(opening) != 1 or text.count(closing) != 1:
        raise ProtocolError("invalid_message", f"There must be one {name}.", "messages")
    before, rest = text.split(opening)
    inner, after = rest.split(closing)
    if inner.startswith("\n"):
        return before, inner[1:], after.removeprefix("\n")
    return before, inner, after


def _files(message: str) -> tuple[ContextFile, ...]:
    """Snippets that were looked at before; the nearest to the end is the latest."""
    files = []
    for snippet in _parts(message, "recently_viewed_code_snippet"):
        named = PATH.search(snippet)
        path = named.group(1).strip() if named else ""
        files.append(ContextFile(path or "snippet", PATH.sub("", snippet, count=1)))
    return tuple(files)


def _parts(text: str, name: str) -> Iterator[str]:
    """What stands between each pair of a part's tags; a tag that is not closed opens nothing."""
    opening, closing = f"<|{name}|>", f"<|/{name}|>"
    at = 0
    while (start := text.find(opening, at)) >= 0:
        stop = text.find(closing, start)
        if stop < 0:
            return
        yield text[start + len(opening) : stop].removeprefix("\n")
        at = stop + len(closing)

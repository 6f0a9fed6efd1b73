"""What a revision may keep when it is asked for no language: nothing that breaks the document."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from engine.revision.keeping import under
from engine.revision.opening import Opened
from protocol.messages import DocumentRef, ReviseText


@dataclass
class _Opened:
    """As much of an opening as is looked at: two bytes moved from the prefix into the text."""

    required: bytes = b"x "
    tail: str = "\n"


def accepts(
    prefix: str, text: str, suffix: str, path: str | None, new: str, doc: DocumentRef | None = None
) -> bool:
    request = ReviseText("r", prefix, text, suffix, path=path, doc=doc)
    _, judge = under(None, request, cast(Opened, cast(Any, _Opened())))
    return judge(b"x " + new.encode())


@pytest.mark.parametrize(
    ("path", "old", "good", "bad"),
    [
        ("a.py", "y = (1)\n", "y = (2)", "y = (1"),
        ("a.json", '{"a": 1}\n', '{"a": 2}', '{"a": }'),
        ("a.ts", "let y = f(1);\n", "let y = f(2);", "let y = f(1;"),
    ],
)
def test_a_sound_document_stays_sound(path: str, old: str, good: str, bad: str) -> None:
    assert accepts("", old, "", path, good)
    assert not accepts("", old, "", path, bad)


def test_the_language_may_be_named_where_there_is_no_path() -> None:
    doc = DocumentRef("d", 1, "python")
    assert not accepts("", "y = (1)\n", "", None, "y = (1", doc)
    assert accepts("", "y = (1)\n", "", None, "y = (2)", doc)


def test_line_ends_do_not_matter() -> None:
    assert accepts("if x:\r\n", "    y = 1\r\n", "z = 1\r\n", "a.py", "    y = 2")
    assert not accepts("if x:\r\n", "    y = 1\r\n", "z = 1\r\n", "a.py", "y = 2")


@pytest.mark.parametrize("path", [None, "a.txt", "a.klingon"])
def test_elsewhere_anything_goes(path: str | None) -> None:
    assert accepts("", "(1)\n", "", path, "(1")


def test_a_broken_document_may_stay_broken() -> None:
    assert accepts("x = )\n", "y = (1)\n", "", "a.py", "y = (2)")
    assert not accepts("x = )\n", "y = (1)\n", "", "a.py", "y = (2")

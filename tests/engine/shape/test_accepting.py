"""Whether a text is sound in a hole: the document parses, or is no worse than it has to be."""

import pytest

from engine.constraints.errors import UnsupportedError
from engine.shape.judge import EXACT, TRIALS, TRIED_LIMIT, accepts_in


@pytest.mark.parametrize(
    ("language", "before", "behind", "good", "bad"),
    [
        ("python", "def f(x):\n    return ", "\n", "x + 1", "x +"),
        ("python", "if x:\n    ", "\n", "pass", ""),
        ("python", "x = [", "]\n", "1, 2", "1 2"),
        ("json", '{"a": ', "}", "[1, 2]", "[1, 2"),
        ("json", '{"a": ', "}", "1", "NaN"),
        ("javascript", "let a = ", ";\n", "f(1)", "f(1"),
        ("go", "package main\n\nfunc f() int {\n\treturn ", "\n}\n", "1", "1 +"),
        ("rust", "fn f() -> i32 { ", " }\n", "1", "let x = "),
    ],
)
def test_sound_documents_stay_sound(
    language: str, before: str, behind: str, good: str, bad: str
) -> None:
    accepts = accepts_in(language, before, [behind])
    assert accepts(good)
    assert not accepts(bad)


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_document_that_is_broken_elsewhere_may_not_break_further(language: str) -> None:
    broken = "def (:\n\n" if language == "python" else "let = (;\n\n"
    accepts = accepts_in(language, f"{broken}a = ", ["\n"])
    assert accepts("1")
    assert not accepts("[[[) (")


@pytest.mark.parametrize(
    ("before", "behind", "good", "bad"),
    [
        ("def f(x):\n", "        return 1\n    return 2\n", "    if x:\n", "    y = 1\n"),
        ("def f(x):\n    ", "\n        return 1\n    return 2\n", "if x:", "y = 1"),
        ("class A:\n    def f(x):\n        1\n", "            2\n", "        if x:\n", "x\n"),
        ("try:\n    f()\n", "    g()\n", "except A:\n", "b()\n"),
        ("if x:\n    f()\n", "    g()\nelse:\n    h()\n", "elif y:\n", "y = 1\n"),
        ("def f(x):\n    if ", "\n        return 1\n", "x:", "x"),
        ("", "    return 1\n", "def f():\n", "import os\n"),
    ],
)
def test_a_header_is_missed_where_a_deeper_block_follows(
    before: str, behind: str, good: str, bad: str
) -> None:
    accepts = accepts_in("python", before, [behind])
    assert accepts(good)
    assert not accepts(bad)


def test_old_text_sets_the_measure() -> None:
    accepts = accepts_in("python", "class A(", ["):\n    pass\n"], old="B, metaclass=C")
    assert accepts("D")
    assert not accepts("D E")


def test_later_holes_are_taken_to_be_filled() -> None:
    accepts = accepts_in("python", "x = ", ["\nif ", ":\n    pass\n"])
    assert accepts("1")
    assert not accepts("1 +")


def test_a_language_without_a_judge_names_the_others() -> None:
    with pytest.raises(UnsupportedError, match="there are python, javascript"):
        accepts_in("klingon", "", [""])
    with pytest.raises(UnsupportedError):
        accepts_in("text", "", [""])


@pytest.mark.parametrize("lines", [1, 50])
def test_a_document_that_stays_broken_is_tried_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    """However many indentations it has, and however long it is."""
    tried: list[int] = []

    def parses(document: str) -> bool:
        tried.append(len(document))
        return False

    monkeypatch.setitem(EXACT, "python", parses)
    before = "".join(" " * n + "x\n" for n in range(lines)) + "# " + "y" * 9_000 * (51 - lines)
    accepts_in("python", before + "\n", [before, before])
    accepts_in("python", before + "\n", [before])
    assert tried
    assert len(tried) <= 2 * TRIALS
    assert sum(tried) <= 2 * (TRIED_LIMIT + max(tried))

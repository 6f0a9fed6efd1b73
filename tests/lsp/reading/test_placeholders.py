"""What waits to be filled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.reading.placeholders import placeholders


def found(text: str, language: str = "python", stub: bool = False) -> list[tuple[str, str]]:
    holes = placeholders(text, language, 0, len(text), stub)
    return [(text[hole.start : hole.stop], hole.shape) for hole in holes]


@pytest.mark.parametrize(
    ("text", "language", "holes"),
    [
        ("def f():\n    ...\n", "python", [("...", "block")]),
        ("def f():\n    ...  # later\n", "python", [("...  # later", "block")]),
        ("def f(): ...\n", "python", [("...", "line")]),
        ("def f(\n    a,\n) -> int: ...\n", "python", [("...", "line")]),
        ("x: tuple[int, ...] = ()\n", "python", []),
        ("x = {1: ...\n}\n", "python", []),
        ("f(\n    ...\n)\n", "python", []),
        ("@overload\ndef f(): ...\n", "python", []),
        ("@abc.abstractmethod\ndef f():\n    ...\n", "python", []),
        ("@cache\ndef f():\n    ...\n", "python", [("...", "block")]),
        ('"""\n...\n"""\n', "python", []),
        ("def f():\r\n    ...\r\n", "python", [("...", "block")]),
        ("fn f() {\n    ...\n}\n", "rust", [("...", "block")]),
        ("void f(int a,\n    ...\n);\n", "c", []),
        ("x = ___\n", "python", [("___", "line")]),
        ("f(___, 1)\n", "python", [("___", "span")]),
        ("__init__ = a___b\n", "python", []),
        ("s = '___'\n", "python", []),
        ("a\n___\nb\n", "markdown", []),
        ("x = <fill> + 1\n", "python", [("<fill>", "span")]),
        ("s = '<fill>'\n", "python", []),
        ('{"a": "<fill>"}\n', "json", [("<fill>", "span")]),
        ("a<fill>___b\n", "python", [("<fill>", "span")]),
        ("<fill><fill>\n", "python", [("<fill><fill>", "span")]),
        ("TODO\n", "python", [("TODO", "block")]),
        ("x = TODO\n", "python", [("TODO", "line")]),
        ("let x = TODO;\n", "javascript", [("TODO", "span")]),
        ("return FIXME\n", "lua", [("FIXME", "line")]),
        ("    todo!()\n", "rust", [("todo!()", "block")]),
        ("pass  # TODO: more\n", "python", [("pass  # TODO: more", "block")]),
        ("TODO = 1\nx = [TODO, DONE]\ny = s.TODO\n", "python", []),
        ("state: TODO\n", "yaml", []),
        ("# TODO: nicer\nx = 1\n", "python", []),
        ("// says 'TODO'\n", "c", []),
    ],
)
def test_placeholders(text: str, language: str, holes: list[tuple[str, str]]) -> None:
    assert found(text, language) == holes


def test_stubs_mean_their_dots() -> None:
    assert found("def f(): ...\nclass A:\n    ...\n", stub=True) == []


def test_a_comment_that_is_all_of_a_body_is_filled_below() -> None:
    text = "def f():\n    # TODO: parse\n    # the header\n\nx = 1\n"
    [hole] = placeholders(text, "python", 0, len(text))
    assert text[: hole.start].endswith("# the header")
    assert (hole.start, hole.lead, hole.shape) == (hole.stop, "\n    ", "block")


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("int f() {\n    // TODO\n}\n", "c", 1),
        ("def f():\n    # TODO: x\n    return 1\n", "python", 0),
        ("def f():\n    x = 1\n    # TODO: x\n", "python", 0),
        ("def f():\n    # TODO: x", "python", 1),
    ],
)
def test_other_comments_are_notes(text: str, language: str, count: int) -> None:
    assert len(placeholders(text, language, 0, len(text))) == count


def test_only_the_range_counts() -> None:
    text = "x = ___\ny = ___\n"
    assert len(placeholders(text, "python", 0, 8)) == 1
    assert placeholders(text, "python", 5, 6) == []


PIECES = [
    "...",
    "TODO",
    "___",
    "<fill>",
    "\n",
    "    ",
    "def f():",
    '"',
    "'",
    "#",
    "(",
    ")",
    "x",
    "\r",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.sampled_from(["python", "rust", "json", "yaml", "klingon", "markdown"]),
)
def test_any_text_gives_holes_apart_and_in_order(text: str, language: str) -> None:
    holes = placeholders(text, language, 0, len(text))
    ends = [-1]
    for hole in holes:
        assert ends[-1] < hole.start <= hole.stop <= len(text)
        assert hole.start < hole.stop or hole.lead
        ends.append(hole.stop)

"""A line that opens a block brings the block with it, where it is wanted and none stands below."""

from typing import NamedTuple

import pytest

from engine.hole import shape_hole


class Growth(NamedTuple):
    language: str
    before: str
    after: str
    said: str
    answer: str
    complete: bool = True


CASES = [
    Growth(
        "python",
        "def f(x):\n    y = 1\n    ",
        "\n    return y\n",
        "if x:\n        y = 2\n    return y",
        "if x:\n        y = 2",
    ),
    Growth(
        "python",
        "def f(x):\n    y = 1\n",
        "    return y\n",
        "    for a in x:\n        if a:\n            y += a\n\n    return y",
        "    for a in x:\n        if a:\n            y += a\n",
    ),
    Growth(
        "python", "def f(p):\n    ", "", "with open(p) as file:\n", "with open(p) as file:", False
    ),
    Growth(
        "python",
        "a = 1\n",
        "\nb = 2\n",
        "c = f(\n    1,\n    2,\n)\nb = 2",
        "c = f(\n    1,\n    2,\n)",
    ),
    Growth(
        "python",
        "a = 1\n",
        "\n\nb = 2\n",
        "def f(\n    x,\n):\n    return x\nb = 2",
        "def f(\n    x,\n):\n    return x",
    ),
    Growth(
        "python",
        "a = 1\n",
        "\n\nb = 2\n",
        'def f():\n    """Text\nthat goes on.\n    """\n    return 1\nb = 2',
        'def f():\n    """Text\nthat goes on.\n    """\n    return 1',
    ),
    # The block stands below already; a dictionary's colon opens none; one line is one line.
    Growth("python", "def f(x):\n    ", "\n        return 1\n", "if x:\n        y = 2", "if x:"),
    Growth("python", "d = {\n    1: 2,\n    ", "\n}\n", '"a":\n        1', '"a":'),
    Growth("python", "a = 1\n", "\nb = 2\n", "c = 1\n    d = 2\n", "c = 1"),
    Growth(
        "go",
        "func sum(v []int) int {\n\ttotal := 0\n\t",
        "\n\treturn total\n}\n",
        "for _, x := range v {\n\t\ttotal += x\n\t}\n\treturn total\n}",
        "for _, x := range v {\n\t\ttotal += x\n\t}",
    ),
    Growth(
        "javascript",
        "function f(x) {\n  ",
        "\n  return 1;\n}\n",
        "if (x) {\n    g();\n  } else {\n    h();\n  }\n  return 1;",
        "if (x) {\n    g();\n  } else {\n    h();\n  }",
    ),
    # What would never end is cut at the most lines and closed.
    Growth(
        "javascript",
        "f();\n",
        "\ng();\n",
        "if (x) {\n  a();\n  a();\n  a();\n  a();\n  a();\n  a();\n  a();\n",
        "if (x) {\n  a();\n  a();\n  a();\n  a();\n  a();\n}",
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_a_block_comes_whole(case: Growth) -> None:
    hole = shape_hole(case.before, case.after, "auto", None, None, case.language).growing()
    assert hole.answer(case.said).text == case.answer
    assert hole.is_complete(case.said) == case.complete


@pytest.mark.parametrize("case", [case for case in CASES if "\n" in case.answer.strip()])
def test_otherwise_the_line_alone_is_the_answer(case: Growth) -> None:
    around = case.before, case.after
    plain = shape_hole(*around, "auto", None, None, case.language)
    line = shape_hole(*around, "line", None, None, case.language).growing()
    bounded = shape_hole(*around, "auto", 1, None, case.language).growing()
    for hole in (plain, line, bounded):
        assert "\n" not in hole.answer(case.said).text.removesuffix("\n")

"""Which shape `auto` is, and where a line, a block and a span end."""

import pytest

from engine.hole import shape_hole
from protocol.messages import ShapeName
from tests.engine.shape.case import Case, check

SHAPES: list[tuple[str | None, str, str, ShapeName]] = [
    ("python", "x = ", "\n", "line"),
    ("python", "x = ", "", "line"),
    ("python", "x = foo(", ")\n", "span"),
    ("python", "x = 1\n", "y = 2\n", "line"),
    ("python", "def f():\n", "", "block"),
    ("python", "def f():\n", "\nx = 1\n", "block"),
    ("python", "def f():", "\nx = 1\n", "block"),
    ("python", "def f():\n    ", "\n\nx = 1\n", "block"),
    ("python", "def f():\n", "    return 1\n", "line"),
    ("python", 'def f():\n    """Doc."""\n', "\nx = 1\n", "block"),
    ("python", "def f():\n    # to do\n", "", "block"),
    ("python", "x = d[1:", "\n", "line"),
    ("python", "d = {'a':", "\n", "line"),
    ("python", "# note:\n", "", "line"),
    ("python", "x = 'def f():\n", "", "line"),
    ("python", "# a comment about ", "\n", "line"),
    ("python", "def f(\n    a,\n):\n", "", "block"),
    ("javascript", "function f() {\n", "}\n", "block"),
    ("javascript", "function f() {\n", "  return 1;\n}\n", "line"),
    ("javascript", "a(); // {\n", "", "line"),
    ("javascript", "function f() {", "}\n", "span"),
    ("go", "if a {\n", "}\n", "block"),
    ("rust", "match a {\n", "}\n", "block"),
    ("java", "class A {\n", "}\n", "block"),
    ("c", "int f(void) {\n", "}\n", "block"),
    ("json", '{"a": {\n', "}}\n", "block"),
    ("yaml", "a:\n", "b: 1\n", "block"),
    ("yaml", "a:", "\nb: 1\n", "line"),
    ("toml", "[a]\n", "", "line"),
    ("bash", "for i in a; do\n", "done\n", "block"),
    ("html", "<ul>\n", "</ul>\n", "block"),
    ("html", "<br>\n", "", "line"),
    ("css", "a {\n", "}\n", "block"),
    ("lua", "function f(a)\n", "end\n", "block"),
    ("markdown", "# Title:\n", "", "line"),
    (None, "def f():\n", "", "line"),
]

ENDS = [
    Case(
        "python",
        "def f(x):\n",
        "",
        "    y = 1\n    return y\n\ndef g():\n",
        "    y = 1\n    return y\n",
    ),
    Case(
        "python",
        "def f(x):\n",
        "",
        "    y = g(\n1,\n2)\n    return y\n\ndef g",
        "    y = g(\n1,\n2)\n    return y\n",
    ),
    Case("python", "def f(x):\n", "", '    y = """\na: (\n"""\nz', '    y = """\na: (\n"""\n'),
    Case("python", "def f(x):\n", "", "    y = 1\n", "    y = 1\n", complete=False),
    Case("python", "def f(x):\n", "", "    y = 1\n" * 9, "    y = 1\n" * 6),
    Case("python", "a()\n", "", "b()\nc()\nd()\n", "b()\nc()\n", shape="block", lines=2),
    Case(
        "python",
        "if a:\n    b()\n",
        "",
        "else:\n    c()\nd()\n",
        "else:\n    c()\nd()\n",
        shape="block",
        lines=3,
    ),
    Case("python", "x = ", "\n", "1\ny = 2\n", "1"),
    Case("python", "x = foo(", ")\n", "a,\n    b)\n", "a,"),
    Case("python", "x = foo(", ")\n", "a,\n    b)\n", "a,\n    b", shape="span", lines=4),
    Case("javascript", "function f() {\n", "\nx();\n", "  return 1;\n}\nfoo", "  return 1;\n}"),
    Case("javascript", "function f() {", "}\n", "\n  return 1;\n}\n", "\n  return 1;\n"),
    Case("javascript", "f(function() {\n", "", "  go();\n});\nh();\n", "  go();\n});\n"),
    Case("bash", "for i in 1 2; do\n", "\nls\n", "  echo $i\ndone\nls\n", "  echo $i\ndone"),
    Case("lua", "function f(x)\n", "", "  return x\nend\ng()\n", "  return x\nend\n"),
    Case("html", "<ul>\n", "", "  <li>a</li>\n</ul>\n<p>\n", "  <li>a</li>\n</ul>\n"),
    Case(
        "c",
        "void f() {\n",
        "}\n",
        "#ifdef A\n    a();\n#endif\n}\n",
        "#ifdef A\n    a();\n#endif\n",
    ),
    Case("python", "# about ", "\n", "it's (here\nfoo", "it's (here"),
    Case("python", '"""Doc.\n', '"""\n', "It's (open\nmore", "It's (open\n"),
    Case("markdown", "# Title\n", "\nmore\n", "It's a (text\nmore\n", "It's a (text"),
]


@pytest.mark.parametrize(("language", "before", "after", "shape"), SHAPES)
def test_auto_is_decided_by_the_surroundings(
    language: str | None, before: str, after: str, shape: ShapeName
) -> None:
    assert shape_hole(before, after, "auto", None, None, language).shape == shape


@pytest.mark.parametrize("case", ENDS)
def test_an_answer_ends_where_its_shape_does(case: Case) -> None:
    check(case)


def test_the_language_is_told_by_name_or_path() -> None:
    assert shape_hole("def f():\n", "", "auto", None, "a/b.py", None).shape == "block"
    assert shape_hole("def f():\n", "", "auto", None, "C:\\a\\b.PY", None).shape == "block"
    assert shape_hole("def f():\n", "", "auto", None, "b.txt", "python").shape == "block"
    assert shape_hole("def f():\n", "", "auto", None, "b.txt", None).shape == "line"


def test_a_block_of_unknown_length_is_bounded_and_a_line_is_one() -> None:
    assert shape_hole("def f():\n", "", "auto", None, "a.py").lines == 6
    assert shape_hole("x = 1\n", "", "auto", 9, "a.py").lines == 1
    assert shape_hole("x = 1\n", "", "block", 9, "a.py").lines == 9

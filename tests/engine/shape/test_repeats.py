"""Complaint: the completion says again what stands before or after the cursor."""

import pytest

from tests.engine.shape.case import Case, check

AFTER = [
    Case("python", "x = foo(", ")\n", "a, b)\nbar", "a, b"),
    Case("python", "x = foo(", ") + 1\n", "a, b) + 1\n", "a, b"),
    Case("python", "x = foo(", ")\n", "bar(a), b)", "bar(a), b"),
    Case("python", "x = foo(", ", last=True)\n", "a, last=True)", "a"),
    Case("python", "x = ", " if y else z\n", "w if y else z\n", "w"),
    Case("python", "if ", ":\n    pass\n", "x > 1:\n    pass\n", "x > 1"),
    Case("python", "print('hello ", "')\n", "world')\n", "world"),
    Case("python", "d = {", "}\n", '"a": 1, "b": [2]}\n', '"a": 1, "b": [2]'),
    Case("python", "x = [\n", "]\ny = 2\n", "    1,\n    2,\n]\ny = 2\n", "    1,\n    2,\n"),
    Case("python", "def f():\n", "\nprint(f())\n", "    pass\nprint(f())\n", "    pass"),
    Case("python", "a = 1\n", "total = a + b\n", "b = 2\ntotal = a + b\n", "b = 2\n"),
    Case("python", "a = 1\n", "total = a + b\n", "total = a + b\n", ""),
    Case(
        "python",
        "a = 1\n",
        "total = a + b\n",
        "b = 2\nc = 3\ntotal = a + b\nprint(total)\n",
        "b = 2\nc = 3\n",
        shape="block",
    ),
    Case("javascript", "foo(", ");\n", "a, () => { b(); });\n", "a, () => { b(); }"),
    Case("javascript", "const s = `a ${", "} b`;\n", "foo(x)} b`;\n", "foo(x)"),
    Case("javascript", "f(function() {\n", "});\n", "  go();\n});\n", "  go();\n"),
    Case("json", '{"a": [1, ', "]}\n", "2, 3]}\n", "2, 3"),
    Case("json", '{"a": "', '", "b": 1}\n', 'x", "b": 1}\n', "x"),
    Case("yaml", "a:\n", "other: 1\n", "  b: 1\nother: 1\n", "  b: 1\n"),
    Case("toml", "a = [1, ", "]\n", "2]\n", "2"),
    Case("html", '<div class="a">', "</div>\n", "<b>x</b></div>\n", "<b>x</b>"),
    Case("html", '<div class="', '">x</div>\n', 'foo">x</div>\n', "foo"),
    Case("html", "<ul>\n", "</ul>\n", "  <li>a</li>\n</ul>\n", "  <li>a</li>\n"),
    Case("css", "a {\n", "}\n", "  color: red;\n}\n", "  color: red;\n"),
    Case("lua", "function f(x)\n", "end\n", "  return x\nend\n", "  return x\n"),
    Case("bash", "if true; then\n", "fi\n", '  echo "fi"\nfi\n', '  echo "fi"\n'),
    Case("cpp", "int x = ", ";\n", 'foo(R"(a)b)");\n', 'foo(R"(a)b)")'),
    Case("markdown", "See ", " for more.\n", "the docs for more.\n", "the docs"),
    # behind what is said again the line goes on
    Case("javascript", "foo(a, ", "b);\n", "c, b);\n", "c, "),
    Case("python", "foo(a, ", "bar) + 1\n", "c, bar) + 1\n", "c, "),
    Case("python", "foo(a, ", "other) + 1\n", "another) + 1\n", "an"),
    Case("python", "foo(g(", "b)) + 1\n", "c, b)) + 1\n", "c, "),
    Case("c", "x = f(", "b(2)) + 1;\n", "c, b(2)) + 1;\n", "c, "),
    Case("css", "a { color: hsl(210, ", " 28%); }\n", "25%, 28%); }\n", "25%,"),
    # what stands behind closes what is opened here
    Case("python", "x = ", "value, other)\n", "foo(value, other)\n", "foo("),
    Case("python", "x = ", 'hello")\n', 'foo("hello")\n', 'foo("'),
    Case("go", "m := ", '"b": 2}\n', 'map[string]int{"a": 1, "b": 2}\n', 'map[string]int{"a": 1, '),
    Case("c", "x = ", "a,\n  b);\n", "foo(a,\n  b);\n", "foo("),
    Case("javascript", "f(a, ", "true });\n", "{ b: true });\n", "{ b: "),
    Case("html", '<a href="', "Words</a>\n", 'x">Words</a>\n', 'x">'),
    Case(None, "foo(", ")\n", "a, b) + c\n", "a, b"),
]

BEFORE = [
    Case("python", "x = load(a)\n", "", "x = load(a)\nx = load(a)\ny = 2\n", "y = 2\n"),
    Case("python", "x = 1\n", "y = 2\n", "x = 1\nz = 3\n", "z = 3\n"),
    Case("python", "result = ", "\n", "result = foo(1)\n", "foo(1)"),
    Case("python", "    self.value = ", "\n", "self.value = 1\n", "1"),
    Case("python", "def f():\n    close(1)\n    ", "\n", "close(1)\n    stop()\n", "stop()"),
    Case(
        "go", "\tif err != nil {\n", "\t}\n", "\tif err != nil {\n\t\treturn\n\t}\n", "\t\treturn\n"
    ),
    Case(
        "python",
        "open_it(a)\nread_it(b)\n",
        "",
        "open_it(a)\nread_it(b)\nclose_it(c)\n",
        "close_it(c)\n",
        complete=False,
        shape="block",
    ),
    Case("markdown", "A first line.\n", "", "A first line.\nAnother one.\n", "Another one.\n"),
]

KEPT = [  # trimmed too much
    Case("javascript", "f = () => {\n  if (a) {\n    b()\n", "  c()\n}\n", "  }\n", "  }\n"),
    Case("javascript", "class A {\n  f() {\n    b()\n", "}\n", "  }\n", "  }\n"),
    Case("javascript", "g((x) => {\n  h({\n    a: 1,\n", "})\n", "  })\n", "  })\n"),
    Case(
        "javascript", "const f = (a, { b, ", "\n  go()\n}\n", "c } = {}) => {\n", "c } = {}) => {"
    ),
    Case("python", "f(\n    g(\n        'a'\n", ")\n", "    )\n", "    )\n"),
    Case("python", '"""Do', '\n\ndef f():\n    """F."""\n', 'c."""\n\n', 'c."""'),
    Case("python", "x = [\n    'a (", ")',\n]\n", "b)',\n", "b"),
    Case("python", "x = foo(a)\n", "", "y = bar(b)\n", "y = bar(b)\n"),
    Case("python", "x = ", "", "y + y", "y + y", complete=False),
    Case("python", "x = ", "\n", "y\n", "y"),
    Case("python", "x = foo(", "", "a)\n", "a)"),
    Case("python", "x = foo(", ")\n", "bar(1)", "bar(1)", complete=False),
    Case("python", "a = [b, ", ", c]\n", "(1, c), d", "(1, c), d", complete=False),
    Case("c", "    }\n", "    x();\n}\n", "    }\n", "", shape="line"),
    Case("lua", "if a then\n  do\n    b()\n  end\n", "", "end\n", "end\n"),
    Case("javascript", "if (a) {\n  b();\n", "  c();\n}\n", "} else {\n", "} else {\n"),
    Case(
        "python",
        "def f(a):\n    if a:\n",
        "    return None\n",
        "        if a > 1:\n            return None\n        a += 1\n    return None\n",
        "        if a > 1:\n            return None\n        a += 1\n",
        shape="block",
    ),
    Case("python", "x = (1 +", "\n     2)\n", " 3 *\n", " 3 *"),
    Case("python", "x = ", " + y\n", "f(a + y) + y\n", "f(a + y)"),
    Case("c", "x = 1; ", "y);\n", "// is y);\n", "// is y);"),
]


@pytest.mark.parametrize("case", AFTER)
def test_what_follows_is_not_repeated(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", BEFORE)
def test_what_stands_before_is_not_repeated(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", KEPT)
def test_good_text_is_kept(case: Case) -> None:
    check(case)

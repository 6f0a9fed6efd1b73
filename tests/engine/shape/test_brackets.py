"""Complaint: brackets and quotes are missing or doubled."""

import pytest

from tests.engine.shape.case import Case, check

CLOSED = [
    Case("python", "x = ", "\n", "foo(a, [b\n", "foo(a, [b])"),
    Case("python", "x = ", "\n", 'foo("a\n', 'foo("a")'),
    Case("python", "x = foo(", ")\n", "bar(a, b\n", "bar(a, b)"),
    Case("python", "s = ", "\n", "'abc\n", "'abc'"),
    Case("c", "int f() {\n    return ", "\n}\n", "g(x;\n", "g(x);"),
    Case("javascript", "const a = ", ";\n", "[1, {b: 2\n", "[1, {b: 2}]"),
    Case("javascript", "const a = ", ";\n", "`x ${y\n", "`x ${y}`"),
    Case("go", "x := ", "\n", "map[string]int{\n", "map[string]int{}"),
    Case("json", '{"a": ', "\n}\n", "[1, 2\n", "[1, 2]"),
    Case("toml", "a = ", "\n", "[1, 2\n", "[1, 2]"),
    Case(None, "x = ", "\n", "foo(a\n", "foo(a)"),
    Case(
        "javascript",
        "function f() {\n",
        "}\n",
        "  if (a) {\n    b();\n",
        "  if (a) {\n    b();\n  }\n",
        shape="block",
        lines=2,
    ),
    Case(
        "lua",
        "function f()\n",
        "end\n",
        "  if a then\n    b()\n",
        "  if a then\n    b()\n  end\n",
        shape="block",
        lines=2,
    ),
]

LEFT_OPEN = [  # the text after the hole closes them
    Case("python", "x = 1\n", "    a, b)\n", "foo(\n", "foo(\n"),
    Case("javascript", "x();\n", "  y();\n}\n", "if (a) {\n", "if (a) {\n"),
    Case("java", "class A {\n", "        x();\n    }\n}\n", "    void f() {\n", "    void f() {\n"),
    Case("lua", "x()\n", "  y()\nend\n", "if a then\n", "if a then\n"),
]

SURPLUS = [
    Case("python", "x = foo(a", "\n)\n", ", b)\n", ", b"),
    Case("python", "x = foo(a, ", "\n", "b))\n", "b)"),
    Case("python", "x = [", "]\n", "a)]\n", "a"),
    Case("javascript", "foo(() => {\n", "});\n", "  bar();\n});\n", "  bar();\n"),
    Case("rust", "let c = foo(", ");\n", "')');\n", "')'"),
    Case("rust", "fn f<'a>(x: ", ") {}\n", "&'a str) {}\n", "&'a str"),
    Case("javascript", "const r = x.replace(", ");\n", '/[")]/g, "");\n', '/[")]/g, ""'),
    Case("bash", "x=$(cat ", ")\n", '"a)b" | wc)\n', '"a)b" | wc'),
    Case("cpp", "foo(", ");\n", "\"(\", '(');\n", "\"(\", '('"),
    Case("css", "a { color: ", "; }\n", "red; }\n", "red"),
]


@pytest.mark.parametrize("case", CLOSED)
def test_what_was_opened_is_closed(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", LEFT_OPEN)
def test_what_is_closed_further_down_stays_open(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", SURPLUS)
def test_surplus_closers_are_cut(case: Case) -> None:
    check(case)


def test_a_body_that_cannot_be_closed_is_cut_back_to_a_whole_line() -> None:
    check(
        Case(
            "python",
            "def f(a):\n",
            "\n\nf(1)\n",
            "    b = a + 1\n    return g(b +\n",
            "    b = a + 1",
            shape="block",
            lines=2,
        )
    )


BEGUN = [
    Case("bash", "x=$((1 ", "\n", "<< N))\nit's\n", "<< N))"),
    *(
        Case(name, "x = 1;\n/", "\ny = 2;\n", "/ it's (one\ny = 2;\n", "/ it's (one")
        for name in ("javascript", "typescript", "c", "cpp", "go", "rust", "java")
    ),
    Case("javascript", "x = 1;\n/", "\ny = 2;\n", "* it's (one */\n", "* it's (one */"),
    Case("javascript", "x = a /", ";\n", " f(b, c);\n", " f(b, c)"),
    Case("javascript", "x = /", "\ny = 2;\n", "[(]/.exec(a);\n", "[(]/.exec(a);"),
    Case("c", "/* a */", "\ny = 2;\n", " f(2);\n", " f(2);"),
    Case("lua", "x = 1\n-", "\ny = 2\n", "- if it's (one\n", "- if it's (one"),
    Case("lua", "x = a -", "\ny = 2\n", " f(b)\n", " f(b)"),
    Case("html", "<titl", "\n</head>\n", "e>Hello</title>\n</head>\n", "e>Hello</title>"),
    Case("html", "<p>a</p>\n<d", "\n", 'iv class="x">Hello</div>\n', 'iv class="x">Hello</div>'),
    Case("html", "<p><i", "</p>\n", 'mg src="x"></p>\n', 'mg src="x">'),
]


@pytest.mark.parametrize("case", BEGUN)
def test_what_the_hole_cuts_in_two_is_read_as_one(case: Case) -> None:
    check(case)

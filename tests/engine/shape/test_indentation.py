"""Complaint: the completion is indented too much, too little, or with the wrong characters."""

import pytest

from tests.engine.shape.case import Case, check

TWO = "def f(a):\n  if a:\n    return 1\n  return 2\n\n\n"
TABS = "class A:\n\tdef f(self):\n"

CASES = [
    Case("json", '{\n "a": {\n  "b": 1\n },\n "c": {\n', " }\n}\n", '  "d": 1\n }\n', '  "d": 1\n'),
    Case("python", "class A:\n", "        return 1\n", "    def f(self):\n", "    def f(self):\n"),
    Case("javascript", "  a = b(\n    c,\n", "  )\n", "      d,\n", "      d,\n"),
    Case("css", "a {\n  src: url(a),\n", "}\n", "       url(b);\n", "       url(b);\n"),
    Case("bash", "cat <<EOF\nx\n", "EOF\n", "\ty\n", "\ty\n"),
    Case("c", "/**\n", "int a;\n", " * A.\n */\nint b;\n", " * A.\n */\n", shape="block"),
    Case("python", "def f():\n", "\ng()\n", "  return 1\ng\n", "    return 1"),
    Case("python", "def f():\n", "\ng()\n", "        return 1\ng\n", "    return 1"),
    Case(
        "python",
        TWO + "def g(a):\n",
        "",
        "    if a:\n        return 1\n",
        "  if a:\n    return 1\n",
        False,
    ),
    Case(
        "python",
        TABS,
        "",
        "        x = 1\n        if x:\n            return 2\n    def",
        "\t\tx = 1\n\t\tif x:\n\t\t\treturn 2\n",
    ),
    Case("python", TABS + "\t\tx = 1\n", "", "        y = 2\n", "\t\ty = 2\n"),
    Case(
        "python",
        "def f(a):\n    if a:\n        x = 1\n",
        "    return x\n",
        "        else:\n",
        "        else:\n",
    ),
    Case(
        "python",
        "def f(a):\n    if a:\n        x = 1\n",
        "    return x\n",
        "            y = 2\n",
        "        y = 2\n",
    ),
    Case("python", "def f(a):\n    x = 1\n", "    return x\n", "   y = 2\n", "    y = 2\n"),
    Case("python", "def f():\n    ", "\n", "    return 1\n", "return 1", False),
    Case("python", "def f():\n    ", "\n", " return 1\n", "return 1", False),
    Case("python", "def f():\n", "\n", "\n\n    return 1\ng\n", "    return 1"),
    Case("python", "def f():", "\ng()\n", "\n  return 1\ng()\n", "\n    return 1"),
    Case("python", "def f(a,\n      b):\n", "", "    return a\n\nx", "    return a\n"),
    Case("python", "x = foo(a,\n", "", "        b)\n", "        b)\n"),
    Case("go", "func f() {\n", "}\n", "    return 1\n}\n", "\treturn 1\n"),
    Case(
        "go",
        "func f() {\n\tswitch x {\n",
        "\t}\n}\n",
        "\tcase 1:\n\t\tg()\n\t}\n",
        "\tcase 1:\n\t\tg()\n",
    ),
    Case(
        "javascript",
        "function f() {\n  a();\n  if (b) {\n",
        "  }\n}\n",
        "        c();\n  }\n",
        "    c();\n",
    ),
    Case("javascript", "const a = b\n", "", "  .map(c)\n", "  .map(c)\n"),
    Case("yaml", "a:\n  b: 1\nc:\n", "d: 1\n", "    e: 1\n    f: 2\nd: 1\n", "  e: 1\n  f: 2\n"),
    Case("yaml", "items:\n", "b: 1\n", "- x\n- y\nb: 1\n", "- x\n- y\n"),
    Case("rust", "fn f() {\n    a();\n", "}\n", "\tb();\n", "    b();\n"),
    Case(
        "python",
        "def f():\n",
        "\ng()\n",
        '  """Doc.\n\n  More."""\n  return 1\ng\n',
        '    """Doc.\n\n    More."""\n    return 1',
    ),
    Case("markdown", "- a\n", "", "      code\n", "      code\n"),
    Case("cpp", "namespace a {\n", "\n}  // a\n", "int f();\n", "int f();", False),
    Case("cpp", "namespace a\n{\n", "\n}\n", "int f();\n", "int f();", False),
    Case("cpp", "namespace a {\n", "\n  int b;\n}\n", "int f();\n", "  int f();"),
    Case("cpp", "namespace a {\nvoid f() {\n", "}\n}\n", "return;\n", "    return;\n", False),
    Case("c", 'extern "C" {\n', "\n}\n", "int f(void);\n", "int f(void);", False),
    Case("cpp", "void f() {\n  auto a = b<\n", "\n}\n", "      c>(d);\n", "      c>(d);"),
    Case(
        "c",
        "void f() {\n\tif (a(b,\n\t      c) &&\n",
        "\t\td();\n}\n",
        "\t    e)\n",
        "\t    e)\n",
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_lines_stand_where_the_file_has_them(case: Case) -> None:
    check(case)

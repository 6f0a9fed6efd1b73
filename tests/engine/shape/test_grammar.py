"""What tree-sitter is asked: error counts, the literal at the hole, bounds on hostile text."""

import pytest

from engine.shape.grammar import Errors, Surroundings
from engine.shape.languages import LANGUAGES, Language, language_of
from engine.shape.scanner import State
from engine.shape.site import look

PYTHON = language_of("a.py", None)
SANE = {
    "python": "def f(a):\n    return [a]\n",
    "javascript": "const f = (a) => { return [a]; };\n",
    "typescript": "const f = (a: number): number[] => { return [a]; };\n",
    "tsx": "const f = (a: number) => <b>{a}</b>;\n",
    "go": "package a\n\nfunc f() {}\n",
    "rust": "fn f<'a>(a: &'a str) -> char { 'a' }\n",
    "java": "class A { int f() { return 1; } }\n",
    "c": "int f(void) { return 1; }\n",
    "cpp": "auto f = [](int a) { return a; };\n",
    "json": '{"a": [1]}\n',
    "yaml": "a:\n  - b\n",
    "toml": "[a]\nb = [1]\n",
    "bash": "if true; then echo a; fi\n",
    "html": "<p>a</p>\n",
    "css": "a { color: red; }\n",
    "markdown": "# A\n\nb\n",
    "lua": "function f() return 1 end\n",
}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_has_a_grammar_that_reads_it(language: Language) -> None:
    sane = SANE[language.name]
    assert Surroundings(sane, sane, language.grammar).errors("") == Errors(0, 0)


def test_errors_are_counted_in_and_out_of_the_hole() -> None:
    around = Surroundings("x = ", "\ny = 1\n", PYTHON.grammar)
    good, bad, worse = (around.errors(text) for text in ("f(1)", "f(]", "f("))
    assert good is not None and bad is not None and worse is not None
    assert good == Errors(0, 0)
    assert bad.nodes and worse.nodes


def test_without_a_grammar_nothing_is_counted() -> None:
    assert Surroundings("x = ", "\n", None).errors("(") is None


def test_a_parse_that_takes_too_long_is_given_up() -> None:
    hostile = "{[(" * 20_000
    around = Surroundings(hostile, hostile, language_of("a.cpp", None).grammar)
    assert around.errors("x") is None
    assert look("x", hostile, PYTHON).language is PYTHON


@pytest.mark.parametrize(
    ("name", "before", "after", "comment"),
    [
        ("python", "# a comment ", "\nx = 1\n", True),
        ("python", "x = 'a string ", "'\n", False),
        ("javascript", "x = a /b/ `", "`;\n", False),
        ("javascript", "x = <p>it's</p>; /* a ", "*/\n", True),
        ("lua", "x = 1 -- a ", "\n", True),
    ],
)
def test_the_literal_at_the_hole(name: str, before: str, after: str, comment: bool) -> None:
    literal = look(before, after, language_of(None, name)).state.literal
    assert literal is not None
    assert literal.quote.comment is comment


@pytest.mark.parametrize("opener", ["<<EOF", "<< 'EOF'", "<<-EOF", "<<EOF | grep x"])
@pytest.mark.parametrize("body", ["", "  ", "\n", "a b\n"])
def test_a_here_document_may_still_be_empty(opener: str, body: str) -> None:
    site = look(f"cat {opener}\n{body}", "\nEOF\n", language_of("a.sh", None))
    assert site.state.literal is not None
    assert site.state.literal.close == "\nEOF"


@pytest.mark.parametrize("before", ["x=$((1 << n))\n", "cat <<EOF | grep ", "cat <<< x\n"])
def test_what_is_no_here_document(before: str) -> None:
    assert look(before, "\nabc\nEOF\n", language_of("a.sh", None)).state.literal is None


def test_the_grammar_corrects_the_lexer() -> None:
    before = "<p>it's</p>;\nx = 1; "
    lost = State()._replace(literal=look("'", "", language_of("a.js", None)).state.literal)
    assert lost.literal is not None
    around = Surroundings(before, "\n", language_of("a.tsx", None).grammar)
    assert around.corrected(lost, language_of("a.tsx", None).lexis).literal is None

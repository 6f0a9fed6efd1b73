"""Grammars as llama.cpp writes them, through to the language."""

import pytest

from engine.constraints.errors import ConstraintError, InvalidConstraintError, UnsupportedError
from engine.constraints.frontend import language_of
from engine.constraints.grammar.gbnf import ebnf_of
from engine.constraints.limits import Limits
from engine.constraints.spec import Ebnf

# In the manner of llama.cpp's own examples, written anew.
LIST = """
# A list of points, one a line.
root  ::= point+
point ::= "- " text ("\\n" | 2nd)
text  ::= [^\\r\\n\\x0b\\U0001F600]{1,3}   # short
2nd   ::= " \\"" . "\\""
"""


def accepts(source: str, text: str) -> bool:
    return language_of(Ebnf(grammar=ebnf_of(source)), Limits()).dfa.accepts(text.encode())


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("- abc\n", True),
        ("- ä\n- b\n", True),
        ('- ab "\n"', True),
        ('- ab "😀"', True),
        ("- a😀\n", False),
        ("- abcd\n", False),
        ("", False),
    ],
)
def test_a_grammar_of_every_part(text: str, want: bool) -> None:
    assert accepts(LIST, text) is want


def test_escapes_in_texts() -> None:
    source = 'root ::= "a\\t\\x41\\u00e9\\[\\]\\\\"'
    assert accepts(source, "a\tAé[]\\")
    assert not accepts(source, "a\tAe[]\\")


@pytest.mark.parametrize("text", ["a", "A"])
def test_a_name_behind_a_text_is_no_flag(text: str) -> None:
    assert accepts('root ::= "a"i\ni ::= "b"', f"{text}b") is (text == "a")


@pytest.mark.parametrize(
    ("bounds", "most"),
    [("{1}", 1), ("{ 1 , 2 }", 2), ("{1,}", 9), ("{1, }", 9), ("{1\t,\t2\t}", 2)],
)
def test_bounds_may_have_blanks_in_them(bounds: str, most: int) -> None:
    for size in range(4):
        assert accepts(f"root ::= [a]{bounds}", "a" * size) is (1 <= size <= most)


def test_bounds_that_are_never_closed_are_told() -> None:
    with pytest.raises(InvalidConstraintError, match="line 2"):
        ebnf_of("root ::=\n[a]{1," + " " * 4_000_000)


class Counted(str):
    """A text that knows how often it was gone through for its lines."""

    counts = 0

    def count(self, *words: object) -> int:
        Counted.counts += 1
        return super().count(*words)  # type: ignore[arg-type]


def test_lines_are_counted_for_an_error_alone() -> None:
    ebnf_of(Counted(LIST))
    assert Counted.counts == 0
    with pytest.raises(InvalidConstraintError, match="line 8"):
        ebnf_of(Counted(LIST + "\n'"))
    assert Counted.counts == 1


@pytest.mark.parametrize(
    ("source", "error", "why"),
    [
        ("root ::= <[1000]>", UnsupportedError, r"<\[1000\]> at line 1"),
        ('root ::= "a"\n\n x ::= !<think>', UnsupportedError, "!<think> at line 3"),
        ('root ::= "\\q"', InvalidConstraintError, r"unknown escape \\q"),
        ("root ::= [\\d]", InvalidConstraintError, r"unknown escape \\d"),
        ('root ::= "\\uD800"', InvalidConstraintError, "no character"),
        ("root ::= 'a'", InvalidConstraintError, "line 1"),
        ("root ::= missing", InvalidConstraintError, "missing"),
        ('top ::= "a"', InvalidConstraintError, "root"),
    ],
)
def test_what_is_refused_is_named(source: str, error: type[ConstraintError], why: str) -> None:
    with pytest.raises(error, match=why):
        accepts(source, "")

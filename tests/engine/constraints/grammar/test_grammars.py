"""EBNF and Lark grammars: accepted texts, left recursion, ignored text, bounds, errors."""

import pytest

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import (
    ConstraintError,
    InvalidConstraintError,
    TooLargeError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.frontend import language_of
from engine.constraints.limits import Limits
from engine.constraints.spec import Ebnf, Lark

CALCULATOR = """
?start: sum
?sum: product
    | sum "+" product   -> add
    | sum "-" product   -> sub
?product: atom
    | product "*" atom  -> mul
?atom: NUMBER           // a comment
     | "-" atom         -> neg
     | NAME             -> var
     | "(" sum ")"
%import common.CNAME -> NAME
%import common (NUMBER, WS_INLINE)
%ignore WS_INLINE
"""
QUERY = r"""
root ::= stmt (";" ws stmt)*  # several
stmt ::= "SELECT" ws cols ws "FROM" ws ident (ws "WHERE" ws cond)?
cols ::= "*" | ident ("," ws ident)*
cond ::= ident op val | "(" cond ")" | cond " AND " cond
op ::= [<>=] | "!="
val ::= [0-9]{1,5} | "'" [^'\n]* "'"
ident ::= [a-z_] [a-z0-9_]*
ws ::= " "
"""


def lark(text: str, limits: Limits | None = None) -> ByteDFA:
    return language_of(Lark(grammar=text), limits or Limits()).dfa


def ebnf(text: str) -> ByteDFA:
    return language_of(Ebnf(grammar=text), Limits()).dfa


def test_a_calculator_in_lark() -> None:
    dfa = lark(CALCULATOR)
    for text in ["1", "1+2*(3-x)", "1 + 2", "a*-b*((c))", "+".join("1" * 40), "x_1 \t+ 2.5"]:
        assert dfa.accepts(text.encode()), text
    for text in ["", "1++2", "(1", "1 2", "1+", " 1", "1 "]:
        assert not dfa.accepts(text.encode()), text


def test_a_query_language_in_ebnf() -> None:
    dfa = ebnf(QUERY)
    for text in [
        "SELECT * FROM t",
        "SELECT a, b FROM t WHERE x!='o' AND (y>3); SELECT * FROM u",
    ]:
        assert dfa.accepts(text.encode()), text
    for text in ["SELECT FROM t", "SELECT * FROM t WHERE x>123456", "SELECT * FROM t;"]:
        assert not dfa.accepts(text.encode()), text


def test_lark_operators() -> None:
    dfa = lark('start: "a"i ["x"] ("b".."d")~2 E+\nE: /e|f/ | "g"~1..2')
    for text in ["Abce", "axbbgg", "abbefg"]:
        assert dfa.accepts(text.encode()), text
    for text in ["abe", "abb", "xbbe", "axxbbe"]:
        assert not dfa.accepts(text.encode()), text


def test_aliases_and_priorities_of_lark_change_nothing() -> None:
    dfa = lark('start: a->one\n | b -> two\na.2: "x"\nb.-1: C\nC.-2: "y"')
    assert [dfa.accepts(text) for text in (b"x", b"y", b"xy")] == [True, True, False]


def test_a_comment_of_c() -> None:
    dfa = lark("%import common.C_COMMENT\nstart: C_COMMENT")
    assert all(dfa.accepts(text) for text in (b"/**/", b"/* a\n * b **/", b"/*/*/"))
    assert not any(dfa.accepts(text) for text in (b"/*/", b"/* a", b"/* a */ b */"))


def test_recursion_is_bounded_and_reported() -> None:
    found = language_of(Ebnf(grammar='root ::= "(" root ")" | "x"'), Limits())
    assert found.notes == ("recursion deeper than 8",)
    assert found.dfa.accepts(b"(" * 8 + b"x" + b")" * 8)
    assert not found.dfa.accepts(b"(" * 9 + b"x" + b")" * 9)
    assert not found.dfa.accepts(b"(" * 8 + b"x" + b")" * 7)


def test_right_recursion_costs_no_depth() -> None:
    found = language_of(Ebnf(grammar='root ::= "x" | "x," root'), Limits())
    assert found.notes == ()
    assert found.dfa.accepts(b"x," * 100 + b"x")


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("root ::= a", InvalidConstraintError, "line 1: no rule 'a'"),
        ('other ::= "a"', InvalidConstraintError, "no rule is named 'root'"),
        ('root ::= "a', InvalidConstraintError, "line 1"),
        ('root ::= "a"\nroot ::= "b"', InvalidConstraintError, "line 2: rule 'root' is defined"),
        ('root ::= ("a"', InvalidConstraintError, "is missing"),
        ("root ::= root", UnsatisfiableError, "no text"),
        ('root ::= "a"{5000}', TooLargeError, "repetitions"),
        ("root ::= " + "(" * 200 + '"a"' + ")" * 200, TooLargeError, "nest"),
        ('root ::= "a"{3,1}', InvalidConstraintError, "swapped"),
        ('root ::= "a"..5', InvalidConstraintError, "line 1: a text in quotes is missing"),
        ('root ::= "a".."b"i', InvalidConstraintError, "bad range"),
    ],
)
def test_ebnf_errors(text: str, error: type[ConstraintError], why: str) -> None:
    with pytest.raises(error, match=why):
        ebnf(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%declare A\nstart: A", "%declare"),
        ("%import other.A\nstart: A", "other grammars"),
        ("start: /a(?=b)/", "look-ahead"),
        ("start: /^a/", "anchor"),
        ("start{x}: x", "template"),
        ("%import common.NOPE\nstart: NOPE", "common.NOPE"),
    ],
)
def test_what_lark_has_and_we_do_not(text: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        lark(text)


def test_recursive_blow_ups_end_in_bounded_time() -> None:
    text = """
start: a a a a
a: b b b b | "x" start
b: c c c c c c c | "y" start a
c: "z"~1000 start | "t"
"""
    with pytest.raises(TooLargeError):
        lark(text, Limits(seconds=1.0, nfa_states=50_000))

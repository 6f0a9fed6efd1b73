"""Regular expressions against Python's `re`, and what is refused by name."""

import re
from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import BEYOND_ASCII, RegexLanguage, full_match, search
from tests.engine.constraints.toys import UNTIMED

LIMITS = Limits(seconds=5.0)
texts = st.text(alphabet="abcABC019-. \nKé\u017f", max_size=7)
others = st.text(
    alphabet="aKkSİ\u0131ÉéßẞÜü\u017f\u212aςΣжЖ²٣\u0301\x1c\r\u2028\ufeff _", max_size=3
)


@lru_cache(maxsize=64)
def full(pattern: str) -> ByteDFA:
    return full_match(pattern, LIMITS, Bounds()).dfa


@lru_cache(maxsize=64)
def found(pattern: str) -> ByteDFA:
    return search(pattern, LIMITS, Bounds()).dfa


EXACT = [
    "a|ab|abc",
    "(foo|foobar)?a*",
    "[a-c]{2,4}-?",
    "^a.b?c$",
    "(^a|b)c*$",
    r"\d+(\.\d+)?",
    r"a*?b+?",
    "(a*)*b",
    "(a|aa)+$",
    "^$|^a",
    r"[^a\n]{1,2}",
    "(?s:.)b",
    r"(?P<name>a)(?:b)?",
    r"\x61\u0062",
    "é+",
]


@pytest.mark.parametrize("pattern", EXACT)
@UNTIMED
@given(text=texts)
def test_full_match_agrees_with_python(pattern: str, text: str) -> None:
    dfa = full(pattern)
    assert dfa.accepts(text.encode()) == (re.fullmatch(pattern, text) is not None)


CLASSES = [
    r"\w+",
    r"\W",
    r"[^\w\s]",
    r"\S.",
    r"\s\D?",
    r"\d|(?s:.)\W",
    r"(?i)[^é]",
    r"(?i)x?[^üß][^\u0430-я]",
    r"(?i)k[^k]?",
    r"(?i)éς?|[à-ü]ß|[\Wж]+",
    r"(?a)[^\w\s]|\W\D\S",
    r"(?ai)[^k]?é|\W",
]


@pytest.mark.parametrize("pattern", CLASSES)
@UNTIMED
@given(text=texts | others)
def test_classes_are_those_of_python(pattern: str, text: str) -> None:
    dfa = full(pattern)
    assert dfa.accepts(text.encode()) == (re.fullmatch(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern", [*CLASSES, "(?i)[^i]", r"(?a)\w\W", r"(?i)[^k]i", "(?a:.)(?i:ß)"]
)
@pytest.mark.parametrize("ascii", [False, True])
@UNTIMED
@given(text=texts | others)
def test_classes_never_promise_too_much(pattern: str, ascii: bool, text: str) -> None:
    dfa = narrowed(pattern).dfa if ascii else full(pattern)
    if dfa.accepts(text.encode()):
        assert re.fullmatch(pattern, text)


@pytest.mark.parametrize("letter", ["é", "ß", "я", "\u017f", "\u0390", "\ufb05", "\u1c80"])
def test_a_negated_class_keeps_out_every_case_of_its_letters(letter: str) -> None:
    dfa = full(f"(?i)[^{letter}]")
    for code in (code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF):
        if chr(code).casefold() == letter.casefold():
            assert not dfa.accepts(chr(code).encode()), chr(code)


@lru_cache(maxsize=64)
def narrowed(pattern: str) -> RegexLanguage:
    return full_match(pattern, LIMITS, Bounds(ascii=True))


def test_classes_that_are_cut_to_ascii_are_said() -> None:
    assert not narrowed(r"\w+").dfa.accepts("é".encode())
    for pattern in (r"\w+", r"(a|[\d.])b", r"(?i)é", r"\s"):
        assert narrowed(pattern).clipped == {BEYOND_ASCII}
    for pattern in ("é.", r"\W[^\w]", "(?i)a", r"(?a)\w", r"(?ai)k\W"):
        assert not narrowed(pattern).clipped


@pytest.mark.parametrize("pattern", ["^ab", "b$", "a|^b|c$", "", r"^\S+$", "(^|-)a", "a^b"])
@UNTIMED
@given(text=texts)
def test_search_agrees_with_python(pattern: str, text: str) -> None:
    dfa = found(pattern)
    if "\n" not in text:  # Python's $ also matches before a last line end
        assert dfa.accepts(text.encode()) == (re.search(pattern, text) is not None)


ANCHORED = [
    "^(^a$)$",
    "^^a",
    "^^a$$",
    "(^a|b)c$$",
    "^(^abc$|cba)$",
    "$^",
    "^$^$",
    "(^|b)a",
    "(^)a",
    "(^a$|b)+",
    "^(a|^b)*$",
    "(a|^)(b|$)",
    "(^a|b^)$",
    "^(^|c)(^a|b)($|c)$$",
    "(a|b$){2}",
    "(^a|^b|c)(a|b)$|(^$)",
    "(^|$)+a?",
]


@pytest.mark.parametrize("pattern", ANCHORED)
def test_anchors_have_no_width_wherever_they_stand(pattern: str) -> None:
    for text in ("".join(chars) for n in range(5) for chars in product("abc", repeat=n)):
        assert full(pattern).accepts(text.encode()) == bool(re.fullmatch(pattern, text)), text
        assert found(pattern).accepts(text.encode()) == bool(re.search(pattern, text)), text


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("a(?=b)", "look-ahead"),
        ("(?<!a)b", "look-behind"),
        (r"(a)\1", "back reference"),
        (r"\bword", "word boundary"),
        ("a{,3}", "write {0,n}"),
        ("(?m)^a", "flag group"),
        ("a++", "possessive"),
    ],
)
def test_what_no_automaton_holds_is_named(pattern: str, named: str) -> None:
    with pytest.raises(UnsupportedError, match=named):
        full_match(pattern, LIMITS, Bounds())


@pytest.mark.parametrize("pattern", ["(a", "a)", "*a", "[a", "a{3,2}", "[b-a]", "\\"])
def test_malformed_patterns_are_invalid(pattern: str) -> None:
    with pytest.raises(InvalidConstraintError, match="invalid pattern"):
        full_match(pattern, LIMITS, Bounds())
    with pytest.raises(InvalidConstraintError, match="invalid pattern"):
        search(pattern, LIMITS, Bounds())


def test_large_repetitions_are_cut_and_said() -> None:
    cut = full_match("a{1,100000}", LIMITS, Bounds(repeat=64))
    assert cut.clipped == {"repetitions above 64"}
    assert cut.dfa.accepts(b"a" * 64)
    assert not cut.dfa.accepts(b"a" * 65)


@pytest.mark.parametrize("pattern", ["(a{4000}){4000}", "(" * 200 + "a" + ")" * 200, "a{5000}"])
def test_blow_ups_are_refused(pattern: str) -> None:
    with pytest.raises(TooLargeError):
        full_match(pattern, Limits(seconds=1.0, nfa_states=20_000), Bounds())


def test_markers_never_occur_in_a_text() -> None:
    dfa = full_match(r"^[\s\S]*$", LIMITS, Bounds()).dfa
    assert not dfa.accepts(b"\xfe")
    assert not dfa.accepts("\ud800".encode("utf-8", "surrogatepass"))
    assert dfa.accepts("\U0010ffff".encode())

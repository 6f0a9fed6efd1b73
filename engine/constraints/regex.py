"""Owns the automaton of a regular expression: whole-text and search semantics, anchors resolved."""

import re
from collections.abc import Iterator

from engine.constraints.algebra import build, intersection
from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.char_class import Reading
from engine.constraints.determinise import determinise
from engine.constraints.errors import InvalidConstraintError
from engine.constraints.expression import (
    CharSet,
    Choice,
    Concat,
    Node,
    Ranges,
    Repeat,
    children,
    concat,
)
from engine.constraints.limits import Bounds, Limits
from engine.constraints.nfa import NfaBuilder
from engine.constraints.nfa_states import erased
from engine.constraints.regex_parser import BEGIN, END, parse_regex
from engine.constraints.utf8 import ANY_CHAR

MAX_PATTERN = 65_536
BEYOND_ASCII = r"characters beyond ASCII that \w, \d, \s or (?i) let in"
ANY_TEXT: Node = Repeat(CharSet(ANY_CHAR), 0, None)


class RegexLanguage:
    """The automaton of one pattern and the bounds that cut it down (`clipped`)."""

    def __init__(self, dfa: ByteDFA, clipped: frozenset[str]) -> None:
        self.dfa = dfa
        self.clipped = clipped


def full_match(pattern: str, limits: Limits, bounds: Bounds) -> RegexLanguage:
    """Texts that `re.fullmatch` accepts, or a part of them where bounds clip.

    Under (?i) an i never stands for the Turkish ones, with a dot or without.
    Raises InvalidConstraintError, UnsupportedError or TooLargeError.
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidConstraintError(f"invalid pattern: {error}") from error
    whole = _parsed(pattern, reading=Reading.PYTHON)
    if not bounds.ascii:
        return _language(whole, limits, bounds, search=False)
    part = _parsed(pattern, reading=Reading.NARROW)
    found = _language(part, limits, bounds, search=False)
    cut = set() if [*_char_sets(part)] == [*_char_sets(whole)] else {BEYOND_ASCII}
    return RegexLanguage(found.dfa, found.clipped | cut)


def search(pattern: str, limits: Limits, bounds: Bounds, outer: bool = False) -> RegexLanguage:
    """Texts in which an ECMA-262 pattern is found anywhere, or a part of them.

    With `outer` also those that only some dialects find it in.
    """
    return _language(_parsed(pattern, outer), limits, bounds, search=True)


def _parsed(pattern: str, outer: bool = False, reading: Reading = Reading.COMMON) -> Node:
    if len(pattern) > MAX_PATTERN:
        raise InvalidConstraintError(f"a pattern may have at most {MAX_PATTERN} characters")
    return parse_regex(pattern, outer, reading)


def _char_sets(node: Node) -> Iterator[Ranges]:
    if isinstance(node, CharSet):
        yield node.ranges
    for child in children(node):
        yield from _char_sets(child)


def _language(node: Node, limits: Limits, bounds: Bounds, search: bool) -> RegexLanguage:
    builder = NfaBuilder({}, limits, bounds)
    items = node.items if isinstance(node, Concat) else (node,)
    begins, ends = items[0] is BEGIN, items[-1] is END
    core = items[begins : len(items) - ends]
    if not any(_anchored(item) for item in core):
        before = [] if begins or not search else [ANY_TEXT]
        behind = [] if ends or not search else [ANY_TEXT]
        plain = Concat((*before, *core, *behind))
        dfa = determinise(builder.build(plain), limits)
    else:
        dfa = _with_markers(node, builder, limits, search)
    return RegexLanguage(dfa, frozenset(builder.clipped))


def _anchored(node: Node) -> bool:
    return node in (BEGIN, END) or any(_anchored(child) for child in children(node))


def _with_markers(node: Node, builder: NfaBuilder, limits: Limits, search: bool) -> ByteDFA:
    """Match where anchors are ordinary bytes, keep those that hold, then take them away.

    They have no width: any number may stand in a row, and in any order around an empty text.
    """
    around = [ANY_TEXT] if search else []
    found = determinise(builder.build(Concat((*around, node, *around))), limits)
    begins, ends = Repeat(BEGIN, 0, None), Repeat(END, 0, None)
    hold = Choice((concat(begins, ANY_TEXT, ends), Repeat(Choice((BEGIN, END)), 0, None)))
    kept = intersection(found, build(hold, limits, Bounds()), limits)
    return determinise(erased(kept, BEGIN.text[0], limits), limits)

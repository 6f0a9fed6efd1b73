"""Owns JSON strings: a language of decoded texts, and its spelling between quotes with escapes."""

from functools import lru_cache

from engine.constraints.algebra import build, difference, intersection
from engine.constraints.byte_dfa import NEVER, Arc, ByteDFA
from engine.constraints.determinise import reduced
from engine.constraints.errors import UnsupportedError
from engine.constraints.expression import (
    ByteSet,
    CharSet,
    Choice,
    Literal,
    Machine,
    Node,
    Repeat,
    choice,
    concat,
)
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import ANY_TEXT, full_match, search
from engine.constraints.schema.branches import String
from engine.constraints.schema.formats import pattern_of
from engine.constraints.utf8 import ANY_CHAR, complement

_SHORT = {0x22: b'"', 0x5C: b"\\", 8: b"b", 9: b"t", 10: b"n", 12: b"f", 13: b"r"}
_UNBOUNDED = Bounds(repeat=100_000)
_FORMATS = Bounds(repeat=100_000, ascii=True)


class StringLanguages:
    """Automata for `String` branches, each built once; `notes` says what was cut or left out."""

    def __init__(self, limits: Limits, bounds: Bounds) -> None:
        self._limits = limits
        self._bounds = bounds
        self._texts: dict[String, ByteDFA] = {}
        self._spelled: dict[String, Node] = {}
        self._sides: dict[str, tuple[ByteDFA, ByteDFA]] = {}
        self.notes: set[str] = set()

    def texts(self, string: String) -> ByteDFA:
        """The decoded texts of a branch, or a part of them, as UTF-8."""
        known = self._texts.get(string)
        if known is None:
            known = self._texts[string] = self._build(string)
        return known

    def spelled(self, string: String) -> Node:
        """The branch as JSON text with its quotes."""
        if string == String():
            return plain_string()
        known = self._spelled.get(string)
        if known is None:
            known = concat(QUOTE, Machine(escaped(self.texts(string))), QUOTE)
            self._spelled[string] = known
        return known

    def pattern(self, pattern: str) -> ByteDFA:
        """Texts in which a pattern is found."""
        found = search(pattern, self._limits, self._bounds)
        self.notes |= found.clipped
        return found.dfa

    def both_sides(self, pattern: str) -> tuple[ByteDFA, ByteDFA]:
        """Texts in which a pattern is surely found, and those in which it may be; nothing is cut.

        Raises UnsupportedError where that would be too large.
        """
        if pattern not in self._sides:
            sides = [search(pattern, self._limits, _UNBOUNDED, outer=x) for x in (False, True)]
            if any(side.clipped for side in sides):
                raise UnsupportedError(f"unsupported keyword: the large pattern {pattern[:80]!r}")
            self._sides[pattern] = (sides[0].dfa, sides[1].dfa)
        return self._sides[pattern]

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern is found in one text; refused where dialects differ on it."""
        surely, maybe = (side.accepts(text.encode()) for side in self.both_sides(pattern))
        if surely != maybe:
            raise UnsupportedError(
                f"unsupported keyword: pattern {pattern[:80]!r} on {text[:80]!r}"
            )
        return surely

    def one_meaning(self, pattern: str) -> bool:
        """Whether all dialects find a pattern in the same texts."""
        surely, maybe = self.both_sides(pattern)
        return difference(maybe, surely, self._limits).empty

    def _build(self, string: String) -> ByteDFA:
        parts = [self.pattern(pattern) for pattern in string.patterns]
        for name in string.formats:
            pattern = pattern_of(name)
            if pattern is None:
                self.notes.add(f"format {name!r} is not checked")
            else:
                parts.append(full_match(f"(?:{pattern})", self._limits, _FORMATS).dfa)
        if string.low or string.high is not None:
            parts.append(self._lengths(string, bool(parts)))
        found = parts[0] if parts else build(ANY_TEXT, self._limits, self._bounds)
        for part in parts[1:]:
            found = intersection(found, part, self._limits)
        if string.excluded:
            trie = Choice(tuple(Literal(text.encode()) for text in string.excluded))
            exact = build(trie, self._limits, self._bounds)
            found = difference(found, exact, self._limits)
        return found

    def _lengths(self, string: String, beside_others: bool) -> ByteDFA:
        """Texts by length; beside a pattern the cut is later, since patterns are often short."""
        cap = max(self._bounds.repeat, 1024) if beside_others else self._bounds.repeat
        high = string.high
        if high is not None and high < string.low:
            return NEVER
        if high is not None and high > max(cap, string.low):
            high = max(cap, string.low)
            self.notes.add(f"strings longer than {high} characters")
        chars = ANY_CHAR
        if self._bounds.ascii and high is not None and not beside_others:
            self.notes.add("characters beyond ASCII in strings with a length")
            chars = ((0, 0x7F),)
        lengths = Repeat(CharSet(chars), string.low, high)
        return build(lengths, self._limits, Bounds(repeat=max(cap, 4096)))


QUOTE = Literal(b'"')


@lru_cache(maxsize=1)
def plain_string() -> Node:
    r"""Every JSON string, with all escapes but lone surrogates."""
    raw = CharSet(complement(((0, 0x1F), (0x22, 0x22), (0x5C, 0x5C))))
    digit = ByteSet(((48, 57), (65, 70), (97, 102)))
    other = ByteSet(((48, 57), (65, 67), (69, 70), (97, 99), (101, 102)))
    d = ByteSet(((68, 68), (100, 100)))
    low_half = concat(Literal(b"\\u"), d, ByteSet(((67, 70), (99, 102))), digit, digit)
    high_half = concat(d, ByteSet(((56, 57), (65, 66), (97, 98))), digit, digit)
    unicode = choice(
        concat(other, digit, digit, digit),
        concat(d, ByteSet(((48, 55),)), digit, digit),
        concat(high_half, low_half),
    )
    short = Choice(tuple(Literal(bytes([c])) for c in b'"\\/bfnrt'))
    escape = concat(Literal(b"\\"), choice(short, concat(Literal(b"u"), unicode)))
    return concat(QUOTE, Repeat(choice(raw, escape), 0, None), QUOTE)


def escaped(dfa: ByteDFA) -> ByteDFA:
    """Decoded texts -> the same between quotes: characters that must be escaped are, others not.

    Control characters without a short escape are spelled as \\u00XX.
    """
    rows: list[list[Arc]] = [list(row) for row in dfa.arcs]
    final = dfa.final.tolist()
    for state in range(1, dfa.states):
        plain, special = _parted(rows[state])
        if special:
            plain.append((0x5C, 0x5C, _escape_state(rows, special)))
        rows[state] = plain
    final.extend([False] * (len(rows) - len(final)))
    return reduced(rows, final, dfa.start)


def _parted(arcs: list[Arc]) -> tuple[list[Arc], list[tuple[int, int]]]:
    """Arcs over bytes that stand for themselves, and (byte, target) of those to be escaped."""
    plain, special = [], []
    for low, high, to in arcs:
        at = low
        for byte in [b for b in (*range(0x20), 0x22, 0x5C) if low <= b <= high]:
            if at < byte:
                plain.append((at, byte - 1, to))
            special.append((byte, to))
            at = byte + 1
        if at <= high:
            plain.append((at, high, to))
    return plain, special


def _escape_state(rows: list[list[Arc]], special: list[tuple[int, int]]) -> int:
    """A new state behind a backslash."""
    here: list[Arc] = []
    tails: dict[int, list[Arc]] = {}
    for byte, to in special:
        if byte in _SHORT:
            code = _SHORT[byte][0]
            here.append((code, code, to))
        else:
            digit = b"0123456789abcdef"[byte % 16]
            tails.setdefault(byte // 16, []).append((digit, digit, to))
    if tails:
        tens: list[Arc] = []
        for ten, arcs in tails.items():
            rows.append(arcs)
            tens.append((48 + ten, 48 + ten, len(rows) - 1))
        rows.append(tens)
        rows.append([(48, 48, len(rows) - 1)])
        rows.append([(48, 48, len(rows) - 1)])
        here.append((117, 117, len(rows) - 1))
    rows.append(here)
    return len(rows) - 1

"""Owns character classes of regular expressions, as sets that hold in every dialect.

`inner` holds only characters that every dialect in question matches, `outer` all that any of them
matches; negation swaps them, so that a class never promises a character one of them refuses.
"""

import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from engine.constraints.errors import UnsupportedError
from engine.constraints.expression import Ranges
from engine.constraints.utf8 import LAST, complement, normalise

_ASCII_CASES = {code: (code ^ 32,) for code in (*range(65, 91), *range(97, 123))}
# Letters that Python takes for one another and others don't.
_DOTTED = (0x49, 0x69, 0x130, 0x131)
_BASIC = 0xFFFF  # beyond it Python compares the characters of a class as they are
_LINE_ENDS = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


class Reading(Enum):
    """Whose classes a pattern has."""

    COMMON = auto()
    """What Python's `re` and ECMA-262 have in common."""
    PYTHON = auto()
    ASCII = auto()
    """Python's under its flag `a`."""
    NARROW = auto()
    r"""A part of Python's: without what \w, \d, \s and the cases of letters reach beyond ASCII."""


@dataclass(frozen=True, slots=True)
class CharClass:
    """A set of characters known from within and from without."""

    inner: Ranges
    outer: Ranges

    def negated(self) -> "CharClass":
        """Every other character."""
        return CharClass(complement(self.outer), complement(self.inner))

    def joined(self, other: "CharClass") -> "CharClass":
        """Characters of either."""
        return CharClass(
            normalise([*self.inner, *other.inner]), normalise([*self.outer, *other.outer])
        )

    def folded(self, reading: Reading) -> "CharClass":
        """The class with letters in both cases. A named class has them already."""
        one_range = self.inner == self.outer and len(self.inner) == 1
        whole = reading is Reading.PYTHON and one_range and self.inner[0][1] <= _BASIC
        inner = _fold(self.inner, _cases() if whole else _ASCII_CASES)
        most = _ASCII_CASES if reading is Reading.ASCII else _all_cases()
        return CharClass(inner, _fold(self.outer, most))


EMPTY_CLASS = CharClass((), ())


def exactly(low: int, high: int) -> CharClass:
    """Code points low..high."""
    return CharClass(((low, high),), ((low, high),))


def dot(matches_newline: bool, reading: Reading) -> CharClass:
    """What `.` matches; of line ends, what no dialect matches is left out."""
    if matches_newline:
        return EMPTY_CLASS.negated()
    plain = complement(((0x0A, 0x0A),))
    return CharClass(complement(_LINE_ENDS) if reading is Reading.COMMON else plain, plain)


@lru_cache(maxsize=32)
def named(letter: str, reading: Reading) -> CharClass:
    """The class of an escape out of d, w, s, D, W, S."""
    found = _CLASSES[letter.lower()](reading)
    return found.negated() if letter.isupper() else found


@lru_cache(maxsize=64)
def unicode_property(name: str) -> CharClass:
    r"""The class of \p{name} for a general category such as L, Lu, Nd, P."""
    plain = _LONG_NAMES.get(name, name)
    if plain[:1] not in "LMNPSZC" or len(plain) > 2 or not plain:
        raise UnsupportedError(f"unsupported in a pattern: \\p{{{name}}}")
    ranges = _matching(lambda char: unicodedata.category(char).startswith(plain))
    if not ranges:
        raise UnsupportedError(f"unsupported in a pattern: \\p{{{name}}}")
    return CharClass(ranges, ranges)


_LONG_NAMES = {"Letter": "L", "Number": "N", "Punctuation": "P", "Symbol": "S", "Mark": "M"}


def _fold(ranges: Ranges, cases: Mapping[int, Collection[int]]) -> Ranges:
    found = list(ranges)
    for low, high in ranges:
        codes = range(low, high + 1) if high - low < len(cases) else cases
        for code in codes:
            if low <= code <= high:
                found.extend((other, other) for other in cases.get(code, ()))
    return normalise(found)


@lru_cache(maxsize=1)
def _cases() -> dict[int, set[int]]:
    """Each character that differs from others in case alone, with those and itself."""
    groups: dict[str, set[int]] = {}
    for code in range(LAST + 1):
        folded = chr(code).casefold()
        if folded != chr(code):
            itself = {ord(folded)} if len(folded) == 1 else set()
            groups.setdefault(folded, itself).add(code)
    return {code: group for group in groups.values() for code in group}


@lru_cache(maxsize=1)
def _all_cases() -> dict[int, set[int]]:
    """The same, with what Python alone takes for one another."""
    return {**_cases(), **{code: set(_DOTTED) for code in _DOTTED}}


@lru_cache(maxsize=16)
def _matching(test: Callable[[str], bool]) -> Ranges:
    """Scalar values that pass a test, as ranges."""
    codes = (c for c in range(LAST + 1) if not 0xD800 <= c <= 0xDFFF and test(chr(c)))
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] + 1 == code:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return tuple((low, high) for low, high in ranges)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Mc", "Me", "Pc"}


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _read(
    reading: Reading, least: Ranges, own: Callable[[str], bool], others: Callable[[str], bool]
) -> CharClass:
    """A class of which Python matches `own`, ECMA-262 some of `others` too, both `least`."""
    whole = _matching(own)
    if reading is Reading.COMMON:
        return CharClass(least, normalise([*whole, *_matching(others)]))
    most = least if reading is Reading.ASCII else whole
    return CharClass(whole if reading is Reading.PYTHON else least, most)


def _digit(reading: Reading) -> CharClass:
    return _read(reading, ((48, 57),), str.isdecimal, str.isdecimal)


def _word(reading: Reading) -> CharClass:
    least = ((48, 57), (65, 90), (95, 95), (97, 122))
    return _read(reading, least, _is_word, _is_mark)


def _space(reading: Reading) -> CharClass:
    return _read(reading, ((9, 13), (32, 32)), str.isspace, "\ufeff".__eq__)


_CLASSES: dict[str, Callable[[Reading], CharClass]] = {"d": _digit, "w": _word, "s": _space}

"""Owns character classes of regular expressions, as sets that hold in every dialect.

`inner` holds only characters that Python's `re` and ECMA-262 both match, `outer` all that either
matches; negation swaps them, so that a class never promises a character one of them refuses.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engine.constraints.errors import UnsupportedError
from engine.constraints.expression import Ranges
from engine.constraints.utf8 import LAST, complement, normalise

# Non-ASCII characters that case-insensitive matching ties to the letters i, k and s.
_FOLDED = ((0x130, 0x131), (0x17F, 0x17F), (0x212A, 0x212A))
_LINE_ENDS = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


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

    def folded(self) -> "CharClass":
        """The class with ASCII letters in both cases."""
        return CharClass(_fold(self.inner), normalise([*_fold(self.outer), *_FOLDED]))


EMPTY_CLASS = CharClass((), ())


def exactly(low: int, high: int) -> CharClass:
    """Code points low..high."""
    return CharClass(((low, high),), ((low, high),))


def dot(matches_newline: bool) -> CharClass:
    """What `.` matches; line ends of either dialect are left out."""
    if matches_newline:
        return EMPTY_CLASS.negated()
    return CharClass(complement(_LINE_ENDS), complement(((0x0A, 0x0A),)))


def named(letter: str) -> CharClass:
    """The class of an escape out of d, w, s, D, W, S."""
    found = _NAMED[letter.lower()]()
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


def _fold(ranges: Ranges) -> Ranges:
    both = list(ranges)
    for low, high in ranges:
        for first, shift in ((65, 32), (97, -32)):
            a, b = max(low, first), min(high, first + 25)
            if a <= b:
                both.append((a + shift, b + shift))
    return normalise(both)


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


@lru_cache(maxsize=1)
def _digit() -> CharClass:
    return CharClass(((48, 57),), _matching(str.isdecimal))


@lru_cache(maxsize=1)
def _word() -> CharClass:
    ascii_word = ((48, 57), (65, 90), (95, 95), (97, 122))
    marks = _matching(lambda char: unicodedata.category(char) in {"Mn", "Mc", "Me", "Pc"})
    return CharClass(ascii_word, normalise([*_matching(str.isalnum), *marks, *ascii_word]))


@lru_cache(maxsize=1)
def _space() -> CharClass:
    both = ((9, 13), (32, 32))
    return CharClass(both, normalise([*_matching(str.isspace), *both, (0xFEFF, 0xFEFF)]))


_NAMED: dict[str, Callable[[], CharClass]] = {"d": _digit, "w": _word, "s": _space}

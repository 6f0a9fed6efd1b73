"""Owns the syntax of regular expressions (Python's and ECMA-262's common part) -> expressions.

Anchors become the marker bytes 0xFE and 0xFF, which no UTF-8 text contains; `regex` removes them.
What a finite automaton can't hold (look-around, back references, word boundaries) is refused.
"""

import re
from dataclasses import dataclass, replace

from engine.constraints.char_class import (
    EMPTY_CLASS,
    CharClass,
    Reading,
    dot,
    exactly,
    named,
    unicode_property,
)
from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.expression import (
    EMPTY,
    CharSet,
    Choice,
    Literal,
    Node,
    Repeat,
    concat,
)

BEGIN, END = Literal(b"\xfe"), Literal(b"\xff")
_MAX_GROUPS = 100
_CONTROL = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7, "0": 0}
_QUANTIFIER = re.compile(r"\*|\+|\?|\{(\d*)(,?)(\d*)\}")
_FLAGS = re.compile(r"\?([ismxauL]*)(?:-([imsx]+))?([:)])")
_NAME = re.compile(r"\?P?<[A-Za-z_$][\w$]*>")


@dataclass(frozen=True, slots=True)
class Flags:
    """Matching flags in force at a place of the pattern."""

    ignore_case: bool = False
    dot_all: bool = False
    ascii: bool = False


def parse_regex(pattern: str, outer: bool = False, reading: Reading = Reading.COMMON) -> Node:
    """Pattern -> expression with anchor markers; raises a ConstraintError that names the place.

    With `outer` classes hold what any dialect matches, else what all of them do.
    """
    parser = _Parser(pattern, outer, reading)
    node = parser.alternatives(Flags(), depth=0)
    if parser.at < len(pattern):
        raise parser.error("unbalanced parenthesis")
    return node


class _Parser:
    def __init__(self, pattern: str, outer: bool, reading: Reading) -> None:
        self.pattern = pattern
        self._outer, self._reading = outer, reading
        self.at = 0

    def error(self, what: str) -> InvalidConstraintError:
        return InvalidConstraintError(f"invalid pattern: {what} at position {self.at}")

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"unsupported in a pattern: {what} at position {self.at}")

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self) -> str:
        if self.at >= len(self.pattern):
            raise self.error("the pattern ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self, flags: Flags, depth: int) -> Node:
        if depth > _MAX_GROUPS:
            raise TooLargeError(f"a pattern may nest at most {_MAX_GROUPS} groups")
        branches = []
        while True:
            node, flags = self.sequence(flags, depth)
            branches.append(node)
            if not self.peek("|"):
                return branches[0] if len(branches) == 1 else Choice(tuple(branches))
            self.at += 1

    def sequence(self, flags: Flags, depth: int) -> tuple[Node, Flags]:
        items: list[Node] = []
        while self.at < len(self.pattern) and not (self.peek("|") or self.peek(")")):
            found = _FLAGS.match(self.pattern, self.at + 1) if self.peek("(") else None
            if found and found[3] == ")":
                flags = self._flags(flags, found)
                continue
            items.append(self.quantified(self.atom(flags, depth)))
        return (concat(*items) if items else EMPTY), flags

    def quantified(self, item: Node) -> Node:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None or found[0] == "{}":
            return item  # a brace that begins no quantifier stands for itself
        if found[0].startswith("{,"):
            raise self.unsupported("{,n}, which dialects read differently (write {0,n})")
        self.at = found.end()
        if item in (BEGIN, END):
            raise self.unsupported("a repeated anchor")
        low, high = _bounds(found)
        if high is not None and high < low:
            raise self.error("a repetition with its bounds swapped")
        if self.peek("+"):
            raise self.unsupported("a possessive repetition")
        if self.peek("?"):
            self.at += 1  # a lazy repetition matches the same texts
        if _QUANTIFIER.match(self.pattern, self.at) and not self.peek("{"):
            raise self.error("a repeated repetition")
        return Repeat(item, low, high)

    def atom(self, flags: Flags, depth: int) -> Node:
        char = self.take()
        match char:
            case "(":
                return self.group(flags, depth)
            case "[":
                return self._chars(self.char_class(flags))
            case ".":
                return self._chars(dot(flags.dot_all, self._reading))
            case "^":
                return BEGIN
            case "$":
                return END
            case "\\":
                return self.escaped_atom(flags)
            case "*" | "+" | "?":
                raise self.error("nothing to repeat")
            case ")":
                raise self.error("unbalanced parenthesis")
        return self.single(exactly(ord(char), ord(char)), flags)

    def single(self, chars: CharClass, flags: Flags) -> Node:
        return self._chars(self._cased(chars, flags))

    def _cased(self, chars: CharClass, flags: Flags) -> CharClass:
        return chars.folded(self._read(flags)) if flags.ignore_case else chars

    def _read(self, flags: Flags) -> Reading:
        python = self._reading is not Reading.COMMON
        return Reading.ASCII if python and flags.ascii else self._reading

    def _chars(self, chars: CharClass) -> Node:
        return CharSet(chars.outer if self._outer else chars.inner)

    def group(self, flags: Flags, depth: int) -> Node:
        scoped = _FLAGS.match(self.pattern, self.at)
        name = _NAME.match(self.pattern, self.at)
        if scoped:
            self.at -= 1
            flags = self._flags(flags, scoped)
        elif name:
            self.at = name.end()
        elif self.peek("?"):
            kinds = {"?=": "look-ahead", "?!": "look-ahead", "?<": "look-behind"}
            raise self.unsupported(kinds.get(self.pattern[self.at : self.at + 2], "this group"))
        node = self.alternatives(flags, depth + 1)
        if not self.peek(")"):
            raise self.error("a group is not closed")
        self.at += 1
        return node

    def _flags(self, flags: Flags, found: re.Match[str]) -> Flags:
        """Apply an inline flag group such as (?i) or (?s-i: and step over it."""
        on, off = found[1], found[2] or ""
        if set(on + off) & set("mxL"):
            raise self.unsupported(f"the flag group ({found[0]}")
        self.at = found.end()
        return replace(
            flags,
            ignore_case=("i" in on or flags.ignore_case) and "i" not in off,
            dot_all=("s" in on or flags.dot_all) and "s" not in off,
            ascii="a" in on or (flags.ascii and "u" not in on),
        )

    def escaped_atom(self, flags: Flags) -> Node:
        char = self.pattern[self.at : self.at + 1]
        if char in ("A", "Z", "z") and char:
            self.at += 1
            return BEGIN if char == "A" else END
        if char in ("b", "B") and char:
            raise self.unsupported(f"the word boundary \\{char}")
        if char in "123456789k" and char:
            raise self.unsupported("a back reference")
        return self.single(self.escape(flags), flags)

    def escape(self, flags: Flags) -> CharClass:
        r"""The class behind a backslash: \d, \n, \x41, \u0041, \p{L}, \., ..."""
        char = self.take()
        if char in "dwsDWS":
            return named(char, self._read(flags))
        if char in "pP":
            found = unicode_property(self._braced())
            return found.negated() if char == "P" else found
        if char in "xuU":
            code = self._hex(char)
        elif char in _CONTROL:
            code = _CONTROL[char]
        elif char == "c":
            code = ord(self.take()) % 32
        elif char.isalnum() and char.isascii():
            raise self.error(f"unknown escape \\{char}")
        else:
            code = ord(char)
        return exactly(code, code)

    def _braced(self) -> str:
        end = self.pattern.find("}", self.at)
        if not self.peek("{") or end < 0:
            raise self.error("a name in braces is missing")
        name = self.pattern[self.at + 1 : end]
        self.at = end + 1
        return name

    def _hex(self, kind: str) -> int:
        width = {"x": 2, "u": 4, "U": 8}[kind]
        if kind == "u" and self.peek("{"):
            digits = self._braced()
        else:
            digits = self.pattern[self.at : self.at + width]
            self.at += width
        if not re.fullmatch(r"[0-9a-fA-F]{1,8}", digits) or int(digits, 16) > 0x10FFFF:
            raise self.error(f"\\{kind} needs hexadecimal digits")
        return int(digits, 16)

    def char_class(self, flags: Flags) -> CharClass:
        negate = self.peek("^")
        self.at += negate
        found, first = EMPTY_CLASS, True
        while first or not self.peek("]"):
            if first and self.peek("]"):
                raise self.unsupported("a class that begins with ] (escape it)")
            first = False
            found = found.joined(self._cased(self._class_item(flags), flags))
        self.at += 1
        return found.negated() if negate else found

    def _class_item(self, flags: Flags) -> CharClass:
        low = self._class_char(flags)
        if not self.peek("-") or self.peek("-]"):
            return low
        self.at += 1
        high = self._class_char(flags)
        ends = [chars.inner[0] for chars in (low, high) if chars.inner == chars.outer]
        if len(ends) != 2 or any(a != b for a, b in ends) or ends[0][0] > ends[1][0]:
            raise self.error("bad range in a class")
        return exactly(ends[0][0], ends[1][0])

    def _class_char(self, flags: Flags) -> CharClass:
        char = self.take()
        if char != "\\":
            return exactly(ord(char), ord(char))
        if self.peek("b"):
            self.at += 1
            return exactly(8, 8)
        return self.escape(flags)


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    plain: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if found[0] in plain:
        return plain[found[0]]
    if max(len(found[1]), len(found[3])) > 9:
        raise TooLargeError(f"a repetition is too large: {found[0][:40]}")
    low = int(found[1])
    if not found[2]:
        return low, low
    return low, int(found[3]) if found[3] else None

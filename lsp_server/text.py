"""A document's text with the places of its lines, and LSP positions in it, in any encoding.

A line ends at `\\n`, `\\r` or `\\r\\n` and nowhere else. Offsets count code points; a position
counts code units of the encoding that client and server agreed on.
"""

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]
BREAK = re.compile(r"\r\n|\n|\r")
SURROGATES = re.compile("[\ud800-\udfff]")
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@dataclass(frozen=True, slots=True)
class Place:
    """A position: line and code units from its start, both from 0."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text that never changes; `replaced` makes the next one.

    Attributes:
        value: the text.
        starts: offset of the first character of each line; there is always one line.
    """

    value: str
    starts: "array[int]" = field(repr=False)

    @classmethod
    def of(cls, value: str) -> "Text":
        """The text with its lines found."""
        return cls(value, array("Q", (0, *(found.end() for found in BREAK.finditer(value)))))

    def __len__(self) -> int:
        return len(self.value)

    @property
    def lines(self) -> int:
        """How many lines there are; the last one has no line break."""
        return len(self.starts)

    def replaced(self, start: int, stop: int, new: str) -> "Text":
        """The text with characters [start, stop) replaced; looks for line breaks only there."""
        value = self.value[:start] + new + self.value[stop:]
        moved = start + len(new) - stop
        kept = bisect_right(self.starts, start - 1) if start else 1
        after = bisect_right(self.starts, stop + 1)
        lowest, highest = max(start, 1), start + len(new) + 1
        fresh = [
            found.end()
            for found in BREAK.finditer(value, max(0, start - 2), highest + 1)
            if lowest <= found.end() <= highest
        ]
        starts = self.starts[:kept]
        starts.extend(fresh)
        tail = self.starts[after:]
        starts.extend(tail if not moved else array("Q", [place + moved for place in tail]))
        return Text(value, starts)

    def line_of(self, offset: int) -> int:
        """The line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1

    def line_end(self, line: int) -> int:
        """Offset of the end of a line, before its line break."""
        if line + 1 >= len(self.starts):
            return len(self.value)
        stop = self.starts[line + 1]
        start = self.starts[line]
        if stop - start >= 2 and self.value[stop - 2 : stop] == "\r\n":
            return stop - 2
        return stop - 1

    def line(self, line: int) -> str:
        """A line without its line break."""
        return self.value[self.starts[line] : self.line_end(line)]

    def offset(self, place: Place, encoding: Encoding) -> int:
        """Offset of a position; what lies outside goes to the nearest place inside.

        A position inside a character, or between the two of `\\r\\n`, is the one before it.
        """
        if place.line < 0:
            return 0
        if place.line >= len(self.starts):
            return len(self.value)
        start, stop = self.starts[place.line], self.line_end(place.line)
        return start + characters(self.value[start:stop], max(0, place.character), encoding)

    def place(self, offset: int, encoding: Encoding) -> Place:
        """The position of an offset; inside a line break it is the end of that line."""
        offset = max(0, min(offset, len(self.value)))
        line = self.line_of(offset)
        start = self.starts[line]
        stop = min(offset, self.line_end(line))
        return Place(line, units(self.value[start:stop], encoding))


def units(text: str, encoding: Encoding) -> int:
    """How many code units `text` has."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return len(text.encode(_CODECS[encoding], "surrogatepass")) // _UNIT[encoding]


def characters(text: str, count: int, encoding: Encoding) -> int:
    """How many whole characters the first `count` code units of `text` hold."""
    if encoding == "utf-32" or text.isascii():
        return min(count, len(text))
    if encoding == "utf-8":
        data = text.encode("utf-8", "surrogatepass")
        count = _whole(data, count)
        return sum(byte & 0xC0 != 0x80 for byte in data[:count])
    low = units(text[:count], "utf-16")  # at least `count` units: no character has none
    held = text[:count] if low == count else _cut(text[:count], count)
    return len(held)


def clean(text: str) -> str:
    """`text` with surrogates that stand alone replaced, so that it can be sent as UTF-8."""
    if SURROGATES.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def newlines(text: str) -> str:
    """`text` with every line break as `\\n`."""
    return BREAK.sub("\n", text) if "\r" in text else text


def _whole(data: bytes, count: int) -> int:
    """The last place at or before `count` where a character of UTF-8 begins."""
    count = min(count, len(data))
    while 0 < count < len(data) and data[count] & 0xC0 == 0x80:
        count -= 1
    return count


def _cut(text: str, count: int) -> str:
    """The longest beginning of `text` that has at most `count` units of UTF-16."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if units(text[:middle], "utf-16") <= count:
            low = middle
        else:
            high = middle - 1
    return text[:low]

"""Brackets and quotes of short texts, counted without a grammar."""

import re

PAIRS = {")": "(", "]": "[", "}": "{"}
QUOTES = "\"'`"
ESCAPED = re.compile(r"\\.", re.DOTALL)
WINDOW = 4000


def excess(text: str, before: str, after: str) -> str:
    """Closing brackets and quotes of `text` that what stands after it closes already, in order.

    What `text` closes is its own, or was opened before and is not closed after, or it is excess.
    """
    _, closed = unmatched(text, quotes=True)
    opened, _ = unmatched(before[-WINDOW:], quotes=False)
    _, served = unmatched(after[:WINDOW], quotes=False)
    owed = {close: opened.count(PAIRS[close]) - served.count(close) for close in PAIRS}
    found = ""
    for char in closed:
        if owed.get(char, 0) > 0:
            owed[char] -= 1
        else:
            found += char
    return found


def unmatched(text: str, *, quotes: bool) -> tuple[str, str]:
    """Brackets that `text` leaves open, and those it closes without having opened them.

    With `quotes`, brackets in strings don't count, and a quote that closes a string which was open
    before `text` counts as closing.
    """
    inside = _open_quote(text) if quotes else None
    opened: list[str] = []
    closed: list[str] = [inside] if inside is not None else []
    escaped = False
    for char in text:
        if escaped or char == "\\":
            escaped = not escaped
        elif inside is not None:
            inside = None if char == inside else inside
        elif quotes and char in QUOTES:
            inside = char
        elif char in PAIRS.values():
            opened.append(char)
        elif char in PAIRS and opened and opened[-1] == PAIRS[char]:
            opened.pop()
        elif char in PAIRS:
            closed.append(char)
    return "".join(opened), "".join(closed)


def _open_quote(text: str) -> str | None:
    """The quote that `text` begins inside of: the one that it has an odd number of."""
    plain = ESCAPED.sub("", text)
    odd = [quote for quote in QUOTES if plain.count(quote) % 2]
    return odd[0] if len(odd) == 1 else None

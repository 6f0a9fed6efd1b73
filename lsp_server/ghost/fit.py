"""How an answer meets the text around it: nothing twice, nothing lost, one line of range.

The engine has seen both sides already; what is cut here is what stands there beyond doubt.
"""

import re
from dataclasses import dataclass

from lsp_server.ghost.brackets import excess
from lsp_server.ghost.spot import Spot
from lsp_server.text import newlines

CLOSING = frozenset(")]}\"'`;,:>")
TELLING = 3
"""Characters of words that make a repetition more than chance."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Fitted:
    """What to insert, and how many characters right of the cursor it takes the place of."""

    text: str
    covered: int


def fit(answer: str, spot: Spot, most_lines: int) -> Fitted | None:
    """`answer` as it can be inserted at `spot`; None if nothing is left of it."""
    text = CONTROL.split(newlines(answer), maxsplit=1)[0]
    text = _without_lead(text, spot.line)
    if spot.rest.strip():
        text = _before_rest(text, spot)
    else:
        text = _without_following(text, spot).rstrip()
    text = _at_most(text, most_lines)
    text, covered = _against_rest(text, spot)
    return Fitted(text, covered) if text.strip() else None


def _without_lead(text: str, line: str) -> str:
    """Drop what the line so far says already."""
    said = line.lstrip()
    if len(WORD.findall(said)) >= TELLING and text.startswith(said):
        return text[len(said) :]
    if said and line[-1] in " \t" and text[:1] in (" ", "\t"):
        return text.lstrip(" \t")
    return text


def _before_rest(text: str, spot: Spot) -> str:
    """In front of other text on its line an answer is a part of that line, or lines above it."""
    if not spot.line and text.endswith("\n"):
        return text
    if set(spot.rest.strip()) <= CLOSING:
        return text.rstrip()
    return text.partition("\n")[0]


def _at_most(text: str, most_lines: int) -> str:
    """The first lines; what stands above the line of the cursor stays above it."""
    kept = "\n".join(text.split("\n")[:most_lines])
    return kept.removesuffix("\n") + "\n" if text.endswith("\n") else kept


def _without_following(text: str, spot: Spot) -> str:
    """Drop lines at the end that stand right below the cursor already."""
    mine = (spot.line + text).split("\n")
    filled = [number for number, line in enumerate(mine) if line.strip()]
    below = spot.after.partition("\n")[2].split("\n")
    theirs = [line.rstrip() for line in below if line.strip()][: len(filled)]
    for size in range(len(theirs), 0, -1):
        cut = filled[-size]
        ending = [mine[number].rstrip() for number in filled[-size:]]
        if ending != theirs[:size] or (cut == 0 and spot.line.strip()):
            continue
        if any(len(WORD.findall(line)) >= TELLING for line in ending):
            return "\n".join(mine[:cut])[len(spot.line) :]
        if not WORD.search("".join(ending)) and _excess(text, spot):
            return "\n".join(mine[:cut])[len(spot.line) :]
    return text


def _against_rest(text: str, spot: Spot) -> tuple[str, int]:
    """The text without what it shares with the rest of the line, and what it covers of that."""
    tail = spot.rest.rstrip()
    if not tail or text.endswith("\n"):
        return text, 0
    if not set(tail.strip()) <= CLOSING:
        telling = WORD.search(tail) or len(tail.strip()) >= TELLING
        return (text[: -len(tail)], 0) if telling and text.endswith(tail) else (text, 0)
    twice = _excess(text, spot)
    for size in range(min(len(twice), len(tail)), 0, -1):
        if tail[:size] != twice[-size:]:
            continue
        if text.endswith(tail[:size]) and _excess(text[:-size], spot) == twice[:-size]:
            return text[:-size], 0
        more = text[-1] in ";,:" and tail[size : size + 1] == text[-1]
        return text, size + more
    if text[-1:] in (";", ",", ":") and tail[0] == text[-1]:
        return text[:-1], 0
    return text, 0


def _excess(text: str, spot: Spot) -> str:
    return excess(text, spot.before, spot.after)

"""Owns indentation: what a level is in a file, where a line may stand, lines moved to fit."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

TAB_COLUMNS = 4
WIDEST_UNIT = 8


def leading(line: str) -> str:
    """The spaces and tabs a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def columns(indent: str) -> int:
    """Width of an indentation; a tab is one level of TAB_COLUMNS."""
    return sum(TAB_COLUMNS if character == "\t" else 1 for character in indent)


def rendered(width: int, unit: str) -> str:
    """An indentation of `width` columns in the manner of `unit`."""
    width = max(0, width)
    if unit == "\t":
        return "\t" * (width // TAB_COLUMNS) + " " * (width % TAB_COLUMNS)
    return " " * width


def unit_of(lines: Sequence[str], otherwise: str) -> str:
    """One level of indentation in a file: the commonest step to a deeper line."""
    indents = [leading(line) for line in lines if line.strip()]
    tabs = sum(indent.startswith("\t") for indent in indents)
    spaces = sum(indent.startswith(" ") for indent in indents)
    if tabs > spaces:
        return "\t"
    steps = steps_of(lines)
    if steps:
        return " " * max(steps, key=lambda step: (steps[step], -step))
    return "    " if spaces and otherwise == "\t" else otherwise


def steps_of(lines: Sequence[str]) -> Counter[int]:
    """Widths by which a line stands deeper than the one above, and how often."""
    widths = [columns(leading(line)) for line in lines if line.strip()]
    return Counter(b - a for a, b in pairwise(widths) if 0 < b - a <= WIDEST_UNIT)


def ladder(lines: Sequence[str]) -> list[int]:
    """Columns a line after `lines` may start at: those of the last line and of what encloses it."""
    steps: list[int] = []
    for line in reversed(lines):
        if not line.strip():
            continue
        width = columns(leading(line))
        if not steps or width < steps[-1]:
            steps.append(width)
        item = re.match(r"(\s*)- +\S", line)
        if item and len(steps) == 1:
            steps.insert(0, columns(item[0][:-1]))
        if not steps[-1]:
            break
    return steps or [0]

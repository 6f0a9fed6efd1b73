"""Owns the indentation of an answer: moved, scaled and spelled as the file around it has it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.shape.answer import Edit
from engine.shape.indent import columns, leading, rendered
from engine.shape.site import Site

STAYING = re.compile(
    r"[.?:&|+*/=,)\]}]|(?:case|default|public|private|protected)\b|#|end\b|[^\s()]+\)(?:\s|$)"
)


@dataclass(frozen=True, slots=True)
class Placing:
    """Where the lines of a body go: column `own + n` to `target + n * scale`."""

    own: int
    target: int
    scale: float
    unit: str

    def column(self, width: int) -> int:
        return max(0, self.target + round((width - self.own) * self.scale))

    def indent(self, width: int) -> str:
        """What a line at `width` columns of the model's text is indented with."""
        return rendered(self.column(width), self.unit)


def place(site: Site, body: str, first: int) -> Placing:
    """The placing that fits the surroundings; one that changes nothing if they don't tell.

    `first` is the column of the body's first line apart from white space in it.
    """
    own = columns(leading(body)) + first
    if site.language.layout == "none" or site.state.literal is not None:
        return Placing(own, own, 1.0, site.unit)
    if site.fresh:
        target = max(_target(site, own, body), columns(site.current))
        return Placing(own, target, _scale(site, body, own), site.unit)
    begun = re.search(r"\n([ \t]*)\S", body) if site.opener is not None else None
    if begun is None:
        return Placing(0, 0, 1.0, site.unit)
    own = columns(begun[1])
    return Placing(own, _target(site, own, body[begun.end(1) :]), 1.0, site.unit)


def indent_edits(site: Site, body: str, first: int, placing: Placing) -> Iterator[Edit]:
    """The edits of `body` that put its lines where `placing` says; insides of strings stay."""
    if site.language.layout == "none" or site.state.literal is not None:
        return
    if site.fresh and body:
        white, current = leading(body), site.current
        wanted = placing.indent(columns(white) + first)
        if wanted.startswith(current):
            wanted = wanted[len(current) :]
        else:
            wanted = rendered(columns(wanted) - columns(current), placing.unit)
        if _differs(site, white, wanted):
            yield Edit(0, len(white), wanted)
    for start in line_starts(site, body, comments=True):
        white = leading(body[start:])
        wanted = placing.indent(columns(white))
        if body[start + len(white) : start + len(white) + 1].strip() and _differs(
            site, white, wanted
        ):
            yield Edit(start, start + len(white), wanted)


def line_starts(site: Site, body: str, comments: bool) -> list[int]:
    """Where lines after the first start in code, or also in comments and docstrings."""
    starts, movable = [], True
    for mark in site.scan(body):
        literal = mark.state.literal
        if mark.kind == "enter" and literal is not None:
            line = body[body.rfind("\n", 0, mark.start) + 1 : mark.start]
            docstring = site.language.lexis.docstrings and literal.quote.lines and not line.strip()
            movable = comments and (literal.quote.comment or docstring)
        elif mark.kind == "newline" and (literal is None or movable):
            starts.append(mark.stop)
    return starts


def _differs(site: Site, white: str, wanted: str) -> bool:
    """Whether an indentation is not as wanted; in a mixed file tabs and spaces count alike."""
    return columns(white) != columns(wanted) if site.mixed else white != wanted


def _target(site: Site, own: int, body: str) -> int:
    """The column for a first line that stands at `own`."""
    text, unit = body.lstrip(), columns(site.unit)
    below = None if site.below is None else columns(leading(site.below))
    if site.opener is not None:
        if site.flat and own == site.opener and (below is None or below <= own):
            return own
        if (STAYING.match(text) or text.startswith("- ")) and own >= site.opener:
            return own
        if site.before and site.before[-1].rstrip()[-1] in "([" and own > site.opener:
            return own
        line = text.partition("\n")[0]
        nested = below is not None and re.search(site.language.opener, line) and own < below
        if nested and own >= site.opener + (site.language.layout == "offside"):
            return own  # what stands below belongs to the line itself
        if own == site.opener + unit or below is None or below <= site.opener:
            return site.opener + unit
        return below
    if site.continued or STAYING.match(text):
        return own
    steps = list(site.steps)
    valid = {*steps, *(() if below is None else (below,))}
    if site.language.layout == "free":
        valid.add(steps[0] + unit)
    if own in valid:
        return own
    return steps[0] if own > steps[0] else min(valid, key=lambda step: abs(step - own))


def _scale(site: Site, body: str, own: int) -> float:
    """File's level over text's level, where the text's lines show one of their own."""
    lines = [body, *(body[start:] for start in line_starts(site, body, comments=False))]
    lines = [line.partition("\n")[0] for line in lines]
    widths = [columns(leading(line)) - own for line in lines[1:] if line.strip()]
    opened = [
        columns(leading(after)) - (own if number == 0 else columns(leading(line)))
        for number, (line, after) in enumerate(pairwise(lines))
        if re.search(site.language.opener, line) and line.rstrip()[-1] not in "(["
    ]
    steps = {step for step in opened if step > 0}  # a blank line steps back
    if (
        steps & site.levels
        or len(steps) != 1
        or any(width < 0 or width % min(steps) for width in widths)
    ):
        return 1.0
    return columns(site.unit) / steps.pop()

"""An animated SVG of terminal frames: self-contained, plain CSS keyframes, capped in size.

Each row of the screen is drawn once for every stretch of time in which it doesn't change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len

from clients.cli.rows import Row, Style, merged

SIZE_LIMIT = 512 * 1024
_HOLD = 4.0
"""Seconds that the last frame stays before the film begins again."""
_CELL, _LINE, _PAD, _BAR = 8.4, 18.0, 14.0, 30.0

_COLOURS: dict[Style, str] = {
    "plain": "#d5dae1",
    "dim": "#7d8794",
    "mask": "#4f8fd9",
    "thrown": "#f0705f",
    "fresh": "#7ee08a",
    "added": "#6cc644",
    "removed": "#e5736b",
    "place": "#56b6c2",
    "title": "#ffffff",
    "note": "#e0b64f",
}
_BOLD: tuple[Style, ...] = ("fresh", "thrown", "title")


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen showed from `seconds` on."""

    seconds: float
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    """A row's content from `begin` to `end`, both as shares of the film's length."""

    line: int
    row: Row
    begin: float
    end: float


def animated(frames: Sequence[Frame], title: str, width: int) -> str:
    """The SVG of all frames; where it would exceed the limit, every other frame is left out."""
    assert frames, "a film has frames"
    kept = _distinct(frames)
    while len(svg := _film(kept, title, width)) > SIZE_LIMIT and len(kept) > 2:
        kept = [*kept[:-1:2], kept[-1]]
    return svg


def _distinct(frames: Sequence[Frame]) -> list[Frame]:
    """Frames that differ from the one before."""
    kept: list[Frame] = []
    for frame in frames:
        if not kept or kept[-1].rows != frame.rows:
            kept.append(frame)
    return kept


def _film(frames: Sequence[Frame], title: str, width: int) -> str:
    strips = list(_strips(frames))
    times = sorted({(strip.begin, strip.end) for strip in strips})
    names = {span: f"t{index}" for index, span in enumerate(times)}
    wide = width * _CELL + 2 * _PAD
    high = max(len(frame.rows) for frame in frames) * _LINE + _BAR + _PAD
    seconds = frames[-1].seconds - frames[0].seconds + _HOLD
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" '
            f'width="{wide:.0f}" height="{high:.0f}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_style(names, seconds)}</style>",
            f'<rect width="{wide:.0f}" height="{high:.0f}" rx="8" fill="#14181f"/>',
            f'<text x="{wide / 2:.0f}" y="20" text-anchor="middle" class="dim">'
            f"{escape(title)}</text>",
            *(_drawn(strip, names[strip.begin, strip.end]) for strip in strips),
            "</svg>\n",
        ]
    )


def _strips(frames: Sequence[Frame]) -> Iterator[_Strip]:
    """Every row with the stretch of time in which it stands."""
    zero = frames[0].seconds
    length = frames[-1].seconds - zero + _HOLD
    shares = [(frame.seconds - zero) / length for frame in frames] + [1.0]
    for line in range(max(len(frame.rows) for frame in frames)):
        column = [frame.rows[line] if line < len(frame.rows) else () for frame in frames]
        begin = 0
        for index in range(1, len(column) + 1):
            if index == len(column) or column[index] != column[begin]:
                if column[begin]:
                    yield _Strip(line, column[begin], shares[begin], shares[index])
                begin = index


def _style(names: dict[tuple[float, float], str], seconds: float) -> str:
    """Fonts, colours, and one visibility animation for each stretch of time."""
    rules = [
        "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}",
        *(f".{style}{{fill:{colour}}}" for style, colour in _COLOURS.items()),
        ",".join(f".{style}" for style in _BOLD) + "{font-weight:bold}",
    ]
    still = []
    for (begin, end), name in names.items():
        if (begin, end) == (0.0, 1.0):
            continue
        rules.append(f".{name}{{animation:{name} {seconds:.3f}s step-end infinite}}")
        rules.append(f"@keyframes {name}{{{_keyframes(begin, end)}}}")
        if end < 1.0:
            still.append(f".{name}")
    quiet = "*{animation:none!important}" + (",".join(still) + "{display:none}" if still else "")
    rules.append(f"@media (prefers-reduced-motion:reduce){{{quiet}}}")
    return "".join(rules)


def _keyframes(begin: float, end: float) -> str:
    steps = []
    if begin > 0:
        steps.append("0%{visibility:hidden}")
    steps.append(f"{begin:.4%}{{visibility:visible}}")
    if end < 1:
        steps.append(f"{end:.4%},to{{visibility:hidden}}")
    return "".join(steps)


def _drawn(strip: _Strip, name: str) -> str:
    """One row as text runs, each held to the width that it has in cells."""
    runs = []
    column = 0
    for text, style in merged(strip.row):
        cells = cell_len(text)
        if text.strip():
            runs.append(
                f'<text class="{style}" x="{_PAD + column * _CELL:.1f}" '
                f'y="{_BAR + (strip.line + 0.8) * _LINE:.1f}" xml:space="preserve" '
                f'textLength="{cells * _CELL:.1f}" lengthAdjust="spacingAndGlyphs">'
                f"{escape(text)}</text>"
            )
        column += cells
    return f'<g class="{name}">' + "".join(runs) + "</g>"

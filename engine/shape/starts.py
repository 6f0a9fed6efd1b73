"""Owns where an answer begins in the model's text: past what stands before the hole already."""

import re

from engine.shape.site import Site

LEAST_LETTERS = 4
LOOP_LIMIT = 8
LONGEST_COPY = 200


def begin(site: Site, text: str, most_lines: int, growing: bool) -> int | None:
    """Where the answer begins: past blank lines and copies of what stands before the hole.

    Copies of up to `most_lines` lines are told. None if more text must come first.
    """
    if not site.fresh:
        return _past_current(site, text, growing)
    at = _past_blank(text, 0)
    for _ in range(LOOP_LIMIT):
        past = _past_lines(site, text, at, most_lines, growing)
        if past is None or past == at:
            return past
        at = _past_blank(text, past)
    return at


def telling(text: str) -> bool:
    """Whether a line says enough to be a copy; lines like `}` or `end` may well come twice."""
    letters = sum(character.isalpha() for character in text)
    return letters >= LEAST_LETTERS or bool(re.search(r"\w\s*=\s*\w", text))


def _past_blank(text: str, at: int) -> int:
    """Past blank lines; the spaces of an unfinished line stay."""
    stripped = len(text) - len(text[at:].lstrip())
    newline = text.rfind("\n", at, stripped)
    return newline + 1 if newline >= 0 else at


def _past_current(site: Site, text: str, growing: bool) -> int | None:
    """Past a copy of the line so far."""
    line = site.current.lstrip()
    if len(line) > LONGEST_COPY:
        return 0
    several = re.search(r"\w\s*[^\w\s]|\w\s+\w", line)
    if not several or not telling(line) or site.state.literal is not None:
        return 0
    if growing and len(text) < len(line) and line.startswith(text):
        return None
    return len(line) if text.startswith(line) else 0


def _past_lines(site: Site, text: str, at: int, most_lines: int, growing: bool) -> int | None:
    """Past a copy at `at` of the last lines before the hole; of one line, of two, and so on."""
    for count in range(1, min(most_lines, len(site.before)) + 1):
        wanted = [line.rstrip() for line in site.before[-count:]]
        if not telling("".join(wanted)):
            continue
        if at == 0:
            wanted[0] = wanted[0].removeprefix(site.current)
        stop = _copied(text, at, wanted, growing)
        if stop != at:
            return stop
    return at


def _copied(text: str, at: int, wanted: list[str], growing: bool) -> int | None:
    """The end of a copy of the lines `wanted` at `at`; `at` if there is none, None if not yet."""
    stop = at
    for number, line in enumerate(wanted, 1):
        end = text.find("\n", stop)
        said = text[stop:] if end < 0 else text[stop:end]
        same = said.rstrip() == line
        if end < 0:
            if growing and (same or line.startswith(said)):
                return None
            return len(text) if same and number == len(wanted) else at
        if not same:
            return at
        stop = end + 1
    return stop

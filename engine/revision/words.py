"""Which words a swap makes: a wrong name is put right by one that exists, not an invented one."""

import builtins
import keyword
import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_CONSTANTS = ("True", "False", "None")
_ALWAYS = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every word of the texts, and those of the language that need not occur to be known."""
    return _ALWAYS.union(*map(words_in, texts))


def words_in(text: str) -> list[str]:
    """The words of a text, in order."""
    return _WORD.findall(text)


def is_slip(word: str, other: str) -> bool:
    """Whether one letter was left out, added or wrong, or two neighbours were swapped."""
    start = _alike(word, other)
    word, other = word[start:], other[start:]
    ending = _alike(word[::-1], other[::-1])
    word, other = word[: len(word) - ending], other[: len(other) - ending]
    swapped = len(word) == 2 and word == other[::-1]
    return swapped or sorted((len(word), len(other))) in ([0, 1], [1, 1])


def _alike(word: str, other: str) -> int:
    """Letters that both begin with."""
    pairs = enumerate(zip(word, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(word), len(other)))


def kind_of(token: str) -> str:
    """What a token is: a name or a part of one, a keyword, a number, blanks, or signs."""
    body = token.strip()
    if not body:
        return "blank"
    if keyword.iskeyword(body) and body not in _CONSTANTS:
        return "keyword"
    if body.isdigit():
        return "number"
    return "name" if _WORD.fullmatch(body) else "sign"


def invents_none(text: str, start: int, stop: int, known: frozenset[str]) -> bool:
    """Whether every word that touches characters [start, stop) is a number or a known word."""
    touching = (w for w in _WORD.finditer(text) if w.end() >= start and w.start() <= stop)
    return all(word.group() in known or word.group().isdigit() for word in touching)

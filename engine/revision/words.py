"""Which words a swap makes: a wrong name is put right by one that exists, not an invented one."""

import builtins
import keyword
import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_ALWAYS = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every word of the texts, and those of the language that need not occur to be known."""
    return _ALWAYS.union(*(_WORD.findall(text) for text in texts))


def invents_none(text: str, start: int, stop: int, known: frozenset[str]) -> bool:
    """Whether every word that touches characters [start, stop) is a number or a known word."""
    touching = (w for w in _WORD.finditer(text) if w.end() >= start and w.start() <= stop)
    return all(word.group() in known or word.group().isdigit() for word in touching)

"""Owns documents of data under a JSON Schema, judged as a whole: what a text in a hole breaks.

A document that is being written rarely validates. What it breaks whatever stands in the hole is not
held against an answer.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice, product
from typing import Any

import jsonschema_rs

from engine.constraints.checkers import validator_of
from engine.constraints.data import READERS, DataError, documents
from engine.constraints.errors import UnsupportedError

STUBS = ("", "0", "{}", "null", '"x"', "x", "x: 0", "x = 0", '"x": 0', "- 0")
"""Texts of which several can be read in most holes of a document of data."""
LEADS = ("", " ")
"""What comes before a stub: behind `key:` a value needs a space, and a key none."""
MOST_READ = 500_000
"""Characters that are read to find what is broken anyhow, for each lead."""
_LEAST = 3
"""Stubs that are tried in any document."""
_MOST = 200
_NAMED = frozenset({"additionalProperties", "unevaluatedProperties", "required"})
"""Keywords whose complaint doesn't repeat the value it is about."""

Breach = tuple[object, ...]
"""What tells one complaint from another."""
Problem = Callable[[str], str | None]


class DocumentSchema:
    """A schema, and the language of the documents that it is for."""

    def __init__(self, language: str, schema: str) -> None:
        """Raises UnsupportedError for a language that isn't data, InvalidConstraintError."""
        if language not in READERS:
            known = ", ".join(sorted(READERS))
            raise UnsupportedError(f"no schema of documents in {language!r}; there are {known}")
        self.language, self.text = language, schema
        self._validator = validator_of(schema)

    def breaches(self, text: str) -> dict[Breach, str]:
        """What a document breaks, in plain words. DataError if it can't be read."""
        found: dict[Breach, str] = {}
        for number, value in enumerate(documents(self.language, text)):
            for error in islice(self._validator.iter_errors(value), _MOST):
                found.setdefault((number, *_told(error)), _words(error))
        return found


def breaks_in(
    schema: DocumentSchema, before: str, behind: Sequence[str], old: str | None = None
) -> Problem:
    """What an answer breaks that needn't be broken, or None.

    `behind` are the texts behind the hole and behind each further one, taken to hold a stub; `old`
    stood in the hole. Where the document can't be read with any stub, an answer that can't be read
    either is left to others to judge. Of a large document few stubs are tried.
    """
    most = MOST_READ // (1 + len(before) + sum(map(len, behind)))
    stubs = STUBS[: max(2, most)] if len(behind) > 1 else STUBS[:1]
    afters = [stub.join(behind) for stub in stubs]

    @cache
    def excused() -> frozenset[Breach] | None:
        """What is broken anyhow, found out once an answer breaks something; None where the document
        can't be read."""
        tries = [product(afters, _texts(lead, old)) for lead in LEADS]
        groups = [_anyhow(schema, before, pairs, most) for pairs in tries]
        read = [group for group in groups if group is not None]
        return frozenset[Breach]().union(*read) if read else None

    def problem(answer: str) -> str | None:
        wrong: str | None = None
        for after in afters:
            try:
                found = schema.breaches(before + answer + after)
            except DataError as error:
                readable = wrong is None and excused() is not None
                wrong = f"the document can't be read: {error}" if readable else wrong
                continue
            fresh = [words for breach, words in found.items() if breach not in (excused() or ())]
            if not fresh:
                return None
            wrong = fresh[0]
        return wrong

    return problem


def _texts(lead: str, old: str | None) -> list[str]:
    """What is put into a hole: the old text, and the stubs behind a lead."""
    return [*([] if old is None else [old]), *(lead + stub for stub in STUBS)]


def _anyhow(
    schema: DocumentSchema, before: str, tries: Iterable[tuple[str, str]], most: int
) -> set[Breach] | None:
    """What is broken with every text in the hole that lets the document be read; None if none
    does. `tries` are what stands behind the hole and in it.

    Each is a reading of the whole document: none is made once nothing is left, and no more than
    `most`, but that two texts must be read to tell what is the document's from what is theirs. If
    the first few can't be read, the trouble is most likely the document's.
    """
    common: set[Breach] | None = None
    read = 0
    for tried, (after, text) in enumerate(islice(tries, max(most, 1 + len(STUBS)))):
        enough = tried >= _LEAST if not read else read > 1
        if tried >= most and enough:
            break
        try:
            found = set(schema.breaches(before + text + after))
        except DataError:
            continue
        common, read = found if common is None else common & found, read + 1
        if not common:
            break
    return common


def _told(error: jsonschema_rs.ValidationError) -> Breach:
    """Place, keyword and words; without the words where they repeat a collection, of which the
    hole is a part."""
    repeats = isinstance(error.instance, dict | list) and error.kind.name not in _NAMED
    words = "" if repeats else error.message
    return tuple(error.instance_path), tuple(error.schema_path), words


def _words(error: jsonschema_rs.ValidationError) -> str:
    place = "/".join(map(str, error.instance_path))
    message: Any = error.message[:200]
    return f"{place}: {message}" if place else str(message)

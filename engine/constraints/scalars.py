"""Owns the few scalars that a schema leaves for one value of a document, found by trying them.

Where a hole is a value and the schema takes no text of one's own choice there, what it does take
can be made a language, and an answer in YAML or TOML keeps to the schema by construction.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from engine.constraints.data import DataError, documents
from engine.constraints.document_schema import LEADS, DocumentSchema, Problem, breaks_in
from engine.constraints.errors import NotWantedError
from engine.constraints.spec import Regex

MOST_TRIED, MOST_READ = 400, 4_000_000
"""Given values that are tried, and the characters of their documents: each is read as a whole."""
_RARE = 790_711_063
"""A number that no document holds by chance."""
_OPEN = ('"qx7zk"', "[]", "{}", '["qx7zk"]', '{"qx7zk": 0}', "{qx7zk = 0}")
"""What only a schema without a list of values takes."""
_WHOLE, _PARTS = ("7", "-7", "70", "7000"), ("0.5", "-0.5", "70.5")
_INTEGER, _NUMBER = r"-?(0|[1-9][0-9]{0,9})", r"-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,6})?"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_OLD_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})
"""Texts that readers of YAML 1.1 take for booleans."""


def scalars(
    schema: DocumentSchema, before: str, behind: str, wanted: Callable[[], bool] = lambda: True
) -> Regex | None:
    """The values that may stand in a hole, spelled; None for no value, and for no list or one that
    would take too long to find.

    A space comes first where the text before the hole lacks it. Raises NotWantedError once nobody
    waits for them.
    """
    given = list(_given(json.loads(schema.text)))
    if len(given) > min(MOST_TRIED, MOST_READ / (1 + len(before) + len(behind))):
        return None
    for lead in LEADS:
        if not _is_value(schema.language, before + lead, behind):
            continue
        problem = breaks_in(schema, before + lead, [behind])
        found = _listed(schema.language, given, partial(_fits, problem, wanted))
        return Regex(pattern=f"{lead}(?:{'|'.join(found)})") if found else None
    return None


def _is_value(language: str, before: str, behind: str) -> bool:
    """Whether a number in the hole is read as just that."""
    try:
        parts: list[Any] = list(documents(language, f"{before}{_RARE}{behind}"))
    except DataError:
        return False
    while parts:
        part = parts.pop()
        if part == _RARE:
            return True
        if isinstance(part, dict | list):
            parts.extend(part.values() if isinstance(part, dict) else part)
    return False


def _fits(problem: Problem, wanted: Callable[[], bool], text: str) -> bool:
    if not wanted():
        raise NotWantedError("nobody waits for the constraint any more")
    return problem(text) is None


def _listed(language: str, given: Sequence[Any], fits: Callable[[str], bool]) -> list[str]:
    """Patterns of the values that break nothing; none if there is a free choice."""
    if any(map(fits, _OPEN)):
        return []
    texts = [_spelled(language, value) for value in given]
    found = [re.escape(text) for text in dict.fromkeys(texts) if fits(text)]
    literals = {text for value in given if _counts(value) for text in [json.dumps(value)]}
    if any(fits(text) for text in (*_WHOLE, *_PARTS) if text not in literals):
        found.append(_NUMBER if any(map(fits, _PARTS)) else _INTEGER)
    return found


def _given(schema: Any) -> Iterator[Any]:
    """Scalars that a schema names as values, `true`, `false` and null with them."""
    yield from (True, False, None)
    open_parts = [schema]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, list):
            open_parts.extend(part)
        elif isinstance(part, dict):
            values = part.get("enum", [])
            named = [*(values if isinstance(values, list) else []), part.get("const")]
            yield from (value for value in named if isinstance(value, str | int | float))
            open_parts.extend(part.values())


def _counts(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spelled(language: str, value: Any) -> str:
    """A value as one writes it: words of YAML bare where they stay texts."""
    text = json.dumps(value, ensure_ascii=False)
    if language != "yaml" or not isinstance(value, str) or not _PLAIN.fullmatch(value):
        return text
    plain = documents("yaml", f"k: {value}") == [{"k": value}]
    return value if plain and value.lower() not in _OLD_WORDS else text

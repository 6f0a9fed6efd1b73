"""Owns the description of a constraint as a request carries it; bounded, and not compiled here."""

from typing import Literal

import msgspec

from engine.constraints.errors import InvalidConstraintError

Scope = Literal["hole", "document"]
Style = Literal["compact", "spaced", "flexible", "free"]
MAX_SOURCE = 1_048_576  # characters of a schema, grammar or pattern
MAX_CHOICES = 10_000
MAX_CHARS = 2048  # the longest text that character bounds can count


class _Spec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """What every kind shares.

    `scope` says whether the language covers the hole alone or the text around it too;
    `min_chars`, `max_chars` bound the hole's code points; `best_effort` asks for an unchecked
    result where the constraint can't be guaranteed, instead of an error.
    """

    scope: Scope = "hole"
    min_chars: int = 0
    max_chars: int | None = None
    best_effort: bool = False


class Regex(_Spec, frozen=True, kw_only=True, tag="regex"):
    """The text matches `pattern` as a whole (`re.fullmatch`)."""

    pattern: str


class Choices(_Spec, frozen=True, kw_only=True, tag="choices"):
    """The text is one of `texts`."""

    texts: tuple[str, ...]


class JsonSchema(_Spec, frozen=True, kw_only=True, tag="json_schema"):
    """The text is JSON that satisfies `schema` (itself JSON text); see README.md for spelling."""

    schema: str
    whitespace: Style | None = None  # spaced in a hole, free in a document


class Ebnf(_Spec, frozen=True, kw_only=True, tag="ebnf"):
    """The text belongs to a grammar in the EBNF of `root ::= ...` rules."""

    grammar: str
    start: str = "root"


class Lark(_Spec, frozen=True, kw_only=True, tag="lark"):
    """The text belongs to a grammar in Lark's syntax."""

    grammar: str
    start: str = "start"


class Lengths(_Spec, frozen=True, kw_only=True, tag="lengths"):
    """Any text within the character bounds."""


ConstraintSpec = Regex | Choices | JsonSchema | Ebnf | Lark | Lengths


def check_spec(spec: ConstraintSpec) -> None:
    """Raise InvalidConstraintError for a spec out of bounds."""
    _check_lengths(spec)
    for name, text in _texts(spec):
        if len(text) > MAX_SOURCE:
            raise InvalidConstraintError(f"{name} may have at most {MAX_SOURCE} characters")
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise InvalidConstraintError(f"{name} may not hold lone surrogates")
        if "\0" in text:
            raise InvalidConstraintError(f"{name} may not hold NUL characters")
    if isinstance(spec, Choices):
        if not 1 <= len(spec.texts) <= MAX_CHOICES:
            raise InvalidConstraintError(f"between 1 and {MAX_CHOICES} choices are needed")
        if sum(map(len, spec.texts)) > MAX_SOURCE:
            raise InvalidConstraintError(f"choices may have {MAX_SOURCE} characters in all")


def _check_lengths(spec: ConstraintSpec) -> None:
    high = spec.max_chars
    if spec.min_chars < 0 or (high is not None and high < spec.min_chars):
        raise InvalidConstraintError("character bounds must be 0 <= min_chars <= max_chars")
    if max(spec.min_chars, high or 0) > MAX_CHARS:
        raise InvalidConstraintError(f"character bounds above {MAX_CHARS} can't be held")
    if isinstance(spec, Lengths) and high is None and not spec.min_chars:
        raise InvalidConstraintError("a length constraint needs min_chars or max_chars")
    if (spec.min_chars or high is not None) and spec.scope == "document":
        raise InvalidConstraintError("character bounds need the scope 'hole'")


def _texts(spec: ConstraintSpec) -> list[tuple[str, str]]:
    """The free texts of a spec, with the names a person knows them by."""
    match spec:
        case Regex():
            return [("a pattern", spec.pattern)]
        case Choices():
            return [("a choice", text) for text in spec.texts]
        case JsonSchema():
            return [("a schema", spec.schema)]
        case Ebnf() | Lark():
            return [("a grammar", spec.grammar), ("a rule name", spec.start)]
    return []

"""The languages an answer can be held to: one struct a kind, told apart by `kind`."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.limits import (
    CANVAS_LIMIT,
    CHARS_LIMIT,
    CHOICE_LIMIT,
    CHOICES_LIMIT,
    GRAMMAR_LIMIT,
    REGEX_LIMIT,
    SCHEMA_LIMIT,
)

Scope = Literal["hole", "document"]
"""What the constraint speaks of: the text of the hole, or prefix + hole + suffix."""
Grammar = Annotated[str, Meta(min_length=1, max_length=GRAMMAR_LIMIT)]
Chars = Annotated[int, Meta(ge=0, le=CHARS_LIMIT)]


class ConstraintBase(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """What every kind shares. Lengths are those of the hole."""

    scope: Scope = "hole"
    min_chars: Chars | None = None
    max_chars: Chars | None = None
    exact_tokens: Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)] | None = None
    best_effort: bool = False
    """Where the language can't be guaranteed: an answer that may miss it, instead of an error."""


class Regex(ConstraintBase, frozen=True, tag="regex"):
    """The whole text matches this regular expression."""

    pattern: Annotated[str, Meta(min_length=1, max_length=REGEX_LIMIT)]


class Choices(ConstraintBase, frozen=True, tag="choices"):
    """The text is one of these."""

    choices: Annotated[
        tuple[Annotated[str, Meta(max_length=CHOICE_LIMIT)], ...],
        Meta(min_length=1, max_length=CHOICES_LIMIT),
    ]


class JsonSchema(ConstraintBase, frozen=True, tag="json_schema"):
    """The text is a JSON value that validates; `schema` is JSON text, references are local."""

    schema: Annotated[str, Meta(min_length=1, max_length=SCHEMA_LIMIT)]


class Ebnf(ConstraintBase, frozen=True, tag="ebnf"):
    """The text is a sentence of this EBNF grammar, from its rule `root` on."""

    grammar: Grammar


class Lark(ConstraintBase, frozen=True, tag="lark"):
    """The text is a sentence of this Lark grammar, from its rule `start` on."""

    grammar: Grammar


class Syntax(ConstraintBase, frozen=True, kw_only=True, tag="syntax"):
    """The document has no syntax errors, or no new ones, in this language.

    With a `schema` (JSON text; JSON, YAML and TOML only) its values keep to that too: an answer
    breaks nothing that the document wouldn't break whatever stood in the hole.
    """

    language: Annotated[str, Meta(min_length=1, max_length=64)]
    scope: Scope = "document"
    schema: Annotated[str, Meta(min_length=1, max_length=SCHEMA_LIMIT)] | None = None


class Lengths(ConstraintBase, frozen=True, tag="lengths"):
    """Any text of these lengths."""


Constraint = Regex | Choices | JsonSchema | Ebnf | Lark | Syntax | Lengths

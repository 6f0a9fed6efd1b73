"""The languages an answer can be held to: one struct a kind, told apart by `kind`."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.limits import CHOICE_LIMIT, CHOICES_LIMIT, GRAMMAR_LIMIT, REGEX_LIMIT

Scope = Literal["hole", "document"]
"""What the constraint speaks of: the text of the hole, or prefix + hole + suffix."""
Grammar = Annotated[str, Meta(min_length=1, max_length=GRAMMAR_LIMIT)]
Length = Annotated[int, Meta(ge=0, le=1_000_000)]


class Regex(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="regex"):
    """The whole text matches this regular expression."""

    pattern: Annotated[str, Meta(min_length=1, max_length=REGEX_LIMIT)]
    scope: Scope = "hole"


class Choices(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="choices"):
    """The text is one of these."""

    choices: Annotated[
        tuple[Annotated[str, Meta(max_length=CHOICE_LIMIT)], ...],
        Meta(min_length=1, max_length=CHOICES_LIMIT),
    ]
    scope: Scope = "hole"


class JsonSchema(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="json_schema"
):
    """The text is a JSON value that validates; `schema` is JSON text, references are local."""

    schema: Grammar
    scope: Scope = "hole"


class Ebnf(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="ebnf"):
    """The text is a sentence of this EBNF grammar."""

    grammar: Grammar
    scope: Scope = "hole"


class Lark(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lark"):
    """The text is a sentence of this Lark grammar."""

    grammar: Grammar
    scope: Scope = "hole"


class Syntax(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="syntax"):
    """The text has no syntax errors, or no new ones, in this language."""

    language: Annotated[str, Meta(min_length=1, max_length=64)]
    scope: Scope = "document"


class Lengths(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lengths"):
    """The text has so many characters or tokens."""

    min_chars: Length | None = None
    max_chars: Length | None = None
    exact_tokens: Annotated[int, Meta(ge=1, le=1024)] | None = None
    scope: Scope = "hole"


Constraint = Regex | Choices | JsonSchema | Ebnf | Lark | Syntax | Lengths

"""The languages that HTTP clients ask for, in the words of each dialect, as constraints."""

import msgspec
from msgspec import Struct

from engine.constraints.errors import ConstraintError
from engine.constraints.grammar.gbnf import ebnf_of
from engine.refusal import refusal
from protocol.constraint import Choices, Constraint, Ebnf, JsonSchema, Lark, Regex
from protocol.errors import ProtocolError
from protocol.limits import GRAMMAR_LIMIT

ANY_OBJECT = '{"type":"object"}'
"""What `json_object` and `json` mean."""


class Guided(Struct, frozen=True, kw_only=True):
    """Fields that every asking route takes, as other servers name them."""

    guided_regex: str | None = None
    guided_choice: tuple[str, ...] | None = None
    guided_json: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    guided_grammar: str | None = None
    best_effort: bool | None = None


class NamedSchema(Struct, frozen=True, rename={"body": "schema"}):
    """A JSON Schema as OpenAI wraps it."""

    body: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)


class ResponseFormat(Struct, frozen=True):
    """OpenAI's way to ask for JSON."""

    type: str | None = None
    json_schema: NamedSchema | None = None


def json_text(raw: msgspec.Raw) -> str | None:
    """The JSON that stood in a field; None where there was none, or null.

    ProtocolError if it is no text: what is not looked into was not decoded with the body.
    """
    try:
        text = bytes(raw).decode()
    except UnicodeDecodeError as error:
        raise ProtocolError("malformed", f"The body is not JSON: {error}") from None
    return None if text in ("", "null") else text


def schema_of(raw: msgspec.Raw) -> JsonSchema | None:
    """A schema as a JSON value, or as text that holds one."""
    text = json_text(raw)
    if text is not None and text.startswith('"'):
        text = msgspec.json.decode(text, type=str)
    return None if text is None else JsonSchema(text)


def grammar_of(text: str | None, param: str) -> Constraint | None:
    """GBNF or EBNF, which have `::=`, else Lark."""
    if not text:
        return None
    if len(text) > GRAMMAR_LIMIT:
        what = f"A grammar may have at most {GRAMMAR_LIMIT} characters."
        raise ProtocolError("too_large", what, param)
    if "::=" not in text:
        return Lark(text)
    try:
        return Ebnf(ebnf_of(text))
    except ConstraintError as error:
        raise refusal(error, param) from error


def format_of(wanted: ResponseFormat | None) -> Constraint | None:
    """What `response_format` asks for."""
    if wanted is None or wanted.type in (None, "text"):
        return None
    if wanted.type == "json_object":
        return JsonSchema(ANY_OBJECT)
    schema = schema_of(wanted.json_schema.body) if wanted.json_schema is not None else None
    if schema is None or wanted.type != "json_schema":
        text = "Ask for `json_schema` with a schema, `json_object` or `text`."
        raise ProtocolError("unsupported", text, "response_format")
    return schema


def guided_by(extra: Guided) -> Constraint | None:
    """The constraint that the guided fields ask for."""
    if extra.guided_regex is not None:
        return Regex(extra.guided_regex)
    if extra.guided_choice is not None:
        return Choices(extra.guided_choice)
    schema = schema_of(extra.guided_json)
    return schema or grammar_of(extra.guided_grammar, "guided_grammar")

"""Fills under a constraint on the tiny model, and what must be true of their ends."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from engine.client import stream
from engine.local import LocalEngine
from protocol.constraint import Choices, Constraint, Ebnf, JsonSchema, Lark, Lengths, Regex
from protocol.messages import CanvasSpec, Done, Error, Fill, Sampling, ServerMessage

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 6},
            "ok": {"type": "boolean"},
            "n": {"type": "integer", "minimum": 0, "maximum": 99},
        },
        "required": ["name", "ok"],
        "additionalProperties": False,
    }
)
KINDS: dict[str, Constraint] = {
    "regex": Regex("[a-c]{2,6}(, [a-c]{2,6}){0,2}"),
    "choices": Choices(("return x", "return y", "pass", "größer")),
    "json_schema": JsonSchema(SCHEMA),
    "ebnf": Ebnf('root ::= term ("+" term)*\nterm ::= [0-9]{1,3} | "(" root ")"'),
    "lark": Lark('start: A ("," A)*\nA: /[xy]{1,4}/\n%ignore " "'),
    "lengths": Lengths(min_chars=3, max_chars=9),
}


def fill(constraint: Constraint | None, policy: Any = "causal", **fields: Any) -> Fill:
    """A fill of one hole."""
    sampling = {"policy": policy, **fields.pop("sampling", {})}
    tokens, pinned = fields.pop("tokens", None), fields.pop("pinned", False)
    return Fill(
        id=fields.pop("name", "f"),
        prefix=fields.pop("prefix", "value = "),
        suffix=fields.pop("suffix", "\nend"),
        constraint=constraint,
        sampling=Sampling(**sampling),
        canvas=CanvasSpec(tokens=tokens, pinned=pinned),
        **fields,
    )


def heard(engine: LocalEngine, request: Fill) -> list[ServerMessage]:
    """Everything that is said of a fill."""
    return list(stream(engine, request))


def done(engine: LocalEngine, request: Fill) -> Done:
    """The end of a fill that must not fail."""
    last = heard(engine, request)[-1]
    assert isinstance(last, Done), last
    return last


def refused(engine: LocalEngine, request: Fill) -> Error:
    """The only word on a fill that can't be done."""
    (error,) = heard(engine, request)
    assert isinstance(error, Error), error
    return error


def keeps_to(constraint: Constraint, text: str) -> bool:
    """Whether a text belongs to one of KINDS, by means other than the engine's."""
    match constraint:
        case Regex(pattern=pattern):
            return re.fullmatch(pattern, text) is not None
        case Choices(choices=choices):
            return text in choices
        case JsonSchema(schema=schema):
            return jsonschema_rs.is_valid(json.loads(schema), json.loads(text))
        case Ebnf():
            return re.fullmatch(r"[0-9(][0-9()+]*", text) is not None and eval(text) >= 0
        case Lark():
            return re.fullmatch(r" *[xy]{1,4} *(, *[xy]{1,4} *)*", text) is not None
        case Lengths(min_chars=low, max_chars=high):
            return (low or 0) <= len(text) <= (high or 10**6)
    raise AssertionError(constraint)


def settled(messages: list[ServerMessage]) -> Iterator[Done]:
    """The ends among messages."""
    return (message for message in messages if isinstance(message, Done))

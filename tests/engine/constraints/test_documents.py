"""A person's half-written JSON around the hole, with the real vocabulary."""

import json

import numpy as np
import pytest

from engine.constraints.canvas import CanvasConstraint
from engine.constraints.compiling import compile_here
from engine.constraints.errors import UnsatisfiableError
from engine.constraints.limits import Limits
from engine.constraints.opening import Opening
from engine.constraints.prefix_index import PrefixIndex
from engine.constraints.spec import JsonSchema
from engine.constraints.token_dfa import TokenDFA
from tests.engine.constraints.fuzzing import row_pool
from tests.engine.constraints.vocabularies import SPECIALS, real_vocabulary

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age", "active"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def person() -> TokenDFA:
    spec = JsonSchema(schema=json.dumps(SCHEMA), scope="document")
    return compile_here(spec, real_vocabulary(), Limits(seconds=30.0))


def filled(canvas: CanvasConstraint, length: int) -> bytes:
    """A hole filled step by step from random rows."""
    vocabulary, rng = real_vocabulary(), np.random.default_rng(0)
    pool = row_pool(vocabulary, 16, seed=1)
    fixed = np.full(length, -1)
    while (fixed < 0).any():
        open_slots = np.flatnonzero(fixed < 0)
        path = canvas.step(pool[rng.integers(0, 16, len(open_slots))], fixed).sample(rng)
        fixed[open_slots[:4]] = path.tokens[open_slots[:4]]
    return b"".join(vocabulary.token_bytes[token] or b"" for token in fixed)


def judged(text: bytes) -> None:
    value = json.loads(text)
    assert list(sorted(value)) == ["active", "age", "name"]
    assert 0 <= value["age"] <= 150


def test_text_on_both_sides(person: TokenDFA) -> None:
    before = b'{\n  "active":  true,\n\n  "na'
    behind = b"0\n}\n"
    judged(before + filled(CanvasConstraint(person, SPECIALS, (before, behind)), 24) + behind)


def test_a_healed_boundary(person: TokenDFA) -> None:
    before, moved, behind = b'{"name": "x",', b' "ag', b', "active": false}'
    opening = Opening(moved, PrefixIndex(real_vocabulary().token_bytes), in_language=True)
    hole = filled(CanvasConstraint(person, SPECIALS, (before, behind), opening), 8)
    assert hole.startswith(moved)
    judged(before + hole + behind)


def test_what_is_wrong_is_said_before_the_first_step(person: TokenDFA) -> None:
    with pytest.raises(UnsatisfiableError, match=r"line 2, column 12: .*\"name\": 3"):
        CanvasConstraint(person, SPECIALS, (b'{\n   "name": 3', b"}"))
    with pytest.raises(UnsatisfiableError, match="check the text behind"):
        CanvasConstraint(person, SPECIALS, (b'{"name": "x"', b"]"))
    assert (CanvasConstraint(person, SPECIALS, (b"", b"")).least_tokens() or 0) > 5

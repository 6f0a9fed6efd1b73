"""The schema of the messages says what the codec does."""

import json

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from msgspec import Struct

from protocol.codec import JSON
from protocol.errors import ProtocolError
from protocol.messages import Delta
from protocol.schema import message_schema
from protocol.wire import shorten
from tests.protocol.strategies import DELTAS, TO_CLIENT, TO_SERVER

SCHEMA = message_schema()


def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"})


UP, DOWN = validator("ToServer"), validator("ToClient")


@given(message=TO_SERVER)
def test_what_clients_say_is_in_the_schema(message: Struct) -> None:
    UP.validate(json.loads(JSON.encode(message)))


@given(message=TO_CLIENT)
def test_what_servers_say_is_in_the_schema(message: Struct) -> None:
    DOWN.validate(json.loads(JSON.encode(message)))


@given(delta=DELTAS)
def test_cell_frames_are_in_the_schema(delta: Delta) -> None:
    frame = json.loads(JSON.encode(shorten(delta, 1, with_confidence=True)))
    DOWN.validate(frame)
    titles = [place["title"] for place in SCHEMA["$defs"]["CellFrame"]["prefixItems"]]
    named = dict(zip(titles, frame, strict=True))
    assert named["type"] == "d"
    assert named["cells"] == list(delta.cells)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "cancel"},
        {"type": "cancel", "id": ""},
        {"type": "cancel", "id": "a b"},
        {"type": "cancel", "id": "a", "more": 1},
        {"type": "fill", "id": "a", "prefix": "", "suffix": "", "alternatives": 9},
        {"type": "fill", "id": "a", "prefix": "", "suffix": "", "shape": "round"},
        {"type": "revise", "id": "a", "base_seq": 0, "ops": []},
        {"type": "nothing"},
        [],
    ],
)
def test_what_the_codec_refuses_is_not_in_the_schema(body: object) -> None:
    assert not UP.is_valid(body)
    with pytest.raises(ProtocolError):
        JSON.decode_to_server(msgspec.json.encode(body))

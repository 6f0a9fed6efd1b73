"""The JSON Schema of infill.v1, made from the structs: what each side may say, in one document."""

from typing import Any, get_args

import msgspec

from protocol.messages import ToClient, ToServer
from protocol.wire import CellFrame

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def components(kinds: tuple[type, ...], template: str) -> dict[str, Schema]:
    """The schema of every struct that `kinds` are made of; array frames name their places."""
    _, found = msgspec.json.schema_components(kinds, ref_template=template)
    if CellFrame.__name__ in found:
        names = ["type", *CellFrame.__struct_fields__]
        places = found[CellFrame.__name__]["prefixItems"]
        for name, place in zip(names, places, strict=True):
            place["title"] = name
    return found


def message_schema() -> Schema:
    """One document: `ToServer` and `ToClient` are the frames of each direction."""
    up, down = get_args(ToServer), (*get_args(ToClient), CellFrame)
    template = "#/$defs/{name}"
    return {
        "$schema": DIALECT,
        "$id": "urn:retouch:infill.v1",
        "title": "infill.v1",
        "description": "Frames of the WebSocket /v1/infill. A frame is one JSON value in a text "
        "message (subprotocol infill.v1.json) or the same value as MessagePack in a binary "
        "message (infill.v1.msgpack). Clients ignore unknown types and unknown fields.",
        "$defs": {
            "ToServer": {"anyOf": [_ref(kind, template) for kind in up]},
            "ToClient": {"anyOf": [_ref(kind, template) for kind in down]},
            **components((*up, *down), template),
        },
    }


def _ref(kind: type, template: str) -> Schema:
    return {"$ref": template.format(name=kind.__name__)}

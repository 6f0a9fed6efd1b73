"""The published documents: up to date, complete, and enough to write a client from."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from engine.server.app import ROUTES
from engine.server.schemas import OPERATIONS, asyncapi, documents, main, text_of
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.running import Running

PUBLISHED = Path(__file__).parent.parent.parent.parent / "protocol" / "schemas"


@pytest.mark.parametrize("name", sorted(documents()))
def test_what_is_published_is_what_is_true(name: str, server: Running) -> None:
    text = (PUBLISHED / name).read_text("utf-8")
    assert text == text_of(documents()[name]), (
        "run python -m engine.server.schemas protocol/schemas"
    )
    with httpx.Client(trust_env=False, verify=False) as client:
        assert client.get(f"{server.http}/schema/{name}").json() == json.loads(text)
        assert client.get(f"{server.http}/schema/other.json").status_code == 404


def test_the_documents_can_be_written(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == set(documents())


def test_every_route_is_described() -> None:
    described = {(op.method, op.path) for op in OPERATIONS}
    served = set()
    for route in ROUTES:
        for path in route.paths:
            for method in getattr(route, "http_methods", ()):
                served.add((method.lower(), path))
    served.discard(("get", "/schema/{name:str}"))
    served |= {("get", f"/schema/{name}") for name in documents()}
    assert described == served


def test_references_lead_somewhere() -> None:
    def references(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [ref for inner in value.values() for ref in references(inner)]
        if isinstance(value, list):
            return [ref for inner in value for ref in references(inner)]
        return []

    for document in documents().values():
        for reference in references(document):
            place: Any = document
            for name in reference.removeprefix("#/").split("/"):
                place = place[name]
    assert set(asyncapi()["operations"]) == {"toServer", "toClient"}


class Stranger:
    """A client that knows the published schema and nothing of our code."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.up, self.down = self._validator("ToServer"), self._validator("ToClient")
        frame = schema["$defs"]["CellFrame"]["prefixItems"]
        self.places = [place["title"] for place in frame]

    def _validator(self, name: str) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator({**self.schema, "$ref": f"#/$defs/{name}"})

    def written(self, **message: Any) -> str:
        self.up.validate(message)
        return json.dumps(message)

    def read(self, text: str | bytes) -> dict[str, Any]:
        value = json.loads(text)
        self.down.validate(value)
        if isinstance(value, list):
            return dict(zip(self.places, value, strict=False))
        assert isinstance(value, dict)
        return value

    async def fill(self, url: str, prefix: str) -> tuple[str, str]:
        """The text of the canvas as frames told it, and the answer."""
        async with connect(url, subprotocols=[Subprotocol("infill.v1.json")], proxy=None) as line:
            await line.send(self.written(type="hello", v=[1], client={"name": "stranger"}))
            assert self.read(await line.recv())["type"] == "welcome"
            await line.send(self.written(type="fill", id="1", prefix=prefix, suffix=""))
            cells: list[str | None] = []
            while (message := self.read(await line.recv()))["type"] != "done":
                if message["type"] == "accepted":
                    cells = [None] * message["canvas_tokens"]
                    continue
                for slot, cell in zip(message["slots"], message["cells"], strict=True):
                    cells[slot] = cell
                await line.send(self.written(type="ack", id="1", seq=message["seq"]))
            return "".join(cell or "" for cell in cells), message["text"]


def test_a_client_written_from_the_schema_alone_works(server: Running) -> None:
    schema = json.loads((PUBLISHED / "infill.v1.json").read_text("utf-8"))
    shown, text = asyncio.run(Stranger(schema).fill(server.ws, "def f():"))
    assert shown == text == ANSWER

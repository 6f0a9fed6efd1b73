"""Calls to a running server, as the clients of its HTTP routes make them."""

import json
from typing import Any

import httpx

from protocol.messages import Fill
from tests.engine.server.running import Running


def post(server: Running, path: str, body: object, **headers: str) -> httpx.Response:
    with httpx.Client(trust_env=False, verify=False, timeout=30) as client:
        return client.post(server.http + path, json=body, headers=headers)


def get(server: Running, path: str) -> Any:
    with httpx.Client(trust_env=False, verify=False, timeout=30) as client:
        return client.get(server.http + path).raise_for_status().json()


def events(answer: httpx.Response) -> list[dict[str, Any]]:
    """The JSON of every event; the last must be the mark of the end."""
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [block for block in answer.text.split("\n\n") if block]
    assert blocks.pop() == "data: [DONE]"
    return [json.loads(block.removeprefix("data: ")) for block in blocks]


def last_fill(server: Running) -> Fill:
    fill = [message for message in server.hub.asked if isinstance(message, Fill)][-1]
    return fill

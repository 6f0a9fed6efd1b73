"""Fills of several holes, and what an engine says to them."""

from typing import Any

from engine.client import stream
from engine.local import LocalEngine
from protocol.messages import Cancel, Done, Fill, Sampling, ServerMessage
from protocol.requests import NextHole


def fill(*betweens: str, policy: Any = "threshold", name: str = "f1", **fields: Any) -> Fill:
    holes = tuple(NextHole(text) for text in betweens or ("\n    y = ", "\n    z = "))
    fields.setdefault("sampling", Sampling(policy=policy))
    return Fill(
        name,
        fields.pop("prefix", "def f():\n    x = "),
        fields.pop("suffix", "\nend"),
        **{"holes": holes, **fields},
    )


def heard(engine: LocalEngine, *requests: Fill | Cancel) -> list[ServerMessage]:
    for request in requests:
        engine.send(request)
    return list(iter(engine.receive, None))


def done(engine: LocalEngine, request: Fill) -> Done:
    *_, last = stream(engine, request)
    assert isinstance(last, Done), last
    return last

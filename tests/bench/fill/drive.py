"""Sends many fills through an EngineClient, several under way at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice

from engine.client import EngineClient
from protocol.messages import Done, Error, Fill


def fill_all(client: EngineClient, fills: Iterable[Fill], in_flight: int) -> Iterator[Done | Error]:
    """The ends of `fills`, in the order they end; a new fill starts when one is over."""
    waiting = iter(fills)
    for fill in islice(waiting, in_flight):
        client.send(fill)
    while (message := client.receive()) is not None:
        if isinstance(message, Done | Error):
            for fill in islice(waiting, 1):
                client.send(fill)
            yield message


def fill_one(client: EngineClient, fill: Fill) -> Done:
    """The end of a fill that runs alone; RuntimeError if the engine refuses it."""
    (end,) = fill_all(client, [fill], 1)
    if isinstance(end, Error):
        raise RuntimeError(f"{end.code}: {end.message}")
    return end

"""How the holes of one text are filled: together, one after another, or each as if alone."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.client import EngineClient
from protocol.messages import CanvasSpec, Fill, Sampling
from protocol.requests import NextHole
from protocol.values import PolicyName
from tests.bench.fill.drive import fill_one
from tests.bench.fill.lengths import OracleLength
from tests.bench.holes.names import Named


@dataclass(frozen=True, slots=True)
class Filled:
    """The names that were put in, and the forward passes they took."""

    names: tuple[str, ...]
    forwards: int


def together(
    client: EngineClient, item: Named, policy: PolicyName, lengths: OracleLength
) -> Filled:
    """One request; a canvas policy denoises all holes at once, a causal one goes from the left."""
    sizes = [_size(item, number, [item.name] * number, lengths) for number in _holes(item)]
    fill = Fill(
        "bench",
        item.pieces[0],
        item.pieces[-1],
        shape="span",
        canvas=sizes[0],
        sampling=Sampling(policy=policy),
        holes=tuple(
            NextHole(before, "span", canvas=size)
            for before, size in zip(item.pieces[1:-1], sizes[1:], strict=True)
        ),
    )
    end = fill_one(client, fill)
    return Filled(end.holes, end.stats.forwards)


def in_turn(client: EngineClient, item: Named, policy: PolicyName, lengths: OracleLength) -> Filled:
    """From the left: each hole sees the answers before it."""
    names: list[str] = []
    forwards = 0
    for number in _holes(item):
        name, cost = _one(client, item, number, names, policy, lengths)
        names, forwards = [*names, name], forwards + cost
    return Filled(tuple(names), forwards)


def apart(client: EngineClient, item: Named, policy: PolicyName, lengths: OracleLength) -> Filled:
    """Each hole as if the others stood empty."""
    found = [_one(client, item, number, [""] * number, policy, lengths) for number in _holes(item)]
    return Filled(tuple(name for name, _ in found), sum(cost for _, cost in found))


def _holes(item: Named) -> range:
    return range(len(item.pieces) - 1)


def _one(
    client: EngineClient,
    item: Named,
    number: int,
    names: list[str],
    policy: PolicyName,
    lengths: OracleLength,
) -> tuple[str, int]:
    prefix, suffix = _sides(item, number, names)
    size = _size(item, number, names, lengths)
    sampling = Sampling(policy=policy)
    end = fill_one(client, Fill("bench", prefix, suffix, "span", canvas=size, sampling=sampling))
    return end.text, end.stats.forwards


def _sides(item: Named, number: int, names: list[str]) -> tuple[str, str]:
    """The text before a hole with these names in the holes before it, and the text behind it."""
    pairs = zip(item.pieces[:number], names, strict=True)
    before = "".join(piece + name for piece, name in pairs)
    return before + item.pieces[number], "".join(item.pieces[number + 1 :])


def _size(item: Named, number: int, names: list[str], lengths: OracleLength) -> CanvasSpec:
    """The true length of a hole."""
    prefix, suffix = _sides(item, number, names)
    return CanvasSpec(lengths.tokens(prefix, item.name, suffix), pinned=True)


Fills = Callable[[EngineClient, Named, PolicyName, OracleLength], Filled]
ARMS: dict[str, tuple[Fills, PolicyName]] = {
    "canvas, together": (together, "margin"),
    "canvas, in turn": (in_turn, "margin"),
    "canvas, apart": (apart, "margin"),
    "causal, in turn": (in_turn, "causal"),
    "causal, apart": (apart, "causal"),
}

"""The frozen list of held-out holes, and the canvas reading's likelihoods on it."""

import hashlib
import random
from collections import Counter
from dataclasses import dataclass

import msgspec
import torch

from models.config import ModelConfig
from models.tokenizer import Tokenizer
from models.training.head import HeadLoss
from models.training.kernels import applied
from models.training.masks import Specials, canvas, show, slot
from models.training.network import Network
from models.training.pack import REAL, TAIL, Hole, Item, Segment, pack
from models.training.shards import Shard
from models.training.spans import draw
from models.training.window import Window

RATES = (1.0, 0.5, 0.15)
BATCH = 8


class HeldSpan(msgspec.Struct, frozen=True):
    """One hole: tokens before it, its own, and those behind it, cut on healed boundaries."""

    path: str
    prefix: list[int]
    hole: list[int]
    suffix: list[int]


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """Mean NLL in nats: per real token by mask rate; `tail`, per EOS or PAD at rate 1."""

    nll: dict[str, float]
    tokens: int


def held_spans(shard: Shard, tokenizer: Tokenizer, count: int, before: int) -> list[HeldSpan]:
    """The first `count` holes of a fixed random walk, with `before` tokens in front."""
    rng = random.Random(20_241)
    spans: list[HeldSpan] = []
    longest = 47
    while len(spans) < count:
        number = rng.randrange(len(shard))
        length = int(shard.documents[number]["length"])
        if length < before + 64:
            continue
        start = rng.randrange(length - before - 63)
        window = Window(shard.ids(number, start, start + before + 192), tokenizer)
        span = draw(window.text, window.starts[before], rng)
        cut = None if span is None else window.cut(*span)
        if span is None or cut is None or not 1 <= len(cut[1]) <= longest or cut[0] < before:
            continue
        suffix = window.behind(span[1], 128) or []
        first = max(0, cut[0] - before)
        spans.append(HeldSpan(shard.path(number), window.ids[first : cut[0]], cut[1], suffix))
    return spans


def digest(spans: list[HeldSpan]) -> str:
    """SHA-256 of the list, so that figures name what they were measured on."""
    return hashlib.sha256(msgspec.json.encode(spans)).hexdigest()


@torch.no_grad()
def canvas_nll(network: Network, spans: list[HeldSpan], config: ModelConfig) -> Likelihoods:
    """NLL of the real tokens that are masked, at each rate; masks are the same at every call."""
    sums: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for at in range(0, len(spans), BATCH):
        for rate in RATES:
            items = [
                _item(span, rate, at + n, config) for n, span in enumerate(spans[at : at + BATCH])
            ]
            packed = pack(items).to(network.special_rows.device, network.base.embedding.dtype)
            hidden = network.canvas(packed, network.context(packed))
            head = (network.base.embedding, network.special_ids)
            _, each = applied(
                HeadLoss, hidden, network.special_rows, head, packed.targets, packed.weights
            )
            kinds = {f"{rate:g}": REAL} | ({"tail": TAIL} if rate == 1 else {})
            for name, kind in kinds.items():
                sums[name] += each[packed.kinds == kind].sum().item()
                counts[name] += int((packed.kinds == kind).sum())
    return Likelihoods({name: sums[name] / counts[name] for name in sums}, counts["1"])


def _item(span: HeldSpan, rate: float, number: int, config: ModelConfig) -> Item:
    """One slot with every row masked at `rate`, in a seeded bucket."""
    rng, layout = random.Random(number * 1000 + int(rate * 100)), config.layout
    specials = Specials(config.eos_id, config.pad_id, config.mask_id)
    filled = canvas(span.hole, specials, rng)
    hidden = [rng.random() < rate for _ in filled.ids]
    text = [config.separator_id, *span.prefix]
    suffix = span.suffix[: layout.suffix_limit]
    segments = [
        Segment(text, list(layout.prefix(len(text)))),
        Segment(suffix, list(layout.suffix(len(suffix)))),
    ]
    positions = list(layout.canvas(len(text), len(filled.ids)))
    one = slot([text[-1]], [show(filled, hidden, {}, specials)])
    return Item(segments, [Hole([(1, 0, len(suffix)), (0, 0, len(text))], positions, [0], [one])])

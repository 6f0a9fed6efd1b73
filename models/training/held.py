"""The frozen list of held-out holes, and the canvas reading's likelihoods on it."""

import hashlib
import random
from dataclasses import dataclass

import msgspec
import torch

from models.config import ModelConfig
from models.tokenizer import Tokenizer
from models.training.head import HeadLoss
from models.training.kernels import applied
from models.training.masks import Canvas, Specials, canvas, causal_slot, show, slot
from models.training.network import Network
from models.training.pack import REAL, Hole, Item, Pack, Segment, Slot, pack
from models.training.shards import Shard
from models.training.spans import PATIENCE, draw
from models.training.window import Window

RATES = (1.0, 0.5, 0.15)
NAMES = [*(f"{rate:g}" for rate in RATES), "tail"]
BATCH = 8
LONGEST = 47


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
    """The first `count` holes of a fixed random walk, with `before` tokens in front.

    ValueError where the documents are too short for that, or hold nothing to draw.
    """
    rng = random.Random(20_241)
    spans: list[HeldSpan] = []
    least, misses = before + 64, 0
    if not (shard.documents["length"] >= least).any():
        raise ValueError(f"No held-out document has the {least} tokens that a hole needs.")
    while len(spans) < count:
        number = rng.randrange(len(shard))
        if int(shard.documents[number]["length"]) < least:
            continue
        span = _held_span(shard, number, tokenizer, before, rng)
        misses = 0 if span else misses + 1
        if misses > PATIENCE:
            raise ValueError(f"{misses} draws from held-out documents gave no hole.")
        spans += [span] if span else []
    return spans


def _held_span(
    shard: Shard, number: int, tokenizer: Tokenizer, before: int, rng: random.Random
) -> HeldSpan | None:
    """A hole somewhere in document `number`, if what is drawn there is one."""
    start = rng.randrange(int(shard.documents[number]["length"]) - before - 63)
    window = Window(shard.ids(number, start, start + before + 192), tokenizer)
    span = draw(window.text, window.starts[before], rng)
    cut = None if span is None else window.cut(*span)
    if span is None or cut is None or not 1 <= len(cut[1]) <= LONGEST or cut[0] < before:
        return None
    suffix = window.behind(span[1], 128) or []
    first = max(0, cut[0] - before)
    return HeldSpan(shard.path(number), window.ids[first : cut[0]], cut[1], suffix)


def digest(spans: list[HeldSpan]) -> str:
    """SHA-256 of the list, so that figures name what they were measured on."""
    return hashlib.sha256(msgspec.json.encode(spans)).hexdigest()


@torch.no_grad()
def canvas_nll(network: Network, spans: list[HeldSpan], config: ModelConfig) -> Likelihoods:
    """NLL of the real tokens that are masked, at each rate; masks are the same at every call."""
    return _likelihoods(network, [_item(span, n, config) for n, span in enumerate(spans)], NAMES)


@torch.no_grad()
def causal_nll(network: Network, spans: list[HeldSpan], config: ModelConfig) -> Likelihoods:
    """NLL of each hole's tokens from left to right (`causal`), and of the end mark (`tail`)."""
    names = ["causal", "tail"]
    return _likelihoods(network, [_causal_item(span, config) for span in spans], names)


@torch.no_grad()
def slot_nll(network: Network, spans: list[HeldSpan], config: ModelConfig) -> list[torch.Tensor]:
    """[L] of each hole's tokens, every slot masked."""
    return [_first(network, _item(span, n, config)) for n, span in enumerate(spans)]


def _first(network: Network, item: Item) -> torch.Tensor:
    packed, each = _each(network, [item])
    return each[packed.kinds == 0]


def _likelihoods(network: Network, found: list[Item], names: list[str]) -> Likelihoods:
    """Means of the loss rows' cross entropies by kind; kind k is names[k]."""
    sums, counts = torch.zeros(len(names)), torch.zeros(len(names))
    for at in range(0, len(found), BATCH):
        packed, each = _each(network, found[at : at + BATCH])
        kinds = packed.kinds.cpu()
        sums.index_add_(0, kinds, each.cpu())
        counts.index_add_(0, kinds, torch.ones(len(kinds)))
    means = (sums / counts.clamp(min=1)).tolist()
    return Likelihoods(dict(zip(names, means, strict=True)), int(counts[0]))


def _each(network: Network, items: list[Item]) -> tuple[Pack, torch.Tensor]:
    """The pass, and its loss rows' cross entropies."""
    packed = pack(items).to(network.special_rows.device, network.base.embedding.dtype)
    hidden = network.canvas(packed, network.context(packed))
    head = (network.base.embedding, network.special_ids)
    targets, weights = packed.targets, packed.weights
    _, each = applied(HeadLoss, hidden, network.special_rows, head, targets, weights)
    return packed, each


def _item(span: HeldSpan, number: int, config: ModelConfig) -> Item:
    """One slot a rate, each row masked at that rate; kinds number the figures in NAMES."""
    rng = random.Random(number)
    specials = Specials(config.eos_id, config.pad_id, config.mask_id)
    filled = canvas(span.hole, specials, rng)
    slots, anchor = [], (span.prefix or [config.separator_id])[-1]
    for figure, rate in enumerate(RATES):
        hidden = [rng.random() < rate for _ in filled.ids]
        shown, losses = show(filled, hidden, {}, specials)
        kept = [
            (row, target, 1.0, figure if kind == REAL else len(RATES))
            for row, target, _, kind in losses
            if kind == REAL or rate == 1
        ]
        slots.append(slot([anchor], [(shown, kept)]))
    return _between(span, filled, slots, config)


def _causal_item(span: HeldSpan, config: ModelConfig) -> Item:
    """The hole's tokens and its end mark, from left to right."""
    specials = Specials(config.eos_id, config.pad_id, config.mask_id)
    filled = canvas(span.hole, specials, random.Random(0))
    anchor = (span.prefix or [config.separator_id])[-1]
    return _between(span, filled, [slot([anchor], [causal_slot(filled)])], config, causal=True)


def _between(
    span: HeldSpan, filled: Canvas, slots: list[Slot], config: ModelConfig, causal: bool = False
) -> Item:
    """The slots behind the span's prefix, its suffix in sight."""
    layout = config.layout
    text, suffix = [config.separator_id, *span.prefix], span.suffix[: layout.suffix_limit]
    segments = [
        Segment(text, list(layout.prefix(len(text)))),
        Segment(suffix, list(layout.suffix(len(suffix)))),
    ]
    positions = list(layout.canvas(len(text), len(filled.ids)))
    seen = [(1, 0, len(suffix)), (0, 0, len(text))]
    return Item(segments, [Hole(seen, positions, [0], slots, causal)])

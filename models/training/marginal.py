"""How much can be known of a slot when no other is seen? `python -m models.training.marginal`.

Arguments: MODEL SHARDS [HOLES]. With all slots masked the best guess at slot k is the mean of
p(token k | the tokens before it) over the texts that may stand before it. The causal reading draws
such texts, so this says what it knows of each slot; a canvas of the same base can hardly know more.
With few texts the figure is somewhat too high (it is the logarithm of a mean).
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from models.loader import load, read_config
from models.tokenizer import read_tokenizer
from models.training.adapters import read_network
from models.training.evaluate import read_sides
from models.training.held import HeldSpan, digest, held_spans, slot_nll
from models.training.shards import open_shard
from models.transformer import Pass, RowGroup, RowKind, Transformer

TEXTS = 32
CONTEXT = 200
PLACES = ((0, 1), (1, 2), (2, 4), (4, 8), (8, 16), (16, 48))


@dataclass(frozen=True, slots=True)
class Figures:
    """NLL in nats of every true token of a hole by its slot: three ways to guess it."""

    told: Tensor  # [L] the causal reading, with the true tokens before it
    drawn: Tensor  # [L] the mean over texts that it draws
    canvas: Tensor  # [L] the canvas reading, all slots masked


@torch.inference_mode()
def drawn_nll(transformer: Transformer, span: HeldSpan, texts: int, seed: int) -> Tensor:
    """[L] of `texts` texts drawn from the causal reading; one text: the true one, told."""
    config = transformer.config
    context, last = read_sides(transformer, span)
    stores = [transformer.new_key_values() for _ in range(texts)]
    chance = torch.Generator().manual_seed(seed)
    ids, found = torch.full((texts,), last), []
    start, ended = config.layout.anchor(1 + len(span.prefix)), torch.zeros(texts, dtype=torch.bool)
    for slot, true in enumerate(span.hole):
        at = max(0, slot - 1)  # the anchor's key is in the prefix
        groups = tuple(
            RowGroup(row, row + 1, (*context, (store, at)), store, at=at, skip=int(slot == 0))
            for row, store in enumerate(stores)
        )
        step = Pass(ids, torch.full((texts,), start + slot), texts, groups, causal=0)
        logs = transformer.logits(transformer.forward(step), RowKind.CAUSAL).log_softmax(-1)
        known = logs[:, true].exp().masked_fill(ended, 0.0)
        found.append(-known.mean().clamp(min=1e-9).log())
        ids = torch.multinomial(logs.exp(), 1, generator=chance)[:, 0]
        ids = torch.full((1,), true) if texts == 1 else ids
        ended |= ids == config.eos_id
    return torch.stack(found)


def measure(folder: Path, shards: Path, count: int) -> tuple[list[Figures], str]:
    """Figures of the frozen holes, and the hash of their list."""
    config = read_config(folder)
    held, tokenizer = open_shard(shards / "held", folder), read_tokenizer(folder, config)
    spans = held_spans(held, tokenizer, count, CONTEXT)
    transformer = load(folder, torch.bfloat16, torch.device("cpu")).transformer
    canvas = slot_nll(read_network(folder, config), spans, config)
    found = []
    for number, (span, masked) in enumerate(zip(spans, canvas, strict=True)):
        told = drawn_nll(transformer, span, 1, number)
        found.append(Figures(told, drawn_nll(transformer, span, TEXTS, number), masked))
        print(f"{number + 1}/{len(spans)}", end="\r", file=sys.stderr, flush=True)
    return found, digest(spans)


def table(found: list[Figures]) -> str:
    """Means by slot and over all tokens."""
    lines = ["| slots | tokens | told | drawn | canvas |", "|---|---|---|---|---|"]
    for first, stop in (*PLACES, (0, 48)):
        parts = [
            torch.cat([way[first:stop] for way in ways])
            for ways in zip(*((f.told, f.drawn, f.canvas) for f in found), strict=True)
        ]
        means = " | ".join(f"{float(part.mean()):.3f}" for part in parts)
        lines.append(f"| {first} to {stop - 1} | {len(parts[0])} | {means} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    torch.set_num_threads(1)
    wanted = int(sys.argv[3]) if len(sys.argv) == 4 else 96
    figures, list_hash = measure(Path(sys.argv[1]), Path(sys.argv[2]), wanted)
    print(table(figures), f"list {list_hash[:12]}", sep="\n")

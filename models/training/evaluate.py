"""Held-out likelihoods: `python -m models.training.evaluate MODEL SHARDS OUT.json [COUNT]`.

NLL of both readings on frozen holes of held-out packages, at several lengths of context. Finished
parts are kept in OUT and not measured again. Figures carry the list's hash and the checkpoint's,
and the commit that they were made under.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from models.checkpoint import fingerprint
from models.config import read_json
from models.keyvalues import KeyValues
from models.loader import load, read_config
from models.tokenizer import read_tokenizer
from models.training.adapters import read_network
from models.training.held import HeldSpan, canvas_nll, digest, held_spans
from models.training.shards import open_shard
from models.transformer import Pass, RowGroup, RowKind, Transformer

CONTEXTS = (200, 1000, 4000)
Context = tuple[tuple[KeyValues, int], ...]


@torch.inference_mode()
def causal_figures(transformer: Transformer, spans: list[HeldSpan]) -> dict[str, float]:
    """Mean NLL per token of the causal reading with prefix and suffix given, and of the end mark.

    `base` is the same without the causal adapters, where the checkpoint has some.
    """
    figures = {}
    adapted = transformer.causal is not transformer.base
    for name, kind in (("causal", RowKind.CAUSAL), *([("base", RowKind.BASE)] if adapted else [])):
        each = [_told_nll(transformer, span, kind) for span in spans]
        tokens = torch.cat([nll[:-1] for nll in each])
        figures[name] = float(tokens.sum()) / max(1, len(tokens))
        figures[f"{name} end"] = float(sum(nll[-1] for nll in each)) / max(1, len(spans))
    return figures


def _told_nll(transformer: Transformer, span: HeldSpan, kind: RowKind) -> Tensor:
    """[L + 1] of a hole's tokens by rows of one kind, those before each given, and of its end."""
    context, last = read_sides(transformer, span)
    ids, layout = [last, *span.hole], transformer.config.layout
    group = RowGroup(0, len(ids), context, transformer.new_key_values(), skip=1)
    positions = torch.tensor(layout.canvas(1 + len(span.prefix), len(span.hole)))
    causal = 0 if kind is RowKind.CAUSAL else None
    step = Pass(torch.tensor(ids), positions, len(ids), (group,), causal)
    logs = transformer.logits(transformer.forward(step), kind).log_softmax(-1)
    targets = torch.tensor([*span.hole, transformer.config.eos_id])
    return -logs.gather(1, targets[:, None])[:, 0]


@torch.inference_mode()
def read_sides(transformer: Transformer, span: HeldSpan) -> tuple[Context, int]:
    """What stands on both sides of a hole, read once, and the last token before it."""
    config, layout = transformer.config, transformer.config.layout
    text, behind = [config.separator_id, *span.prefix], span.suffix[: layout.suffix_limit]
    sides = ((text, layout.prefix(len(text))), (behind, layout.suffix(len(behind))))
    return tuple((_read(transformer, *side), len(side[0])) for side in sides), text[-1]


def _read(transformer: Transformer, ids: list[int], positions: range) -> KeyValues:
    store = transformer.new_key_values()
    if ids:
        group = RowGroup(0, len(ids), (), store)
        step = Pass(torch.tensor(ids), torch.tensor(positions), len(ids), (group,))
        transformer.forward(step)
    return store


def evaluate(folder: Path, shards: Path, out: Path, count: int) -> dict[str, Any]:
    """All figures of the model in `folder`; written to `out` after each part."""
    results: dict[str, Any] = read_json(out) if out.exists() else {}
    config, weights = read_config(folder), fingerprint(folder)
    tokenizer, held = read_tokenizer(folder, config), open_shard(shards / "held", folder)
    network = read_network(folder, config)
    transformer = load(folder, torch.bfloat16, torch.device("cpu")).transformer
    for before in CONTEXTS:
        spans = held_spans(held, tokenizer, max(8, count * CONTEXTS[0] // before), before)
        name = f"{before}-{digest(spans)[:12]}-{weights}"
        if name in results:
            continue
        result = canvas_nll(network, spans, config)
        nll = result.nll | causal_figures(transformer, spans)
        about = {"commit": _commit(), "holes": len(spans), "tokens": result.tokens}
        results[name] = {"nll": nll, **about}
        out.write_bytes(msgspec.json.format(msgspec.json.encode(results)))
    return results


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    here = Path(__file__).parent
    done = subprocess.run(command, cwd=here, check=False, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    torch.set_num_threads(1)
    model, data, target = (Path(argument) for argument in sys.argv[1:4])
    print(evaluate(model, data, target, int(sys.argv[4]) if len(sys.argv) == 5 else 200))

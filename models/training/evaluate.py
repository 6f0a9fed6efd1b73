"""Held-out likelihoods: `python -m models.training.evaluate MODEL SHARDS OUT.json [COUNT]`.

NLL of both readings on frozen holes of held-out packages, at several lengths of context. Finished
parts are kept in OUT and not measured again. Figures carry the list's hash and the checkpoint's.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import torch

from models.checkpoint import fingerprint
from models.config import ModelConfig, read_json
from models.loader import load, read_config
from models.tokenizer import read_tokenizer
from models.training.adapters import read_network
from models.training.held import HeldSpan, canvas_nll, digest, held_spans
from models.training.shards import Shard
from models.transformer import Pass, RowGroup, RowKind, Transformer

CONTEXTS = (200, 1000, 4000)


@torch.inference_mode()
def causal_figures(
    transformer: Transformer, spans: list[HeldSpan], config: ModelConfig
) -> dict[str, float]:
    """Mean NLL per token of the causal reading with prefix and suffix given, and of the end mark.

    `base` is the same without the causal adapters, where the checkpoint has some.
    """
    figures = {}
    adapted = transformer.causal is not transformer.base
    for name, kind in (("causal", RowKind.CAUSAL), *([("base", RowKind.BASE)] if adapted else [])):
        figures[name], figures[f"{name} end"] = _causal_nll(transformer, spans, config, kind)
    return figures


def _causal_nll(
    transformer: Transformer, spans: list[HeldSpan], config: ModelConfig, kind: RowKind
) -> tuple[float, float]:
    """Per token of the hole, and per end mark, by rows of one kind."""
    total = end = count = 0.0
    for span in spans:
        prefix, suffix = transformer.new_key_values(), transformer.new_key_values()
        text, layout = [config.separator_id, *span.prefix], config.layout
        behind = span.suffix[: layout.suffix_limit]
        _store(transformer, text, layout.prefix(len(text)), prefix)
        _store(transformer, behind, layout.suffix(len(behind)), suffix)
        rows = [text[-1], *span.hole]
        context = ((prefix, len(text)), (suffix, len(behind)))
        group = RowGroup(0, len(rows), context, transformer.new_key_values(), skip=1)
        positions = torch.tensor(layout.canvas(len(text), len(rows) - 1))
        causal = 0 if kind is RowKind.CAUSAL else None
        step = Pass(torch.tensor(rows), positions, len(rows), (group,), causal)
        logs = transformer.logits(transformer.forward(step), kind).log_softmax(-1)
        total -= float(logs[:-1].gather(1, torch.tensor(span.hole)[:, None]).sum())
        end -= float(logs[-1, config.eos_id])
        count += len(span.hole)
    return total / max(1.0, count), end / max(1, len(spans))


def _store(transformer: Transformer, ids: list[int], positions: range, store: Any) -> None:
    if ids:
        group = RowGroup(0, len(ids), (), store)
        step = Pass(torch.tensor(ids), torch.tensor(positions), len(ids), (group,))
        transformer.forward(step)


def evaluate(folder: Path, shards: Path, out: Path, count: int) -> dict[str, Any]:
    """All figures of the model in `folder`; written to `out` after each part."""
    results: dict[str, Any] = read_json(out) if out.exists() else {"commit": _commit()}
    config, weights = read_config(folder), fingerprint(folder)
    tokenizer, held = read_tokenizer(folder, config), Shard(shards / "held")
    network = read_network(folder, config)
    transformer = load(folder, torch.bfloat16, torch.device("cpu")).transformer
    for before in CONTEXTS:
        spans = held_spans(held, tokenizer, max(8, count * CONTEXTS[0] // before), before)
        name = f"{before}-{digest(spans)[:12]}-{weights}"
        if name in results:
            continue
        result = canvas_nll(network, spans, config)
        nll = result.nll | causal_figures(transformer, spans, config)
        results[name] = {"nll": nll, "holes": len(spans), "tokens": result.tokens}
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

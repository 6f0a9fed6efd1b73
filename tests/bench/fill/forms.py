"""What each form of the weights costs: time of a pass's products, nats a token on true lines."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from models.checkpoint import read_part
from models.groups import find_groups
from models.linear import DenseLinear, EightBit, FourBit, Linear, PackedLinear
from models.loader import Model, load
from models.matrix import Matrix, eight_bit, join
from models.transformer import Transformer
from models.weights import JOINED, Layer, RawLayer
from tests.bench.common.stats import mean, percentile
from tests.bench.fill.context import line_nll
from tests.bench.fill.heldout import Place

ROWS = (1, 4, 16, 64, 256)
WARM_UP, REPEATS = 2, 15
CONTEXT = 300
MIB = 1 << 20
Weights = dict[str, Matrix]
Linears = dict[str, Linear]


@dataclass(frozen=True, slots=True)
class Form:
    """How a weight is kept and multiplied; `make` gives None for a weight that has no such form."""

    bits: float
    make: Callable[[Matrix], Linear | None]
    dtype: torch.dtype = torch.bfloat16


def _eight(weight: Matrix) -> Linear:
    if weight.scale is None:
        return EightBit(*eight_bit(weight.dense()))
    return EightBit(weight.rows, weight.scale)


def _four(weight: Matrix) -> Linear | None:
    groups = find_groups(weight)
    return None if groups is None else FourBit(groups)


FORMS = {
    "float32": Form(32, lambda weight: DenseLinear(weight.dense(), None), torch.float32),
    "bfloat16": Form(16, lambda weight: PackedLinear(Matrix(weight.dense()), None)),
    "int8 rows": Form(8, _eight),
    "four-bit groups": Form(5, _four),
}
"""float32 holds the checkpoint's int8 rows as they are. Four-bit groups are levels found under
those rows, with two bf16 numbers for each 32 of them."""


def forms(
    model: Model, places: Sequence[Place], say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """For each form: MiB, nats a token of the base reading, ms of a pass's products by its rows."""
    weights, rows = read_weights(model), []
    size = sum(weight.rows.numel() for layer in weights for weight in layer.values())
    for name, form in FORMS.items():
        if (made := _made(form, weights)) is None:
            say(f"forms: {name}: not for these weights")
            continue
        changed = in_form(model, form, made)
        row = {
            "form": name,
            "mib": size * form.bits / 8 / MIB,
            "nll": mean([line_nll(changed, place, CONTEXT) for place in places]),
            "ms": {str(count): _products_ms(form, weights, made, count) for count in ROWS},
        }
        rows.append(row)
        say(f"forms: {name}: {row}")
    return rows


def read_weights(model: Model) -> list[Weights]:
    """The base's joined matrices, layer by layer, as the checkpoint holds them."""
    config = model.config
    tensors = read_part(model.folder, "base" if config.adapter_rank else "model")
    layers = [RawLayer(tensors, config, number).matrices for number in range(config.layers)]
    return [
        {name: join([layer[part] for part in parts]) for name, parts in JOINED.items()}
        for layer in layers
    ]


def _made(form: Form, weights: Sequence[Weights]) -> list[Linears] | None:
    layers = []
    for layer in weights:
        linears = {name: form.make(weight) for name, weight in layer.items()}
        found = {name: linear for name, linear in linears.items() if linear is not None}
        if len(found) < len(linears):
            return None
        layers.append(found)
    return layers


def in_form(model: Model, form: Form, made: Sequence[Linears]) -> Model:
    """The base reading alone, with its matrices in that form."""
    loaded = model.transformer
    if loaded.dtype != form.dtype:
        loaded = load(model.folder, form.dtype, loaded.device).transformer
    layers = [_with(*pair) for pair in zip(loaded.base.layers, made, strict=True)]
    base = replace(loaded.base, layers=tuple(layers))
    return replace(model, transformer=Transformer(model.config, loaded.ends, base, base))


def _with(layer: Layer, made: Linears) -> Layer:
    qkv, gate_up = made["qkv"], made["gate_up"]
    return replace(layer, qkv=qkv, output=made["output"], gate_up=gate_up, down=made["down"])


@torch.inference_mode()
def _products_ms(
    form: Form, weights: Sequence[Weights], made: Sequence[Linears], rows: int
) -> float:
    """Median time of one pass's products; together the weights are larger than any cache."""
    inputs = {
        name: torch.randn(rows, weight.rows.shape[1]).to(form.dtype)
        for name, weight in weights[0].items()
    }

    def run() -> float:
        began = time.perf_counter()
        for layer in made:
            for name, linear in layer.items():
                linear(inputs[name])
        return (time.perf_counter() - began) * 1000

    return percentile([run() for _ in range(WARM_UP + REPEATS)][WARM_UP:], 0.5)

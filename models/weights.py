"""The matrices of a transformer in the form they are multiplied in, for one reading of it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from models.checkpoint import Tensors
from models.config import ModelConfig
from models.linear import Head, Linear, make_linear
from models.matrix import Matrix, join

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
JOINED = {
    "qkv": PROJECTIONS[:3],
    "output": ("o_proj",),
    "gate_up": ("gate_proj", "up_proj"),
    "down": ("down_proj",),
}
"""The joined matrices of a layer and the projections stacked in them."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: query, key and value rows joined, gate and up rows joined. Norms in fp32."""

    attention_norm: Tensor
    qkv: Linear
    query_norm: Tensor | None
    key_norm: Tensor | None
    output: Linear
    mlp_norm: Tensor
    gate_up: Linear
    down: Linear


@dataclass(frozen=True, slots=True)
class Reading:
    """The weights of one reading: base, causal or canvas."""

    layers: tuple[Layer, ...]
    norm: Tensor
    special_ids: Tensor
    """Ids [K] whose rows are replaced in this reading; none in the base reading."""
    special_rows: Tensor
    """Their embedding and head rows [K, hidden] in fp32."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What all readings share: the embedding, the head, and the working type between them."""

    embedding: Matrix
    head: Head
    dtype: torch.dtype


class RawLayer:
    """The seven matrices of one layer by projection name, before they are joined."""

    def __init__(self, tensors: Tensors, config: ModelConfig, index: int) -> None:
        prefix = f"model.layers.{index}."
        self.matrices = {
            name: tensors.matrix(f"{prefix}{module(name)}.{name}.weight", *shape)
            for name, shape in projection_shapes(config).items()
        }
        size, c = config.hidden, config
        self.attention_norm = tensors.take(f"{prefix}input_layernorm.weight", (size,)).float()
        self.mlp_norm = tensors.take(f"{prefix}post_attention_layernorm.weight", (size,)).float()
        attention = f"{prefix}self_attn."
        self.biases = [
            tensors.take(f"{attention}{name}.bias", (projection_shapes(c)[name][0],)).float()
            for name in (PROJECTIONS[:3] if c.qkv_bias else ())
        ]
        self.head_norms = [
            tensors.take(f"{attention}{name}.weight", (c.head_dim,)).float()
            for name in (("q_norm", "k_norm") if c.qk_norm else ())
        ]

    def joined(self, dtype: torch.dtype, device: torch.device) -> Layer:
        """The layer in the type and on the device it is multiplied on."""
        m = self.matrices

        def linear(*names: str, bias: Tensor | None = None) -> Linear:
            return make_linear(join([m[name] for name in names]), bias, dtype, device)

        norms = [norm.to(device) for norm in self.head_norms]
        return Layer(
            attention_norm=self.attention_norm.to(device),
            qkv=linear(*PROJECTIONS[:3], bias=torch.cat(self.biases) if self.biases else None),
            query_norm=norms[0] if norms else None,
            key_norm=norms[1] if norms else None,
            output=linear("o_proj"),
            mlp_norm=self.mlp_norm.to(device),
            gate_up=linear("gate_proj", "up_proj"),
            down=linear("down_proj"),
        )


def module(projection: str) -> str:
    """The Llama module a projection belongs to."""
    return "self_attn" if projection in PROJECTIONS[:4] else "mlp"


def projection_shapes(config: ModelConfig) -> dict[str, tuple[int, int]]:
    """[rows, columns] of each projection."""
    query, key = config.heads * config.head_dim, config.kv_heads * config.head_dim
    hidden, inner = config.hidden, config.intermediate
    return {
        "q_proj": (query, hidden),
        "k_proj": (key, hidden),
        "v_proj": (key, hidden),
        "o_proj": (hidden, query),
        "gate_proj": (inner, hidden),
        "up_proj": (inner, hidden),
        "down_proj": (hidden, inner),
    }

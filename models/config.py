"""What a checkpoint's config.json says, checked once; nothing is taken from class defaults."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from models.errors import ModelError
from models.layout import Layout

CONFIG_LIMIT = 1 << 20
REGIMES = ("hole", "causal")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of one transformer and how it is read."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    rope_theta: float
    norm_eps: float
    positions: int
    """Rotary positions that it was trained for."""
    tied_head: bool
    qkv_bias: bool = False
    qk_norm: bool = False
    regime: str = "causal"
    logit_shift: bool = True
    causal_suffix: bool = True
    """Whether the causal reading gains from the suffix segment, or reads better without it."""
    adapter_rank: int = 0
    """Rank of the canvas reading's adapters; 0 means that all rows run the same weights."""
    causal_rank: int = 0
    """Rank of the adapters of a hole's causal rows; 0 means that these run the base weights."""
    eos_id: int = -1
    separator_id: int = -1
    pad_id: int = -1
    mask_id: int = -1
    special_rows: tuple[int, ...] = ()
    """Ids whose embedding (and head) rows differ on canvas rows."""
    layout: Layout = field(default_factory=Layout)

    def __post_init__(self) -> None:
        for name in ("layers", "hidden", "intermediate", "heads", "kv_heads", "head_dim"):
            _need(1 <= getattr(self, name) <= 65536, f"{name} is {getattr(self, name)}")
        _need(1 <= self.vocabulary <= 1 << 20, f"vocabulary is {self.vocabulary}")
        _need(self.heads % self.kv_heads == 0, "heads must be a multiple of key/value heads")
        _need(self.head_dim % 2 == 0, "rotary positions need an even head size")
        _need(self.rope_theta > 0 and self.norm_eps > 0, "rope theta and norm eps must be positive")
        _need(self.regime in REGIMES, f"attention regime {self.regime!r} is not one of {REGIMES}")
        for token in (self.eos_id, self.separator_id, self.pad_id, self.mask_id):
            _need(-1 <= token < self.vocabulary, f"special id {token} is outside the vocabulary")
        for token in self.special_rows:
            _need(0 <= token < self.vocabulary, f"special row {token} is outside the vocabulary")

    @property
    def plain(self) -> bool:
        """Whether it is a Llama with a tied head, without biases or query and key norms."""
        return self.tied_head and not (self.qkv_bias or self.qk_norm)

    def need_holes(self, folder: Path) -> None:
        """ModelError unless the checkpoint in `folder` was made to fill holes."""
        if self.regime != "hole" and self.mask_id < 0:
            raise ModelError(
                f"{folder}/config.json has no `retouch` object: it is an ordinary language model "
                "without adapters for holes."
            )
        _need(self.regime == "hole", f"regime {self.regime!r} fills no holes, only 'hole' does")
        _need(self.logit_shift, "logit_shift is false, but a row's logits are those of the next")
        ids = (self.eos_id, self.separator_id, self.pad_id, self.mask_id)
        _need(min(ids) >= 0, f"special ids {ids} have to be tokens")
        apart = len({self.eos_id, self.pad_id, self.mask_id}) == 3
        _need(apart, "mask, padding and end mark have to be three tokens")
        _need(self.separator_id != self.mask_id, "separator and mask have to be two tokens")


def _need(condition: bool, problem: str) -> None:
    if not condition:
        raise ModelError(f"config.json can't be right: {problem}.")


def read_json(path: Path, limit: int = CONFIG_LIMIT) -> dict[str, Any]:
    """The JSON object in `path`; ModelError if it is missing, too large or not an object."""
    return read_object(path, limit, dict[str, Any])


def read_object(path: Path, limit: int, kind: type[T]) -> T:
    """The same, of it only what `kind` has fields for."""
    try:
        if path.stat().st_size > limit:
            raise ModelError(f"{path} is larger than {limit} bytes; is it really a model's file?")
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise ModelError(f"Can't read {path}: {error.strerror}.") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise ModelError(f"{path} is not a JSON object: {error}.") from error

"""Qwen2 and its diffusion descendants: biases on query, key and value."""

from typing import Any

from models.config import ModelConfig
from models.families.family import Family, shared_fields


def _config(raw: dict[str, Any]) -> ModelConfig:
    if raw.get("use_sliding_window"):
        raise ValueError("use_sliding_window (full attention is expected)")
    return ModelConfig(family="qwen2", qkv_bias=True, **shared_fields(raw))


FAMILY = Family("qwen2", _config)

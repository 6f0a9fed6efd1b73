"""Qwen2 and its diffusion descendants: biases on query, key and value."""

from typing import Any

from models.config import ModelConfig
from models.families.family import shared_fields


def config(raw: dict[str, Any]) -> ModelConfig:
    """Its reading of config.json."""
    if raw.get("use_sliding_window"):
        raise ValueError("use_sliding_window (full attention is expected)")
    return ModelConfig(qkv_bias=True, **shared_fields(raw))

"""Qwen3 and its diffusion descendants: norms on every query and key head."""

from typing import Any

from models.config import ModelConfig
from models.families.family import shared_fields


def config(raw: dict[str, Any]) -> ModelConfig:
    """Its reading of config.json."""
    if raw.get("attention_bias") or raw.get("use_sliding_window"):
        raise ValueError("attention_bias / use_sliding_window (neither is expected)")
    return ModelConfig(qk_norm=True, **shared_fields(raw))

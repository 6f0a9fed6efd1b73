"""Qwen3 and its diffusion descendants: norms on every query and key head."""

from typing import Any

from models.config import ModelConfig
from models.families.family import Family, shared_fields


def _config(raw: dict[str, Any]) -> ModelConfig:
    if raw.get("attention_bias") or raw.get("use_sliding_window"):
        raise ValueError("attention_bias / use_sliding_window (neither is expected)")
    return ModelConfig(family="qwen3", qk_norm=True, **shared_fields(raw))


FAMILY = Family("qwen3", _config)

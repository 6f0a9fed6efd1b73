"""Llama: no biases, no query/key norms."""

from typing import Any

from models.config import ModelConfig
from models.families.family import shared_fields


def config(raw: dict[str, Any]) -> ModelConfig:
    """Its reading of config.json."""
    if raw.get("attention_bias") or raw.get("mlp_bias"):
        raise ValueError("attention_bias / mlp_bias (a Llama without biases is expected)")
    return ModelConfig(**shared_fields(raw))

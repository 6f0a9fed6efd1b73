"""Llama: no biases, no query/key norms."""

from typing import Any

from models.config import ModelConfig
from models.families.family import Family, shared_fields


def _config(raw: dict[str, Any]) -> ModelConfig:
    if raw.get("attention_bias") or raw.get("mlp_bias"):
        raise ValueError("attention_bias / mlp_bias (a Llama without biases is expected)")
    return ModelConfig(family="llama", **shared_fields(raw))


FAMILY = Family("llama", _config)

"""The checkpoint families that can be loaded, by the `model_type` of their config.json."""

from collections.abc import Callable
from typing import Any

from models.config import ModelConfig
from models.families import llama, qwen2, qwen3

FAMILIES: dict[str, Callable[[dict[str, Any]], ModelConfig]] = {
    "llama": llama.config,
    "qwen2": qwen2.config,
    "qwen3": qwen3.config,
}
"""How each reads config.json; weight names are Llama's."""

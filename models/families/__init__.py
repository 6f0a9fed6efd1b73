"""The checkpoint families that can be loaded, by the `model_type` of their config.json."""

from models.families import llama, qwen2, qwen3
from models.families.family import Family

FAMILIES: dict[str, Family] = {
    "llama": llama.FAMILY,
    "qwen2": qwen2.FAMILY,
    "qwen3": qwen3.FAMILY,
}

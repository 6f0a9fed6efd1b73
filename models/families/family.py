"""The config fields that Llama-like families share."""

from typing import Any

from models.layout import Layout


def shared_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """ModelConfig fields that stand under the same keys in every Llama-like config.json."""
    hidden, heads = int(raw["hidden_size"]), int(raw["num_attention_heads"])
    if raw.get("hidden_act", "silu") != "silu":
        raise ValueError(f"hidden_act {raw['hidden_act']!r} (only 'silu')")
    return {
        "layers": int(raw["num_hidden_layers"]),
        "hidden": hidden,
        "intermediate": int(raw["intermediate_size"]),
        "heads": heads,
        "kv_heads": int(raw.get("num_key_value_heads") or heads),
        "head_dim": int(raw.get("head_dim") or hidden // heads),
        "vocabulary": int(raw["vocab_size"]),
        "rope_theta": _rope_theta(raw),
        "norm_eps": float(raw["rms_norm_eps"]),
        "positions": int(raw["max_position_embeddings"]),
        "tied_head": bool(raw.get("tie_word_embeddings", False)),
        **retouch_fields(raw.get("retouch") or {}),
    }


def _rope_theta(raw: dict[str, Any]) -> float:
    """Theta from either place it is written; a scaled rope is refused, not read wrongly."""
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if rope.get("rope_type", rope.get("type", "default")) != "default":
        raise ValueError(f"rope scaling {rope!r} (only the default rope)")
    theta = raw.get("rope_theta", rope.get("rope_theta"))
    if theta is None:
        raise KeyError("rope_theta")
    return float(theta)


def retouch_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """ModelConfig fields of the `retouch` object: regime, special ids, layout windows."""
    if not raw:
        return {}
    windows = raw.get("layout") or {}
    suffix = windows.get("suffix", (0, 128))
    origin = int(windows.get("prefix_origin", 512))
    reference = windows.get("reference", (int(suffix[1]), origin))
    return {
        "regime": str(raw["regime"]),
        "logit_shift": bool(raw["logit_shift"]),
        "causal_suffix": bool(raw.get("causal_suffix", True)),
        "adapter_rank": int(raw.get("adapter_rank", 0)),
        "causal_rank": int(raw.get("causal_rank", 0)),
        "eos_id": int(raw["eos_token_id"]),
        "separator_id": int(raw["separator_token_id"]),
        "pad_id": int(raw["pad_token_id"]),
        "mask_id": int(raw["mask_token_id"]),
        "special_rows": tuple(int(i) for i in raw.get("special_row_ids", ())),
        "layout": Layout(
            int(suffix[0]), int(suffix[1]), int(reference[0]), int(reference[1]), origin
        ),
    }

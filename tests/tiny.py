"""A tiny random model as a checkpoint folder: the real loading path, no real weights."""

import json
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import save_file
from torch import Tensor

from models.config import ModelConfig
from models.loader import Model, load, read_config
from models.weights import module, projection_shapes

SPECIALS = 17
LAYOUT = {"suffix": [0, 32], "reference": [32, 64], "prefix_origin": 64}
SHAPE: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 320,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "max_position_embeddings": 4096,
}
RETOUCH: dict[str, Any] = {
    "regime": "hole",
    "logit_shift": True,
    "adapter_rank": 4,
    "eos_token_id": 0,
    "separator_token_id": 5,
    "pad_token_id": 15,
    "mask_token_id": 16,
    "special_row_ids": [0, 5, 15, 16],
    "layout": LAYOUT,
}
MERGES = ["in", "re", "ret", "  ", "    ", "\n ", "\n    ", "rn", "retu", "return", "de", "def"]


def tiny_model(
    folder: Path, dtype: torch.dtype = torch.float32, seed: int = 0, **retouch: Any
) -> Model:
    """Write a tiny checkpoint to `folder` and load it; `retouch` are fields of that object."""
    write_checkpoint(folder, {**SHAPE, "retouch": {**RETOUCH, **retouch}}, seed)
    return load(folder, dtype, torch.device("cpu"))


def write_checkpoint(folder: Path, raw: dict[str, Any], seed: int = 0) -> ModelConfig:
    """Random weights for the config `raw`, as a complete model folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(raw))
    config = read_config(folder)
    torch.manual_seed(seed)
    part = "base" if config.adapter_rank else "model"
    save_file(base_tensors(config), folder / f"{part}.safetensors")
    if config.adapter_rank:
        tensors = adapter_tensors(config, "canvas", config.adapter_rank)
        save_file(tensors, folder / "canvas.safetensors")
    if config.causal_rank:
        tensors = adapter_tensors(config, "causal", config.causal_rank)
        save_file(tensors, folder / "causal.safetensors")
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    return config


def base_tensors(config: ModelConfig) -> dict[str, Tensor]:
    """Random weights under Llama's names."""
    size = (config.hidden,)
    tensors = {
        "model.embed_tokens.weight": torch.randn(config.vocabulary, config.hidden),
        "model.norm.weight": 1 + 0.1 * torch.randn(size),
    }
    if not config.tied_head:
        tensors["lm_head.weight"] = torch.randn(config.vocabulary, config.hidden)
    for index in range(config.layers):
        prefix = f"model.layers.{index}."
        tensors[f"{prefix}input_layernorm.weight"] = 1 + 0.1 * torch.randn(size)
        tensors[f"{prefix}post_attention_layernorm.weight"] = 1 + 0.1 * torch.randn(size)
        for name, shape in projection_shapes(config).items():
            weight = torch.randn(shape) * shape[1] ** -0.5
            tensors[f"{prefix}{module(name)}.{name}.weight"] = weight
            if config.qkv_bias and name in ("q_proj", "k_proj", "v_proj"):
                tensors[f"{prefix}self_attn.{name}.bias"] = torch.randn(shape[0])
        for name in ("q_norm", "k_norm") if config.qk_norm else ():
            tensors[f"{prefix}self_attn.{name}.weight"] = 1 + 0.1 * torch.randn(config.head_dim)
    return tensors


def adapter_tensors(config: ModelConfig, reading: str, rank: int) -> dict[str, Tensor]:
    """Random row-gated adapters of a reading."""
    tensors = {
        "special_rows": torch.randn(len(config.special_rows), config.hidden),
        f"{reading}_norm_scale": 1 + 0.1 * torch.randn(config.hidden),
    }
    for index in range(config.layers):
        for name, (rows, columns) in projection_shapes(config).items():
            stem = f"model.layers.{index}.{module(name)}.{name}.{reading}"
            tensors[f"{stem}_a"] = torch.randn(rank, columns) * columns**-0.5
            tensors[f"{stem}_b"] = torch.randn(rows, rank) * 0.5
    return tensors


def byte_tokenizer(without: str = "") -> tokenizers.Tokenizer:
    """17 special tokens, the 256 bytes `without` some in ASCII, a few merged pieces."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {f"<s{i}>": i for i in range(SPECIALS)}
    vocabulary |= {character: SPECIALS + i for i, character in enumerate(alphabet)}
    spelled = {b: c for c, b in _bytes_of(alphabet).items()}
    merges = []
    for piece in MERGES:
        text = "".join(spelled[byte] for byte in piece.encode())
        split = next(
            k for k in range(len(text) - 1, 0, -1) if {text[:k], text[k:]} <= {*vocabulary}
        )
        merges.append((text[:split], text[split:]))
        vocabulary.setdefault(text, len(vocabulary))
    for character in without:
        del vocabulary[spelled[ord(character)]]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens([f"<s{i}>" for i in range(SPECIALS)])
    return tokenizer


def _bytes_of(alphabet: list[str]) -> dict[str, int]:
    decoder = tokenizers.decoders.ByteLevel()
    plain = {c: decoder.decode([c]) for c in alphabet}
    ascii_bytes = {c: ord(t) for c, t in plain.items() if len(t) == 1 and ord(t) < 128}
    return ascii_bytes

"""Our forward against transformers, on tiny random weights of every family, in fp32."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from models.loader import read_config, read_transformer
from models.transformer import Pass, RowGroup, RowKind
from tests.tiny import SHAPE, write_checkpoint

FAMILIES: dict[str, tuple[Any, dict[str, Any]]] = {
    "llama": (transformers.LlamaForCausalLM, {"attention_bias": False}),
    "qwen2": (transformers.Qwen2ForCausalLM, {"tie_word_embeddings": False}),
    "qwen3": (transformers.Qwen3ForCausalLM, {"attention_bias": False}),
}
TOKENS, HOLE = 24, 9


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_equal_transformers_with_an_explicit_mask(family: str, tmp_path: Path) -> None:
    """Prefix rows causal, hole rows seeing everything before and each other, odd positions."""
    kind, options = FAMILIES[family]
    raw = {**SHAPE, **options, "model_type": family}
    write_checkpoint(tmp_path, raw)
    config = read_config(tmp_path)
    ours = read_transformer(tmp_path, config, torch.float32, torch.device("cpu"))
    theirs = kind.from_pretrained(tmp_path, attn_implementation="eager", dtype=torch.float32).eval()
    ids = torch.randint(0, config.vocabulary, (TOKENS + HOLE,))
    positions = torch.cat([torch.arange(7, 7 + TOKENS), torch.arange(90, 90 + HOLE)])

    seen = torch.ones(TOKENS + HOLE, TOKENS + HOLE).tril().bool()
    seen[TOKENS:, TOKENS:] = True
    mask = torch.zeros(1, 1, *seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)
    with torch.inference_mode():
        expected = theirs(
            input_ids=ids[None], position_ids=positions[None], attention_mask=mask
        ).logits[0]

    prefix, hole = ours.new_key_values(), ours.new_key_values()
    groups = (
        RowGroup(0, TOKENS, (), prefix),
        RowGroup(TOKENS, TOKENS + HOLE, ((prefix, TOKENS),), hole, causal=False),
    )
    hidden = ours.forward(Pass(ids, positions, TOKENS + HOLE, groups))
    torch.testing.assert_close(ours.logits(hidden, RowKind.BASE), expected, atol=1e-4, rtol=1e-4)

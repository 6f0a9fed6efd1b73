"""Damaged, hostile and incomplete checkpoints: one clear error, nothing executed."""

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.checkpoint import fingerprint
from models.errors import ModelError
from models.loader import load
from models.matrix import eight_bit
from tests.tiny import RETOUCH, SHAPE, write_checkpoint

Damage = Callable[[Path], None]


def edit_config(**changes: Any) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "config.json"
        raw = json.loads(path.read_text()) | changes
        path.write_text(json.dumps({k: v for k, v in raw.items() if v is not None}))

    return damage


def edit_tensors(change: Callable[[dict[str, torch.Tensor]], object], part: str = "base") -> Damage:
    def damage(folder: Path) -> None:
        path = folder / f"{part}.safetensors"
        tensors = load_file(path)
        change(tensors)
        save_file(tensors, path)

    return damage


def write(name: str, data: bytes) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return damage


def cut(folder: Path) -> None:
    path = folder / "base.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def index(weight_map: Any) -> Damage:
    def damage(folder: Path) -> None:
        (folder / "base.safetensors").unlink()
        text = json.dumps({"weight_map": weight_map})
        (folder / "base.safetensors.index.json").write_text(text)

    return damage


def edit_tokenizer(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "tokenizer.json"
        raw = json.loads(path.read_text())
        change(raw)
        path.write_text(json.dumps(raw))

    return damage


def retouch(**changes: Any) -> Damage:
    return edit_config(retouch=RETOUCH | changes)


NORM = "model.norm.weight"
CASES: dict[str, tuple[Damage, str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "Can't read"),
    "config is a list": (write("config.json", b"[]"), "not a JSON object"),
    "config nests too deep": (write("config.json", b'{"a":' * 100_000), "not a JSON object"),
    "huge config": (write("config.json", b" " * (2 << 20)), "larger than"),
    "foreign code": (edit_config(auto_map={"AutoModel": "evil.Model"}), "never done"),
    "unknown family": (edit_config(model_type="gpt99"), "gpt99"),
    "missing field": (edit_config(hidden_size=None), "hidden_size"),
    "wrong field": (edit_config(num_hidden_layers="many"), "many"),
    "absurd field": (edit_config(num_hidden_layers=-3), "layers is -3"),
    "uneven heads": (edit_config(num_key_value_heads=3), "multiple"),
    "other activation": (edit_config(hidden_act="gelu"), "gelu"),
    "scaled rope": (edit_config(rope_scaling={"rope_type": "yarn"}), "rope scaling"),
    "id outside": (edit_config(retouch={**RETOUCH, "mask_token_id": 9999}), "9999"),
    "no retouch object": (edit_config(retouch=None), "has no `retouch` object"),
    "fills no holes": (retouch(regime="causal"), "fills no holes"),
    "rows that predict themselves": (retouch(logit_shift=False), "logit_shift"),
    "no mask": (retouch(mask_token_id=-1), "have to be tokens"),
    "mask that ends": (retouch(mask_token_id=0), "three tokens"),
    "mask that separates": (retouch(separator_token_id=16), "two tokens"),
    "special row outside": (retouch(special_row_ids=[9999]), "special row 9999"),
    "retouch is a list": (edit_config(retouch=[1]), "wrong field"),
    "layout is a list": (retouch(layout=[1]), "wrong field"),
    "layout without a window": (retouch(layout={"suffix": []}), "wrong field"),
    "rope is a list": (edit_config(rope_scaling=[1]), "wrong field"),
    "no heads": (edit_config(num_attention_heads=0, head_dim=None), "wrong field"),
    "no weights": (lambda f: (f / "base.safetensors").unlink(), "Can't read"),
    "cut file": (cut, "damaged"),
    "not safetensors": (write("base.safetensors", b"PK\x03\x04" + bytes(100)), "damaged"),
    "header bomb": (write("base.safetensors", (1 << 40).to_bytes(8, "little")), "damaged"),
    "empty file": (write("base.safetensors", b""), "damaged"),
    "offsets past the end": (
        write(
            "base.safetensors",
            (h := b'{"x":{"dtype":"F32","shape":[4],"data_offsets":[0,9999]}}')
            .__len__()
            .to_bytes(8, "little")
            + h,
        ),
        "damaged",
    ),
    "missing tensor": (edit_tensors(lambda t: t.pop(NORM)), "is missing"),
    "unknown tensor": (edit_tensors(lambda t: t.update(evil=torch.zeros(1))), "unknown tensors"),
    "wrong shape": (edit_tensors(lambda t: t.update({NORM: torch.zeros(3)})), "has shape"),
    "wrong type": (
        edit_tensors(lambda t: t.update({NORM: torch.zeros(32, dtype=torch.int64)})),
        "unexpected type",
    ),
    "missing adapter": (edit_tensors(lambda t: t.pop("special_rows"), "canvas"), "is missing"),
    "index with a path": (index({NORM: "../../etc/passwd"}), "plain safetensors file name"),
    "index with an absolute path": (index({NORM: "/x.safetensors"}), "plain safetensors file name"),
    "index with a NUL": (index({NORM: "x\0.safetensors"}), "plain safetensors file name"),
    "index with another kind": (index({NORM: "x.pt"}), "plain safetensors file name"),
    "index of nothing": (index(None), "no weight_map"),
    "index without its shard": (index({NORM: "gone.safetensors"}), "Can't read"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "Can't read"),
    "broken tokenizer": (write("tokenizer.json", b"{}"), "not a tokenizer"),
    "tokenizer that is no JSON": (write("tokenizer.json", b"PK"), "not a JSON object"),
    "huge tokenizer": (
        lambda f: os.truncate(f / "tokenizer.json", (64 << 20) + 1),
        "is larger than",
    ),
    "tokenizer with a wrong field": (
        edit_tokenizer(lambda raw: raw["model"].update(merges=3)),
        "not a tokenizer file: ",
    ),
    "tokenizer that panics": (
        edit_tokenizer(lambda raw: raw["model"].update(continuing_subword_prefix="x")),
        "sets continuing_subword_prefix",
    ),
    "tokenizer with a suffix": (
        edit_tokenizer(lambda raw: raw["model"].update(end_of_word_suffix="</w>")),
        "sets end_of_word_suffix",
    ),
    "tokenizer that spells at random": (
        edit_tokenizer(lambda raw: raw["model"].update(dropout=0.5)),
        "sets dropout",
    ),
    "tokenizer of words": (
        edit_tokenizer(lambda raw: raw["model"].update(type="WordLevel")),
        "not a tokenizer file of byte-level BPE",
    ),
    "SentencePiece tokenizer": (
        edit_tokenizer(lambda raw: raw["model"]["vocab"].update({"\u2581x": 300})),
        "not byte-level",
    ),
    "token outside": (
        edit_tokenizer(lambda raw: raw["model"]["vocab"].update(xyz=320)),
        "more tokens than the model's 320",
    ),
    "tokenizer that adds a blank": (
        edit_tokenizer(lambda raw: raw["pre_tokenizer"].update(add_prefix_space=True)),
        "changes text",
    ),
    "tokenizer that drops blanks": (
        edit_tokenizer(lambda raw: raw.update(pre_tokenizer={"type": "WhitespaceSplit"})),
        "changes text",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_checkpoint_is_named_and_refused(case: str, tmp_path: Path) -> None:
    write_checkpoint(tmp_path, {**SHAPE, "retouch": RETOUCH})
    damage, message = CASES[case]
    damage(tmp_path)
    with pytest.raises(ModelError, match=message):
        load(tmp_path, torch.float32, torch.device("cpu"))


class Canary:
    """A pickle that leaves a file behind when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_code_beside_the_weights_is_never_run(tmp_path: Path) -> None:
    """Pickles and Python files may lie there; they never take the place of a safetensors file."""
    folder, canary = tmp_path / "model", tmp_path / "canary"
    write_checkpoint(folder, {**SHAPE, "retouch": RETOUCH})
    code = f"from pathlib import Path\nPath({str(canary)!r}).touch()\n"
    for name in ("modeling_evil.py", "configuration_evil.py", "__init__.py"):
        (folder / name).write_text(code)
    for name in ("base.pt", "base.bin", "pytorch_model.bin", "model.ckpt"):
        (folder / name).write_bytes(pickle.dumps(Canary(canary)))
    load(folder, torch.float32, torch.device("cpu"))
    (folder / "base.safetensors").unlink()
    with pytest.raises(ModelError, match="Can't read"):
        load(folder, torch.float32, torch.device("cpu"))
    (folder / "base.safetensors").write_bytes(pickle.dumps(Canary(canary)))
    with pytest.raises(ModelError, match="damaged"):
        load(folder, torch.float32, torch.device("cpu"))
    assert not canary.exists()
    pickle.loads((folder / "base.pt").read_bytes())
    assert canary.exists(), "the canary sings when somebody loads it"


@pytest.mark.parametrize("name", ["nowhere", "x" * 300])
def test_a_missing_folder_says_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match="--model"):
        load(tmp_path / name, torch.float32, torch.device("cpu"))


def test_int8_rows_come_back_scaled_from_shards(tmp_path: Path) -> None:
    """The form of the default weights: int8 rows, fp32 scales, the embedding in two halves."""
    write_checkpoint(tmp_path, {**SHAPE, "retouch": RETOUCH})
    tensors = load_file(tmp_path / "base.safetensors")
    whole = tensors.pop("model.embed_tokens.weight")
    rows, scale = eight_bit(whole)
    name = "model.embed_tokens.weight"
    tensors |= {f"{name}.rows0": rows[:160], f"{name}.rows1": rows[160:], f"{name}_scale": scale}
    save_file({k: v.contiguous() for k, v in tensors.items()}, tmp_path / "base.safetensors")
    model = load(tmp_path, torch.float32, torch.device("cpu"))
    embedding = model.transformer.ends.embedding.dense()
    torch.testing.assert_close(embedding, rows.float() * scale[:, None])


def test_a_fingerprint_changes_with_any_weight_and_not_with_the_place(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        write_checkpoint(folder, {**SHAPE, "retouch": RETOUCH})
    assert fingerprint(here) == fingerprint(there)
    edit_tensors(lambda tensors: next(iter(tensors.values())).view(-1)[0].add_(1))(there)
    assert fingerprint(here) != fingerprint(there)


def test_a_normalizer_is_left_out(tmp_path: Path) -> None:
    """Text has to come back as it was written."""
    write_checkpoint(tmp_path, {**SHAPE, "retouch": RETOUCH})
    edit_tokenizer(lambda raw: raw.update(normalizer={"type": "NFC"}))(tmp_path)
    tokenizer = load(tmp_path, torch.float32, torch.device("cpu")).tokenizer
    assert tokenizer.bytes_of(tokenizer.encode("e\u0301")) == b"e\xcc\x81"


def test_ids_of_a_tokenizer_may_have_gaps_and_added_tokens_are_plain_text(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, {**SHAPE, "retouch": RETOUCH})

    def change(raw: dict[str, Any]) -> None:
        raw["model"]["vocab"]["xyz"] = 310
        flags = dict.fromkeys(("special", "normalized", "single_word", "lstrip", "rstrip"), False)
        raw["added_tokens"].append({"id": 17, "content": "a é"} | flags)

    edit_tokenizer(change)(tmp_path)
    tokenizer = load(tmp_path, torch.float32, torch.device("cpu")).tokenizer
    assert tokenizer.token_bytes[309:311] == [b"", b"xyz"]
    assert [tokenizer.bytes_of([i]) for i in tokenizer.encode("a é")] == ["a é".encode()]

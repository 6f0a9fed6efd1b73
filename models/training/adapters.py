"""Adapters of a reading between the trainer's joined matrices and a checkpoint's files."""

import math
from pathlib import Path

import msgspec
import torch
from safetensors.torch import save_file
from torch import Tensor

from models.checkpoint import read_part
from models.config import ModelConfig
from models.training.kernels import Fused
from models.training.masks import ReadingName
from models.training.network import Adapter, Dense, Network, read_base
from models.weights import JOINED, module, projection_shapes

SHARD_BYTES = 15_500_000


@torch.no_grad()
def load_adapters(
    network: Network, folder: Path, config: ModelConfig, reading: ReadingName = "canvas"
) -> None:
    """Take over a reading's part of the checkpoint in `folder`.

    ValueError if its rank is not the network's.
    """
    theirs, ours = _rank(config, reading), _adapter(network.joined[0]["qkv"]).b.shape[1]
    if theirs != ours:
        raise ValueError(f"{folder}: {reading} adapters are of rank {theirs}, the run's of {ours}.")
    stored = read_adapters(folder, config, reading)
    for index, layer in enumerate(network.joined):
        for joined, names in JOINED.items():
            stems = [f"model.layers.{index}.{module(name)}.{name}.{reading}" for name in names]
            adapter = _adapter(layer[joined])
            adapter.a.copy_(torch.cat([stored[f"{stem}_a"] for stem in stems]))
            adapter.b.copy_(torch.cat([stored[f"{stem}_b"] for stem in stems]))
    network.special_rows.copy_(stored["special_rows"])
    network.norm_scale.copy_(stored[f"{reading}_norm_scale"])
    network.refresh()


def read_adapters(
    folder: Path, config: ModelConfig, reading: ReadingName = "canvas"
) -> dict[str, Tensor]:
    """A reading's part of the checkpoint in `folder`, by its names, as `config` asks for it."""
    tensors, rank = read_part(folder, reading), _rank(config, reading)
    out: dict[str, Tensor] = {}
    for index in range(config.layers):
        for name, (rows, columns) in projection_shapes(config).items():
            stem = f"model.layers.{index}.{module(name)}.{name}.{reading}"
            out[f"{stem}_a"] = tensors.take(f"{stem}_a", (rank, columns))
            out[f"{stem}_b"] = tensors.take(f"{stem}_b", (rows, rank))
    special = (len(config.special_rows), config.hidden)
    out["special_rows"] = tensors.take("special_rows", special)
    scale = f"{reading}_norm_scale"
    out[scale] = tensors.take(scale, (config.hidden,))
    tensors.finish()
    return out


def _rank(config: ModelConfig, reading: ReadingName) -> int:
    return config.adapter_rank if reading == "canvas" else config.causal_rank


def adapter_tensors(network: Network, reading: ReadingName = "canvas") -> dict[str, Tensor]:
    """The adapters under the names of a checkpoint, in bf16; ValueError if there are none."""
    out: dict[str, Tensor] = {}
    for index, layer in enumerate(network.joined):
        for joined, names in JOINED.items():
            adapter = _adapter(layer[joined])
            a, b = (
                adapter.a.detach().chunk(len(names)),
                torch.split(adapter.b.detach(), adapter.split),
            )
            for name, down, up in zip(names, a, b, strict=True):
                stem = f"model.layers.{index}.{module(name)}.{name}.{reading}"
                out[f"{stem}_a"], out[f"{stem}_b"] = down, up
    out["special_rows"] = network.special_rows.detach()
    out[f"{reading}_norm_scale"] = network.norm_scale.detach()
    return {name: tensor.to(torch.bfloat16).contiguous().cpu() for name, tensor in out.items()}


def read_network(folder: Path, config: ModelConfig) -> Network:
    """The checkpoint in `folder` with its canvas adapters, in bf16 on the CPU, to be measured."""
    base = read_base(folder, config, torch.bfloat16, torch.device("cpu"))
    network = Network(config, base, config.adapter_rank, Fused(compiled=False))
    load_adapters(network, folder, config)
    return network


def _adapter(trained: Adapter | Dense) -> Adapter:
    if isinstance(trained, Dense):
        raise ValueError("A run of rank 0 trains whole matrices; it has no adapters.")
    return trained


def write_adapters(
    tensors: dict[str, Tensor], folder: Path, reading: ReadingName = "canvas"
) -> list[str]:
    """Shards of less than 16 MB and their index; each file replaces an old one as a whole."""
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(t.numel() * t.element_size() for t in tensors.values())
    count = math.ceil(total / SHARD_BYTES)
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, tensor in tensors.items():
        size += tensor.numel() * tensor.element_size()
        if size > total / count * len(shards) and len(shards) < count:
            shards.append({})
        shards[-1][name] = tensor
    names = [f"{reading}-{n:05d}-of-{count:05d}.safetensors" for n in range(1, count + 1)]
    where: dict[str, str] = {}
    for file, shard in zip(names, shards, strict=True):
        save_file(shard, folder / f"{file}.partial")
        (folder / f"{file}.partial").chmod(0o644)
        (folder / f"{file}.partial").replace(folder / file)
        where |= dict.fromkeys(shard, file)
    index = {"metadata": {"total_size": total}, "weight_map": where}
    partial = folder / f"{reading}.safetensors.index.json.partial"
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(index)))
    partial.replace(folder / f"{reading}.safetensors.index.json")
    return names

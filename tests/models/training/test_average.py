"""The mean of two states of a run."""

from pathlib import Path
from shutil import copytree

import torch
from safetensors.torch import load_file, save_file

from models.checkpoint import read_part
from models.training.average import average


def test_every_tensor_is_the_mean(folder: Path, tmp_path: Path) -> None:
    later, out = tmp_path / "later", tmp_path / "out"
    earlier = tmp_path / "earlier"
    for run in (earlier, later):
        copytree(folder, run)
        (run / "base.safetensors").unlink()  # `export` writes adapters and a config
    path = later / "canvas.safetensors"
    tensors = load_file(path)
    save_file({name: tensor + 1 for name, tensor in tensors.items()}, path)
    out.mkdir()
    average(earlier, later, out)
    mean = read_part(out, "canvas")
    for name, tensor in tensors.items():
        found = mean.take(name, tensor.shape).float()
        assert torch.allclose(found, tensor.float() + 0.5, atol=0.02), name

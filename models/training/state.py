"""What a training run is at one moment: parameters, moments, average, counters; saved and resumed.

Everything trained lies in two flat buffers (adapters; special rows and norm), so that gradients
are averaged, clipped and stored as whole tensors. Files are safetensors and JSON, no pickle.
"""

from pathlib import Path

import msgspec
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from models.training.network import Network

SPECIAL_RATE = 2.0
BETAS = (0.9, 0.98)


class Counters(msgspec.Struct):
    """How far a run is."""

    step: int = 0
    rows: int = 0
    seconds: float = 0.0


class TrainingState:
    """The parameters of a network as flat buffers, with AdamW moments and a running average."""

    def __init__(self, network: Network, rate: float, decay: float) -> None:
        adapters = list(network.adapters.parameters())
        others = [network.special_rows, network.norm_scale]
        self.network = network
        self.counters = Counters()
        self.flat = [_flatten(adapters), _flatten(others)]
        scaled = zip(self.flat, (1.0, SPECIAL_RATE), strict=True)
        groups = [{"params": [flat], "scale": scale} for flat, scale in scaled]
        groups[1]["weight_decay"] = 0.0  # they don't start from nothing, nor should they go there
        self.optimizer = torch.optim.AdamW(
            groups, lr=rate, betas=BETAS, weight_decay=decay, fused=True
        )
        self.average = [flat.detach().clone() for flat in self.flat]
        for flat in self.flat:
            state = self.optimizer.state[flat]
            state["step"] = torch.zeros((), dtype=torch.float32, device=flat.device)
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(flat), torch.zeros_like(flat)
        network.refresh()

    @property
    def gradients(self) -> list[Tensor]:
        """The flat gradients; backward passes add into them."""
        return [flat.grad for flat in self.flat if flat.grad is not None]

    def update(self, rate: float, clip: float, average: float) -> float:
        """One optimiser step from the gradients; returns their norm before clipping."""
        norm = float(torch.stack([g.norm() for g in self.gradients]).norm())
        for gradient in self.gradients:
            gradient.mul_(min(1.0, clip / (norm + 1e-9)))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        self.counters.step += 1
        weight = max(1 - average, 1 / (self.counters.step + 9))
        for mean, flat in zip(self.average, self.flat, strict=True):
            mean.lerp_(flat.detach(), weight)
        self.network.refresh()
        return norm

    def swap_average(self) -> None:
        """Exchange parameters and average; call twice around an evaluation."""
        with torch.no_grad():
            for mean, flat in zip(self.average, self.flat, strict=True):
                kept = flat.detach().clone()
                flat.copy_(mean)
                mean.copy_(kept)
        self.network.refresh()

    def tensors(self) -> dict[str, Tensor]:
        """Everything to resume from."""
        out: dict[str, Tensor] = {}
        for number, flat in enumerate(self.flat):
            moments = self.optimizer.state[flat]
            out[f"parameters.{number}"] = flat.detach()
            out[f"average.{number}"] = self.average[number]
            out[f"first.{number}"], out[f"second.{number}"] = (
                moments["exp_avg"],
                moments["exp_avg_sq"],
            )
            out[f"updates.{number}"] = moments["step"]
        return out

    def save(self, path: Path) -> None:
        """Write the state next to `path` and move it into place."""
        partial = path.with_suffix(".partial")
        metadata = {"counters": msgspec.json.encode(self.counters).decode()}
        save_file(
            {name: t.contiguous().cpu() for name, t in self.tensors().items()}, partial, metadata
        )
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Go on exactly where `save` stopped; ValueError if the file is of another shape."""
        with safe_open(path, framework="pt") as file:
            self.counters = msgspec.json.decode(file.metadata()["counters"], type=Counters)
            with torch.no_grad():
                for name, tensor in self.tensors().items():
                    stored = file.get_tensor(name)
                    if stored.shape != tensor.shape:
                        raise ValueError(f"{path}: {name} is {stored.shape}, not {tensor.shape}")
                    tensor.copy_(stored)
        self.network.refresh()


def _flatten(parameters: list[nn.Parameter]) -> nn.Parameter:
    """One leaf whose pieces the parameters (and their gradients) become."""
    flat = nn.Parameter(torch.cat([p.detach().reshape(-1) for p in parameters]))
    flat.grad, at = torch.zeros_like(flat), 0
    for parameter in parameters:
        stop = at + parameter.numel()
        parameter.data = flat.data[at:stop].view_as(parameter)
        parameter.grad = flat.grad[at:stop].view_as(parameter)
        at = stop
    return flat

"""Train the canvas adapters: `python -m models.training.trainer RUN --shards DIR`.

A run is a folder: settings.json, state.safetensors (resumed from when it is there), log.jsonl,
pids. The process reads nothing else and writes nowhere else.
"""

import json
import math
import os
import random
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from models.config import ModelConfig
from models.layout import Layout
from models.loader import DEFAULT_MODEL, read_config
from models.tokenizer import Tokenizer, read_tokenizer
from models.training.adapters import load_adapters
from models.training.head import HeadLoss
from models.training.held import HeldSpan, canvas_nll, held_spans
from models.training.kernels import Fused
from models.training.network import Network, read_base
from models.training.pack import NOISE, REAL, TAIL, Item, Pack, pack
from models.training.samples import Mix, Sampler
from models.training.shards import Shard
from models.training.state import TrainingState
from models.training.workers import Worker, start


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides a run; rows and steps are per optimiser step and over all processes."""

    shards: str
    model: str = str(DEFAULT_MODEL)
    workers: int = 1
    device: str = "cpu"
    compiled: bool = True
    fresh: bool = False
    """Start from untrained adapters instead of the model's."""
    rank: int = 64
    rows: int = 4000
    pass_rows: int = 2000
    steps: int = 1_000_000
    warm: int = 30
    decay_from: int = 1_000_000
    rate: float = 1e-3
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.995
    seed: int = 1
    save_seconds: float = 600.0
    held_every: int = 2
    """Held-out figures at every so many saves."""
    held_count: int = 96
    edits: float = 0.15


def learning_rate(settings: Settings, step: int, warm_from: int) -> float:
    """Warm-up (again after a start without moments), stable, then linear decay to 3 %."""
    warm = min(1.0, (step - warm_from + 1) / settings.warm)
    left = (settings.steps - step) / max(1, settings.steps - settings.decay_from)
    return settings.rate * warm * (max(0.03, left) if step >= settings.decay_from else 1.0)


def build(settings: Settings) -> tuple[Network, ModelConfig, Tokenizer]:
    """The network on its device, with the adapters to start from."""
    folder, device = Path(settings.model), torch.device(settings.device)
    config = replace(read_config(folder), layout=Layout())
    torch.manual_seed(settings.seed)
    base = read_base(folder, config, torch.bfloat16, device)
    network = Network(config, base, settings.rank, Fused(settings.compiled))
    tokenizer = read_tokenizer(folder, config)
    if settings.fresh:
        start_special_rows(network, tokenizer.encode("_")[0])
    else:
        load_adapters(network, folder, config)
    return network, config, tokenizer


@torch.no_grad()
def start_special_rows(network: Network, like_mask: int) -> None:
    """MASK from the row of "_", PAD near the mean row: both rows are untrained in the base."""
    embedding, config = network.base.embedding.float(), network.config
    places = {token: place for place, token in enumerate(config.special_rows)}
    network.special_rows[places[config.mask_id]] = embedding[like_mask]
    mean = embedding.mean(0)
    network.special_rows[places[config.pad_id]] = mean + 0.02 * torch.randn_like(mean)


def run_loss(network: Network, packed: Pack) -> tuple[torch.Tensor, torch.Tensor]:
    """(weighted sum of cross entropies, every loss row's own) of one pass."""
    hidden = network.canvas(packed, network.context(packed))
    head = (network.base.embedding, network.special_ids)
    total, each = HeadLoss.apply(hidden, network.special_rows, head, packed.targets, packed.weights)
    return total, each


class Run:
    """One process's part of a run."""

    def __init__(self, settings: Settings, worker: Worker, folder: Path) -> None:
        self.settings, self.worker, self.folder = settings, worker, folder
        self.network, self.config, tokenizer = build(settings)
        self.state = TrainingState(self.network, settings.rate, settings.weight_decay)
        self.path = folder / "state.safetensors"
        self.warm_from = 0
        if self.path.exists():
            self.state.resume(self.path)
        shards = Path(settings.shards)
        mix = Mix(edits=settings.edits)
        self.sampler = Sampler(Shard(shards / "train"), tokenizer, self.config, mix)
        self.held: list[HeldSpan] = []
        if worker.leads:
            self.held = held_spans(Shard(shards / "held"), tokenizer, settings.held_count, 200)

    def packs(self, step: int) -> list[Pack]:
        """This process's passes of one step; they depend on seed, process and step alone."""
        s = self.settings
        rng = random.Random(f"{s.seed}-{self.worker.number}-{step}")
        packs, items, rows = [], [], 0
        share, done = s.rows / self.worker.count, 0
        while done < share:
            items.append(self.sampler.item(rng))
            rows += _rows(items[-1])
            if rows >= min(s.pass_rows, share - done):
                packs.append(pack(items))
                done, items, rows = done + rows, [], 0
        return packs

    def step(self) -> dict[str, float]:
        """One optimiser step over all processes; its figures."""
        s, step = self.settings, self.state.counters.step
        device, dtype = self.network.special_rows.device, self.network.base.embedding.dtype
        sums = torch.zeros(8, dtype=torch.float64)
        for raw in self.packs(step):
            packed = raw.to(device, dtype)
            total, each = run_loss(self.network, packed)
            total.backward()  # type: ignore[no-untyped-call]
            sums += _figures(packed, each)
        self.worker.add([*self.state.gradients, sums])
        for gradient in self.state.gradients:
            gradient /= float(sums[0])
        rate = learning_rate(s, step, self.warm_from)
        norm = self.state.update(rate, s.clip, s.average)
        self.state.counters.rows += int(sums[1])
        return {"rate": rate, "norm": norm, **_means(sums)}

    def run(self) -> None:
        """Steps until the settings' end, with saves on the way."""
        began, saved, saves = time.monotonic(), time.monotonic(), 0
        before = self.state.counters.seconds
        while self.state.counters.step < self.settings.steps:
            figures = self.step()
            self.state.counters.seconds = before + time.monotonic() - began
            self._report(figures)
            due = time.monotonic() - saved > self.settings.save_seconds
            if self.worker.agree(float(due)):
                saves += 1
                self._save(saves % self.settings.held_every == 0)
                saved = time.monotonic()
        self._save(True)

    def _report(self, figures: dict[str, float]) -> None:
        if self.worker.leads:
            self._log({**asdict_counters(self.state), **figures, "load": os.getloadavg()[0]})

    def _save(self, measure: bool) -> None:
        if not self.worker.leads:
            return
        self.state.save(self.path)
        if measure:
            self.state.swap_average()
            result = canvas_nll(self.network, self.held, self.config)
            self.state.swap_average()
            self._log({**asdict_counters(self.state), "held": result.nll, "tokens": result.tokens})

    def _log(self, entry: dict[str, object]) -> None:
        with (self.folder / "log.jsonl").open("a") as file:
            file.write(json.dumps(entry) + "\n")


def asdict_counters(state: TrainingState) -> dict[str, object]:
    """Step, rows and seconds for a log line."""
    c = state.counters
    return {"step": c.step, "canvas_rows": c.rows, "seconds": round(c.seconds, 1)}


def _rows(item: Item) -> int:
    return sum(len(hole.positions) * len(hole.slots) for hole in item.holes)


def _figures(packed: Pack, each: torch.Tensor) -> torch.Tensor:
    """Weight, rows, then (sum, count) of cross entropies by kind."""
    out = [float(packed.weights.sum()), float(len(packed.ids))]
    for kind in (REAL, TAIL, NOISE):
        chosen = each[packed.kinds == kind]
        out += [float(chosen.sum()), float(len(chosen))]
    return torch.tensor(out, dtype=torch.float64)


def _means(sums: torch.Tensor) -> dict[str, float]:
    values = sums.tolist()
    names = ("real", "tail", "noise")
    means = {n: values[2 + 2 * i] / max(1.0, values[3 + 2 * i]) for i, n in enumerate(names)}
    return {"step_rows": values[1], **{n: v if math.isfinite(v) else -1.0 for n, v in means.items()}}


@dataclass(frozen=True, slots=True)
class Work:
    """What a process of a run does; a class so that it can be sent to one."""

    settings: Settings

    def __call__(self, worker: Worker, folder: Path) -> None:
        torch.set_num_threads(1 if self.settings.device == "cpu" else 8)
        with (folder / "pids").open("a") as file:
            file.write(f"{os.getpid()}\n")
        Run(self.settings, worker, folder).run()


def train(settings: Settings, folder: Path) -> None:
    """Start or go on with the run in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(asdict(settings), indent=1))
    (folder / "pids").write_text("")
    start(settings.workers, folder, Work(settings))



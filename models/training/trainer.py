"""Train the canvas adapters: `python -m models.training RUN shards=DIR [name=value ...]`.

A run is a folder: settings.json, state.safetensors (resumed from when it is there), log.jsonl,
pids, and where several processes met. Besides, shards and a model are read; nothing is written
elsewhere.
"""

import json
import math
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from models.config import ModelConfig
from models.loader import load, read_config
from models.tokenizer import Tokenizer, read_tokenizer
from models.training.adapters import load_adapters
from models.training.align import Clean, distance
from models.training.head import HeadLoss
from models.training.held import HeldSpan, canvas_nll, causal_nll, held_spans
from models.training.kernels import Fused, applied
from models.training.network import Network, read_base
from models.training.pack import NOISE, REAL, TAIL, Pack
from models.training.passes import Passes
from models.training.samples import Mix, Sampler
from models.training.settings import NAME, Settings, layout, learning_rate
from models.training.shards import open_shard
from models.training.state import Counters, TrainingState
from models.training.teacher import Teacher
from models.training.workers import Worker, start

CAUSAL_MIX: dict[str, Any] = {"joint": 0.0, "spread": 24, "most": 16}
"""A causal hole is one slot of a few rows: more of them share a context, none are joint."""


def build(settings: Settings) -> tuple[Network, ModelConfig, Tokenizer]:
    """The network on its device, with the adapters to start from."""
    folder, device = Path(settings.model), torch.device(settings.device)
    config = replace(read_config(folder), layout=layout(settings.origin))
    torch.manual_seed(settings.seed)
    base = read_base(folder, config, torch.bfloat16, device)
    network = Network(config, base, settings.rank, Fused(settings.compiled))
    tokenizer = read_tokenizer(folder, config)
    if not settings.fresh:
        load_adapters(network, folder, config, settings.reading)
    elif settings.reading == "canvas":
        start_special_rows(network, tokenizer.encode("_")[0])
    return network, config, tokenizer


@torch.no_grad()
def start_special_rows(network: Network, like_mask: int) -> None:
    """MASK from the row of "_", PAD near the mean row: both rows are untrained in the base."""
    embedding, config = network.base.embedding.float(), network.config
    places = {token: place for place, token in enumerate(config.special_rows)}
    network.special_rows[places[config.mask_id]] = embedding[like_mask]
    mean = embedding.mean(0)
    network.special_rows[places[config.pad_id]] = mean + 0.02 * torch.randn_like(mean)


def run_loss(
    network: Network, packed: Pack, clean: Clean | None = None, align: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """(weighted sum of cross entropies, every loss row's own) of one pass.

    With `clean`, `align` times the rows' distance to it is added to the first.
    """
    kept = network.context(packed)
    taps: list[torch.Tensor] = []
    hidden = network.canvas(packed, kept, taps=taps if clean else None)
    head = (network.base.embedding, network.special_ids)
    learn = (packed.targets, packed.weights, packed.expected)
    total, each = applied(HeadLoss, hidden, network.special_rows, head, *learn)
    if clean is not None:
        total = total + align * distance(network, clean, kept, taps)
    return total, each


class Run:
    """One process's part of a run."""

    def __init__(self, settings: Settings, worker: Worker, folder: Path) -> None:
        self.settings, self.worker, self.folder = settings, worker, folder
        self.network, self.config, tokenizer = build(settings)
        self.state = TrainingState(self.network, settings.rate, settings.weight_decay)
        self.path = folder / "state.safetensors"
        if self.path.exists():
            self.state.resume(self.path)
        shards, model = Path(settings.shards), Path(settings.model)
        data = open_shard(shards / "train", model)
        sizes = CAUSAL_MIX if settings.reading == "causal" else {}
        mix = Mix(edits=settings.edits, noisy=settings.noisy, **sizes)
        sampler = Sampler(data, tokenizer, self.config, mix, settings.reading)
        passes = Passes(settings, worker, sampler, _teacher(settings))
        self.passes = passes.since(self.state.counters.step)
        self.held: list[HeldSpan] = []
        if worker.leads and settings.held_count:
            held = open_shard(shards / "held", model)
            self.held = held_spans(held, tokenizer, settings.held_count, 200)

    def begin(self) -> None:
        """Keep the settings, which are known to be right by now; the log ends where the run is."""
        if not self.worker.leads:
            return
        told = json.dumps(asdict(self.settings), indent=1)
        (self.folder / NAME).write_text(told)
        log = self.folder / "log.jsonl"
        if log.exists():
            kept = _lines_until(log.read_text(), self.state.counters.step)
            partial = log.with_suffix(".partial")
            partial.write_text("".join(kept))
            partial.replace(log)

    def step(self, progress: float) -> dict[str, float]:
        """One optimiser step over all processes; its figures."""
        device, dtype = self.network.special_rows.device, self.network.base.embedding.dtype
        sums = torch.zeros(8, dtype=torch.float64)
        for raw, text in next(self.passes):
            packed, clean = raw.to(device, dtype), text and text.to(device, dtype)
            total, each = run_loss(self.network, packed, clean, self.settings.align)
            total.backward()  # type: ignore[no-untyped-call]
            sums += _figures(packed, each)
        self.worker.add([*self.state.gradients, sums])
        for gradient in self.state.gradients:
            gradient /= float(sums[0])
        rate = learning_rate(self.settings, self.state.counters.step, progress)
        norm = self.state.update(rate, self.settings.clip, self.settings.average)
        self.state.counters.rows += int(sums[1])
        return {"rate": rate, "norm": norm, **_means(sums)}

    def run(self) -> None:
        """Steps until the settings' end, with saves on the way."""
        s, counters = self.settings, self.state.counters
        began, saved, saves, before = time.monotonic(), time.monotonic(), 0, counters.seconds
        first = counters.step
        while True:
            elapsed = time.monotonic() - began
            progress = self.worker.agree(max(counters.step / s.steps, elapsed / s.seconds))
            if progress >= 1:
                break
            figures = self.step(progress)
            elapsed = time.monotonic() - began
            counters.seconds = before + elapsed
            self._report(figures, time_left(s, counters.step, counters.step - first, elapsed))
            if self.worker.agree(float(time.monotonic() - saved > s.save_seconds)):
                saves, saved = saves + 1, time.monotonic()
                self._save(saves % s.held_every == 0)
        self._save(True)

    def _report(self, figures: dict[str, float], seconds: float) -> None:
        if not self.worker.leads:
            return
        counters = self.state.counters
        self._log(
            {
                **_counted(counters),
                **figures,
                "cpu": time.process_time(),
                "load": os.getloadavg()[0],
            }
        )
        rows = f"{counters.rows:,} rows, NLL {figures['real']:.3f}"
        print(f"step {counters.step}, {rows}, {seconds / 60:,.0f} min left", flush=True)

    def _save(self, measure: bool) -> None:
        if not self.worker.leads:
            return
        self.state.save(self.path)
        if measure and self.held:
            self.state.swap_average()
            measured = causal_nll if self.settings.reading == "causal" else canvas_nll
            result = measured(self.network, self.held, self.config)
            self.state.swap_average()
            self._log(
                {**_counted(self.state.counters), "held": result.nll, "tokens": result.tokens}
            )

    def _log(self, entry: dict[str, object]) -> None:
        with (self.folder / "log.jsonl").open("a") as file:
            file.write(json.dumps(entry) + "\n")


def _lines_until(log: str, step: int) -> list[str]:
    """Whole lines up to `step`: a run that was killed has logged more than it has saved."""
    kept = []
    for line in log.splitlines(keepends=True):
        with suppress(ValueError):  # the line that was being written
            kept += [line] if json.loads(line)["step"] <= step and line.endswith("\n") else []
    return kept


def time_left(settings: Settings, step: int, done: int, elapsed: float) -> float:
    """Seconds to the end of a run at `step`, of which this start took `done` in `elapsed` s."""
    return min((settings.steps - step) * elapsed / done, settings.seconds - elapsed)


def _teacher(settings: Settings) -> Teacher | None:
    """What fills holes for the canvas, where the settings ask for it."""
    if not settings.taught and not settings.soft:
        return None
    if settings.reading == "causal" or settings.samplers:
        raise SystemExit("taught and soft need reading=canvas and samplers=0.")
    device = torch.device(settings.device)
    return Teacher(load(Path(settings.model), torch.bfloat16, device))


def _counted(counters: Counters) -> dict[str, object]:
    """Step, rows and seconds for a log line."""
    return {
        "step": counters.step,
        "canvas_rows": counters.rows,
        "seconds": round(counters.seconds, 1),
    }


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
    return {
        "step_rows": values[1],
        **{n: v if math.isfinite(v) else -1.0 for n, v in means.items()},
    }


@dataclass(frozen=True, slots=True)
class Work:
    """What a process of a run does; a class so that it can be sent to one."""

    settings: Settings

    def __call__(self, worker: Worker, folder: Path) -> None:
        torch.set_num_threads(1 if self.settings.device == "cpu" else 8)
        with (folder / "pids").open("a") as file:
            file.write(f"{os.getpid()}\n")
        run = Run(self.settings, worker, folder)
        run.begin()
        run.run()


def train(settings: Settings, folder: Path) -> None:
    """Start or go on with the run in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pids").write_text("")
    start(settings.workers, folder, Work(settings))

"""Processes of one training run and what they exchange: flat gradients, sums, an agreed stop."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor
from torch.multiprocessing.spawn import spawn

PATIENCE = timedelta(days=2)
"""A run that benchmarks have paused is not a failed run."""


class Worker:
    """This process's number among `count`; all exchanges are no-ops when it is alone."""

    def __init__(self, number: int, count: int) -> None:
        self.number, self.count = number, count

    @property
    def leads(self) -> bool:
        """Whether this process writes files and reports."""
        return self.number == 0

    def add(self, tensors: list[Tensor]) -> None:
        """Sum each tensor over all processes, in place."""
        if self.count > 1:
            for tensor in tensors:
                dist.all_reduce(tensor)

    def agree(self, value: float) -> float:
        """The leader's value."""
        box = torch.tensor([value], dtype=torch.float64)
        if self.count > 1:
            dist.broadcast(box, 0)
        return float(box.item())


def start(count: int, run: Path, work: Callable[[Worker, Path], None]) -> None:
    """Run `work` in `count` processes (in this one if 1) that meet through a file in `run`."""
    if count == 1:
        work(Worker(0, 1), run)
        return
    meeting = run / "meeting"
    meeting.unlink(missing_ok=True)
    spawn(_enter, (count, run, meeting, work), nprocs=count)  # type: ignore[no-untyped-call]


def _enter(
    number: int, count: int, run: Path, meeting: Path, work: Callable[[Worker, Path], None]
) -> None:
    dist.init_process_group(
        "gloo",
        init_method=f"file://{meeting.resolve()}",
        rank=number,
        world_size=count,
        timeout=PATIENCE,
    )
    work(Worker(number, count), run)
    dist.barrier()  # gloo aborts a process whose peer hangs up while it is still busy
    dist.destroy_process_group()

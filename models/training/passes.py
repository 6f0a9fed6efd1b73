"""The passes of a training run, prepared in line or ahead of time."""

import random
from collections.abc import Iterator
from itertools import compress

from torch.utils.data import DataLoader, Dataset

from models.training.align import Clean, with_clean
from models.training.pack import Item, Pack, pack
from models.training.samples import Sampler
from models.training.settings import Settings
from models.training.teacher import Teacher
from models.training.workers import Worker

Passed = tuple[Pack, Clean | None]


class Passes(Dataset[list[Passed]]):
    """The passes of each step of one process; they depend on seed, process and step alone."""

    def __init__(
        self, settings: Settings, worker: Worker, sampler: Sampler, teacher: Teacher | None = None
    ) -> None:
        self._settings, self._sampler, self._teacher = settings, sampler, teacher
        self._number, self._count = worker.number, worker.count

    def __len__(self) -> int:
        return self._settings.steps

    def __getitem__(self, step: int) -> list[Passed]:
        s = self._settings
        rng = random.Random(f"{s.seed}-{self._number}-{step}")
        items: list[Item] = []
        packs: list[Passed] = []
        rows = 0
        share, done = s.rows / self._count, 0
        while done < share:
            items.append(self._sampler.item(rng))
            rows += _rows(items[-1])
            if rows >= min(s.pass_rows, share - done):
                items = self._taught(items, rng)
                packs.append(with_clean(items) if s.align else (pack(items), None))
                done, items, rows = done + rows, [], 0
        return packs

    def _taught(self, items: list[Item], rng: random.Random) -> list[Item]:
        """The items, with lines that the teacher has written and what it expects of slots."""
        s = self._settings
        if self._teacher is None:
            return items
        if s.taught:
            chosen = [rng.random() < s.taught for _ in items]
            told = iter(self._teacher.retold(list(compress(items, chosen)), rng, s.noisy))
            items = [next(told) if yes else item for item, yes in zip(items, chosen, strict=True)]
        return self._teacher.softened(items, s.soft) if s.soft else items

    def since(self, step: int) -> Iterator[list[Passed]]:
        """The passes from `step` on, prepared ahead by other processes where there are any."""
        samplers = self._settings.samplers
        order = range(step, len(self))
        ahead = 4 if samplers else None
        loader: DataLoader[list[Passed]] = DataLoader(
            self, batch_size=None, sampler=order, num_workers=samplers, prefetch_factor=ahead
        )
        return iter(loader)


def _rows(item: Item) -> int:
    return sum(len(hole.positions) * len(hole.slots) for hole in item.holes)

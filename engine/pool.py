"""Several engine processes as one hub: a client stays with the process it first came to."""

import asyncio
from itertools import zip_longest

from engine.config import EngineConfig
from engine.hub import Deliver, EngineFacts, EngineLink, Load
from engine.process import EngineProcess


class EnginePool:
    """One process a worker; a new client gets, of those that run, the one with the least to do."""

    def __init__(
        self, config: EngineConfig, workers: int = 1, command: list[str] | None = None
    ) -> None:
        if not 1 <= workers <= 64:
            raise ValueError(f"workers must be 1 to 64, not {workers}")
        self._processes = [EngineProcess(config, command) for _ in range(workers)]

    async def start(self) -> None:
        """Begin to start every process."""
        for process in self._processes:
            await process.start()

    async def ready(self) -> None:
        """Wait until every process has its model; EngineError if one can't."""
        for process in self._processes:
            await process.ready()

    async def close(self) -> None:
        """End every process."""
        await asyncio.gather(*(process.close() for process in self._processes))

    @property
    def facts(self) -> EngineFacts | None:
        """What the first process that is ready says of itself."""
        return next((p.facts for p in self._processes if p.facts is not None), None)

    @property
    def load(self) -> Load:
        """The sum over the processes; the slowest step."""
        loads = [process.load for process in self._processes]
        return Load(
            sum(load.live for load in loads),
            sum(load.steps for load in loads),
            max(load.step_ms for load in loads),
            sum(load.cached_bytes for load in loads),
            tuple(map(sum, zip_longest(*(load.step_counts for load in loads), fillvalue=0))),
            sum(load.steps_ms for load in loads),
        )

    @property
    def restarts(self) -> int:
        """Starts after the first, over all processes."""
        return sum(process.restarts for process in self._processes)

    def connect(self, client: str, deliver: Deliver) -> EngineLink:
        """See EngineHub."""
        best = min(self._processes, key=lambda process: (process.facts is None, process.live))
        return best.connect(client, deliver)

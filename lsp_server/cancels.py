"""Which running tasks may be cancelled, under which names.

pygls ends a direct request's coroutine when the editor cancels it, but lets a command's run on;
what a command starts is therefore entered here by its request's id as well.
"""

import asyncio
from collections.abc import Coroutine, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Cancels:
    """Tasks by name. A name is a pair such as ("request", 3), ("job", "a1") or ("ghost", uri)."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T], *names: Hashable) -> asyncio.Task[T]:
        """Run `work` as a task under these names; a task that had a name before loses it."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        for name in names:
            self._tasks[name] = task
        task.add_done_callback(lambda done: self._forget(done, names))
        return task

    def cancel(self, name: Hashable) -> bool:
        """Cancel the task of this name; False if there is none."""
        task = self._tasks.get(name)
        return task is not None and task.cancel()

    def has(self, name: Hashable) -> bool:
        """Whether a task of this name runs."""
        return name in self._tasks

    async def end(self) -> None:
        """Cancel every task and wait until they have ended."""
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, task: asyncio.Task[Any], names: tuple[Hashable, ...]) -> None:
        self._running.discard(task)
        for name in names:
            if self._tasks.get(name) is task:
                del self._tasks[name]

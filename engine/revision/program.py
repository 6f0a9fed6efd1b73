"""Work in turns: a generator yields works and goes on when all of them are done.

Like engine.search it is told every result and returns further work; it never touches the engine.
"""

from collections.abc import Generator
from typing import TypeVar

from engine.job import Finish, StepResult, Work
from engine.query import Answer, Context, Part, Query

T = TypeVar("T")
Steps = Generator[list[Work], None, T]


class Program:
    """Drives one generator. Ends by itself, or with the first error, deadline or cancel."""

    def __init__(self, steps: Steps[None], deadline: float | None = None) -> None:
        self._steps = steps
        self._deadline = deadline
        self._open: set[str] = set()
        self.finish: Finish | None = None
        self.error: str | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.finish is not None or self.error is not None

    @property
    def running(self) -> list[str]:
        """Ids of work that has not ended."""
        return sorted(self._open)

    def start(self) -> list[Work]:
        """The first work."""
        return self._next()

    def advance(self, result: StepResult) -> list[Work]:
        """Take a result in; returns the work that it calls for."""
        if result.finish is None and result.error is None:
            return []
        self._open.discard(result.work.id)
        if result.error is not None:
            self.error = result.error
        elif result.finish in ("deadline", "cancelled"):
            self.finish = result.finish
        return [] if self.over or self._open else self._next()

    def _next(self) -> list[Work]:
        for works in self._steps:
            if works:
                for work in works:
                    work.deadline = self._deadline
                self._open = {work.id for work in works}
                return works
        self.finish = "converged"
        return []


def ask(name: str, context: Context, parts: list[Part]) -> Steps[list[Answer]]:
    """Answers to all parts, in order; no pass without parts."""
    if not parts:
        return []
    query = Query(name, context, parts)
    yield [query]
    return query.answers

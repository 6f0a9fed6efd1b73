"""Requests whose constraints are being compiled, in threads that wait for the compile process.

Nothing here blocks the engine: other fills take their steps meanwhile.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from queue import Empty, SimpleQueue

from engine.constraints.checkers import Checker, checker_of
from engine.constraints.compiler import Compiled, ConstraintCompiler
from engine.constraints.errors import (
    ConstraintError,
    TooLargeError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.leaving import Leaving
from engine.constraints.spec import ConstraintSpec
from engine.constraints.vocabulary import Vocabulary
from engine.languages import Language, Languages, asked_of, listed_of, param_of, spec_of
from engine.refusal import refusal
from protocol.constraint import Constraint, Syntax
from protocol.errors import ProtocolError
from protocol.messages import Task

WAITING = 64
"""Requests whose constraints may be compiled at a time; each has a thread, which lasts until it has
its turn, be it waited for or not."""
LENIENT = (UnsupportedError, TooLargeError, UnsatisfiableError)
"""Refusals that a request may choose to put up with."""

Request = Task


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request whose constraints are compiled, or why they are not."""

    request: Request
    languages: Languages | ProtocolError


class Compiling:
    """Owns the compile process, and the requests that wait for it."""

    def __init__(
        self,
        token_bytes: Sequence[bytes],
        cache_folder: Path | None,
        clock: Callable[[], float],
    ) -> None:
        self._vocabulary = Vocabulary(token_bytes)
        self._compiler = ConstraintCompiler(self._vocabulary, cache_folder)
        self._clock = clock
        self._waiting: dict[str, tuple[Request, float]] = {}
        self._threads: list[threading.Thread] = []
        self._arrived: SimpleQueue[tuple[Request, Languages | ProtocolError]] = SimpleQueue()

    @property
    def busy(self) -> bool:
        """Whether a request waits."""
        return bool(self._waiting)

    def ask(self, request: Request) -> Languages | None:
        """The languages of a request, if they are at hand; None: `arrived` will have them.

        ProtocolError if it can be told at once that they won't do.
        """
        asked, since = asked_of(request), self._clock()
        if not asked:
            return Languages()
        found = {number: self._at_hand(number, one) for number, one in asked.items()}
        if all(language is not None for language in found.values()):
            return Languages({n: one for n, one in found.items() if one is not None}, since)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= WAITING:
            text = f"{WAITING} requests wait for their constraints."
            raise ProtocolError("overloaded", text, None, 1000)
        self._waiting[request.id] = request, since
        work = threading.Thread(target=self._work, args=(request, asked, since), daemon=True)
        work.start()
        self._threads.append(work)
        return None

    def arrived(self, patience: float = 0.0) -> list[Arrived]:
        """The requests that need not wait any more; waits up to `patience` seconds for one."""
        found = self._late()
        with contextlib.suppress(Empty):
            while True:
                wait = patience if self._waiting and not found else 0.0
                request, languages = (
                    self._arrived.get(timeout=wait) if wait else (self._arrived.get_nowait())
                )
                if self._holds(request):
                    del self._waiting[request.id]
                    found.append(Arrived(request, languages))
        return found

    def drop(self, name: str) -> bool:
        """Forget a request; whether it was there. What is being compiled for it is kept, what
        waits to be is not compiled."""
        return self._waiting.pop(name, None) is not None

    def close(self) -> None:
        """End the compile process."""
        self._waiting.clear()
        self._compiler.close()

    def _holds(self, request: Request) -> bool:
        """Whether this very request waits; also asked from its thread."""
        waiting = self._waiting.get(request.id)
        return waiting is not None and waiting[0] is request

    def _late(self) -> list[Arrived]:
        """The requests whose time is up."""
        now, late = self._clock(), []
        for request, since in list(self._waiting.values()):
            if request.deadline_ms is not None and now >= since + request.deadline_ms / 1000:
                del self._waiting[request.id]
                text = f"The constraint was not compiled within {request.deadline_ms} ms."
                late.append(Arrived(request, ProtocolError("deadline", text, "constraint")))
        return late

    def _at_hand(self, number: int, asked: Constraint) -> Language | None:
        """A language that needs no compiling, or was compiled before."""
        try:
            spec = spec_of(asked)
        except ConstraintError as error:
            raise refusal(error, param_of(number)) from error
        if isinstance(asked, Syntax) and asked.schema is not None:
            return None  # what the schema leaves must be tried
        if spec is None:
            return Language(asked)
        compiled = self._compiler.known(spec)
        return None if compiled is None else self._language(asked, compiled)

    def _work(self, request: Request, asked: dict[int, Constraint], since: float) -> None:
        """Compile everything a request needs; runs in a thread of its own."""
        try:
            by_hole = {n: self._compiled(n, one, request) for n, one in asked.items()}
            self._arrived.put((request, Languages(by_hole, since)))
        except ProtocolError as error:
            self._arrived.put((request, error))
        except Exception as error:  # noqa: BLE001  # whatever it is, the request must hear of it
            text = f"The constraint could not be compiled: {type(error).__name__}."
            self._arrived.put((request, ProtocolError("engine_failed", text, "constraint")))

    def _compiled(self, number: int, asked: Constraint, request: Request) -> Language:
        spec, wanted = spec_of(asked), partial(self._holds, request)
        try:
            if (listed := listed_of(asked, request, wanted)) is not None:
                return self._language(asked, self._compiler.compile(listed, wanted), listed=True)
            if spec is None:
                return Language(asked)
            return self._language(asked, self._compiler.compile(spec, wanted))
        except LENIENT as error:
            if not asked.best_effort or spec is None:
                raise refusal(error, param_of(number)) from error
            return Language(asked, check=_check(spec), reason=str(error))
        except ConstraintError as error:
            raise refusal(error, param_of(number)) from error

    def _language(self, asked: Constraint, compiled: Compiled, listed: bool = False) -> Language:
        return Language(asked, compiled, compiled.check, leaving=self._leaving, listed=listed)

    @cached_property
    def _leaving(self) -> Leaving:
        return Leaving(self._vocabulary)


def _check(spec: ConstraintSpec) -> Checker | None:
    """A validator for what can't be compiled, if one reads it."""
    with contextlib.suppress(ConstraintError):
        return checker_of(spec)
    return None

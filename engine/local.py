"""An engine in this process, behind EngineClient."""

import logging
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec.structs import replace

from engine.backend import open_model
from engine.capabilities import CAPABILITIES
from engine.compiling import Arrived, Compiling
from engine.config import EngineConfig
from engine.core import Engine
from engine.errors import kind_and_place
from engine.hub import STEP_MS, EngineFacts, Load
from engine.languages import Languages
from engine.prompt import prefix_limit
from engine.query import Context, Priority, Query
from engine.runner import Runner
from engine.scheduler import Scheduler
from engine.session import Session
from engine.several.fills import Several
from engine.shape.judge import judged_names
from engine.turns import Turn
from models.loader import Model
from protocol.capabilities import require, syntax_of
from protocol.errors import ProtocolError
from protocol.messages import (
    Accepted,
    Cancel,
    ClientMessage,
    Done,
    Error,
    Fill,
    Revise,
    ReviseText,
    Score,
    ServerMessage,
    Task,
)
from protocol.replies import is_end

logger = logging.getLogger(__name__)

PATIENCE = 0.02
"""Seconds that a step waits for a constraint where there is nothing else to do."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who asked for a fill, and how urgent it is."""

    client: str
    priority: Priority


class LocalEngine:
    """Steps the engine while somebody waits in `receive`, or calls `step`.

    Attributes:
        facts: what the engine says of itself.
    """

    def __init__(
        self, model: Model, config: EngineConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        banned = model.tokenizer.silent_ids - {model.config.eos_id}
        self._runner = Runner(model.transformer, config.cache_bytes, banned)
        self._engine = Engine(self._runner, Scheduler(config.batch_jobs), clock)
        self._session = Several(Session(model, config, clock), clock)
        self._compiling = Compiling(model.tokenizer.token_bytes, config.constraint_cache, clock)
        self._clock = clock
        self._outbox: deque[ServerMessage] = deque()
        self._owners: dict[str, Owner] = {}  # of every live request: an id that has none is free
        self._step_ms, self._steps_ms = 0.0, 0.0
        self._step_counts = [0] * (len(STEP_MS) + 1)
        device, judged = str(model.transformer.device), map(syntax_of, judged_names())
        caps = tuple(sorted(CAPABILITIES.union(judged)))
        before = prefix_limit(model.config, config.prefix_tokens)
        window = before + model.config.layout.suffix_limit
        self.facts = EngineFacts(model.name, caps, device, str(model.folder), window)

    @property
    def busy(self) -> bool:
        """Whether there is work."""
        return self._engine.busy or self._compiling.busy

    @property
    def load(self) -> Load:
        """How busy the engine is."""
        return Load(
            len(self._owners),
            sum(self._step_counts),
            round(self._step_ms, 2),
            self._runner.cached_bytes,
            tuple(self._step_counts),
            round(self._steps_ms, 2),
        )

    def send(self, message: ClientMessage, client: str = "") -> None:
        """See EngineClient; fills of one `client` share their part of the engine."""
        try:
            require(message, CAPABILITIES)
        except ProtocolError as error:
            self._refuse(message, error)
            return
        with self._boundary(message.id):
            match message:
                case Fill() | ReviseText() | Score():
                    self._open(message, client)
                case Revise():
                    self._revise(message)
                case Cancel():
                    self._cancel(message.id)

    def step(self) -> list[ServerMessage]:
        """One turn of the engine; everything that is to be said since the last.

        With nothing to do but wait for a constraint, it waits for a moment.
        """
        idle = not self._engine.busy and not self._outbox
        for arrived in self._compiling.arrived(PATIENCE if idle else 0.0):
            with self._boundary(arrived.request.id):
                self._resume(arrived)
        if self._engine.busy:
            began = self._clock()
            for result in self._engine.step():
                with self._boundary(result.work.id.partition("/")[0]):
                    self._take(self._session.advance(result))
            self._step_ms = (self._clock() - began) * 1000
            self._steps_ms += self._step_ms
            self._step_counts[bisect_left(STEP_MS, self._step_ms)] += 1
        said = list(self._outbox)
        self._outbox.clear()
        return said

    def receive(self) -> ServerMessage | None:
        """See EngineClient; takes as many engine steps as it needs to have something to say."""
        while not self._outbox and self.busy:
            self._outbox.extend(self.step())
        return self._outbox.popleft() if self._outbox else None

    def close(self) -> None:
        """See EngineClient."""
        self._outbox.clear()
        self._compiling.close()

    @contextmanager
    def _boundary(self, name: str) -> Iterator[None]:
        """Whatever goes wrong inside ends the request of this id, never the engine."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  # whatever it is, the others go on
            logger.error("a request failed: %s", kind_and_place(error))
            self._forget(name)
            text = f"The engine could not go on with this request: {type(error).__name__}."
            self._outbox.append(Error("engine_failed", text, name))

    def _forget(self, name: str) -> None:
        """Let nothing stay of a request, whatever it had come to."""
        self._compiling.drop(name)
        for work in self._session.forget(name):
            self._engine.drop(work)
        self._owners.pop(name, None)

    def _open(self, fill: Task, client: str) -> None:
        """Begin a request, or have its constraints compiled first."""
        try:
            if fill.id in self._owners:
                raise ProtocolError("id_conflict", f"A fill with id {fill.id} is running.", "id")
            wait = self._admit(fill, client)
            languages = self._compiling.ask(fill)
            if languages is None:
                self._owners[fill.id] = Owner(client, fill.priority)
            else:
                self._begin(fill, languages, Owner(client, fill.priority), wait)
        except ProtocolError as error:
            self._refuse(fill, error)

    def _resume(self, arrived: Arrived) -> None:
        """Go on with a request whose constraints are compiled, or can't be."""
        fill, owner = arrived.request, self._owners.pop(arrived.request.id)
        try:
            if isinstance(arrived.languages, ProtocolError):
                raise arrived.languages
            wait = self._engine.wait(_probe(fill, owner.client, None))
            self._begin(fill, arrived.languages, owner, wait)
        except ProtocolError as error:
            self._refuse(fill, error)

    def _begin(
        self, fill: Task, languages: Languages, owner: Owner, wait: tuple[int, float]
    ) -> None:
        turn = self._session.open(fill, languages)
        self._owners[fill.id] = owner
        turn.messages = [_with_wait(message, wait) for message in turn.messages]
        self._take(turn)

    def _cancel(self, name: str) -> None:
        """End a request before its next step."""
        if self._compiling.drop(name):
            self._owners.pop(name, None)
            self._outbox.append(Done(name, "", "cancelled"))
        for work in self._session.running(name):
            self._engine.cancel(work)

    def _revise(self, revise: Revise) -> None:
        """Do what is asked of a live canvas."""
        try:
            self._take(self._session.revise(revise))
        except ProtocolError as error:
            self._refuse(revise, error)

    def _admit(self, fill: Task, client: str) -> tuple[int, float]:
        """The wait a fill has to expect; ProtocolError overloaded if that is too long for it."""
        deadline = None if fill.deadline_ms is None else self._clock() + fill.deadline_ms / 1000
        probe = _probe(fill, client, deadline)
        refusal = self._engine.refusal(probe)
        if refusal is not None:
            again = round(refusal.retry_after * 1000)
            raise ProtocolError("overloaded", refusal.message, None, again)
        return self._engine.wait(probe)

    def _take(self, turn: Turn) -> None:
        self._outbox.extend(turn.messages)
        for work in turn.add:
            owner = self._owners[work.id.partition("/")[0]]
            work.client, work.priority = owner.client, owner.priority
            self._engine.add(work)
        for work_id in turn.cancel:
            self._engine.drop(work_id)
        for job in turn.changed:
            self._engine.changed(job)
        for message in turn.messages:
            if is_end(message):
                self._owners.pop(message.id or "", None)

    def _refuse(self, message: ClientMessage, error: ProtocolError) -> None:
        """Say why something is not done; a live fill that was to be changed goes on."""
        ends = not isinstance(message, Revise) and message.id not in self._owners
        refusal = Error(
            error.code, str(error), message.id, error.param, error.retry_after_ms, ends=ends
        )
        self._outbox.append(refusal)


def _probe(fill: Task, client: str, deadline: float | None) -> Query:
    """Work as a request would bring it, to ask the engine about."""
    return Query("", Context(()), [], deadline=deadline, client=client, priority=fill.priority)


def _with_wait(message: ServerMessage, wait: tuple[int, float]) -> ServerMessage:
    if not isinstance(message, Accepted):
        return message
    turns, seconds = wait
    return replace(message, position=turns, est_ms=round(seconds * 1000, 1))


def open_engine(config: EngineConfig) -> LocalEngine:
    """Load the model and start an engine here; EngineError if that can't be done."""
    return LocalEngine(open_model(config), config)

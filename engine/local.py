"""An engine in this process, behind EngineClient."""

import time
from collections import deque
from collections.abc import Callable

from engine.backend import open_model
from engine.config import EngineConfig
from engine.core import Engine
from engine.runner import Runner
from engine.scheduler import Scheduler
from engine.session import Session, Turn
from models.loader import Model
from protocol.errors import ProtocolError
from protocol.messages import Cancel, ClientMessage, Error, Fill, ServerMessage


class LocalEngine:
    """Steps the engine while somebody waits in `receive`."""

    def __init__(
        self, model: Model, config: EngineConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        banned = model.tokenizer.silent_ids - {model.config.eos_id}
        runner = Runner(model.transformer, config.cache_bytes, banned)
        self._engine = Engine(runner, Scheduler(config.batch_jobs), clock)
        self._session = Session(model, config, clock)
        self._outbox: deque[ServerMessage] = deque()

    def send(self, message: ClientMessage) -> None:
        """See EngineClient."""
        match message:
            case Fill():
                self._open(message)
            case Cancel():
                for work in self._session.cancel(message.id):
                    self._engine.cancel(work)

    def receive(self) -> ServerMessage | None:
        """See EngineClient; takes as many engine steps as it needs to have something to say."""
        while not self._outbox and self._engine.busy:
            for result in self._engine.step():
                self._take(self._session.advance(result))
        return self._outbox.popleft() if self._outbox else None

    def close(self) -> None:
        """See EngineClient."""
        self._outbox.clear()

    def _open(self, fill: Fill) -> None:
        try:
            turn = self._session.open(fill)
        except ProtocolError as error:
            turn = Turn([Error(error.code, str(error), fill.id, error.param)])
        self._take(turn)

    def _take(self, turn: Turn) -> None:
        self._outbox.extend(turn.messages)
        for work in turn.add:
            self._engine.add(work)
        for work_id in turn.cancel:
            self._engine.cancel(work_id)


def open_engine(config: EngineConfig) -> LocalEngine:
    """Load the model and start an engine here; EngineError if that can't be done."""
    return LocalEngine(open_model(config), config)

"""An engine that answers from a table, behind EngineClient; no model."""

from collections import deque
from collections.abc import Callable

from protocol.messages import (
    Accepted,
    Cancel,
    ClientMessage,
    Done,
    Error,
    Fill,
    ServerMessage,
    Stats,
    Token,
)


class TableEngine:
    """Ends every fill with `answer(fill)`; None is refused. Fills end last in, first out."""

    def __init__(self, answer: Callable[[Fill], str | None]) -> None:
        self._answer = answer
        self._live: list[Fill] = []
        self._outbox: deque[ServerMessage] = deque()
        self.most_live = 0
        self.seen: list[Fill] = []

    def send(self, message: ClientMessage) -> None:
        """See EngineClient."""
        if isinstance(message, Cancel):
            return
        assert isinstance(message, Fill)
        self._live.append(message)
        self.seen.append(message)
        self.most_live = max(self.most_live, len(self._live))
        self._outbox.append(Accepted(message.id, "table", 0, 1, "causal"))

    def receive(self) -> ServerMessage | None:
        """See EngineClient."""
        if self._outbox:
            return self._outbox.popleft()
        return self._end(self._live.pop()) if self._live else None

    def close(self) -> None:
        """See EngineClient."""

    def _end(self, fill: Fill) -> ServerMessage:
        text = self._answer(fill)
        if text is None:
            return Error("refused", "no", fill.id)
        stats = Stats(steps=4, forwards=4)
        return Done(fill.id, text, "stop", (Token(text, 1.0, 1),) * 2, stats)

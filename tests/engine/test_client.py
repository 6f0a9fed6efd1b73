"""`stream`: a request's messages up to its end, from any engine."""

from engine.client import stream
from protocol.messages import Cancel, ClientMessage, Done, Error, Fill, ServerMessage


class Scripted:
    """An engine that says what it was told to say."""

    def __init__(self, *messages: ServerMessage) -> None:
        self.asked: list[ClientMessage] = []
        self._messages = list(messages)

    def send(self, message: ClientMessage) -> None:
        self.asked.append(message)

    def receive(self) -> ServerMessage | None:
        return self._messages.pop(0) if self._messages else None

    def close(self) -> None:
        """Nothing to let go of."""


def test_a_refusal_that_does_not_end_a_fill_does_not_end_its_stream() -> None:
    refusal = Error("unsupported", "Not that.", "a", ends=False)
    engine = Scripted(refusal, Done("a", "x", "stop"))
    messages = list(stream(engine, Fill("a", prefix="", suffix="")))
    assert messages == [refusal, Done("a", "x", "stop")]
    assert not any(isinstance(message, Cancel) for message in engine.asked)

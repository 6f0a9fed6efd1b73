"""How everybody talks to an engine: protocol structs in, protocol structs out, nothing else."""

from collections.abc import Iterator
from typing import Protocol

from protocol.messages import Cancel, ClientMessage, ServerMessage, Task
from protocol.replies import is_end


class EngineClient(Protocol):
    """One connection to an engine, wherever it runs."""

    def send(self, message: ClientMessage) -> None:
        """Hand over a message; what comes of it, errors included, is heard from `receive`."""
        ...

    def receive(self) -> ServerMessage | None:
        """The next message for this client; None when nothing is running and nothing is left."""
        ...

    def close(self) -> None:
        """Let go of the engine; live fills end."""
        ...


def stream(client: EngineClient, task: Task) -> Iterator[ServerMessage]:
    """Send a request and yield its messages up to and including its end (Done, Scores or Error).

    Leaving the iterator early cancels it.
    """
    client.send(task)
    finished = False
    try:
        while (message := client.receive()) is not None:
            if message.id not in (task.id, None):
                continue
            finished = is_end(message)
            yield message
            if finished:
                return
    finally:
        if not finished:
            client.send(Cancel(id=task.id))

"""The engine process: frames from a pipe, steps, frames to a pipe. One loop, one thread of torch.

It reads between steps, so that a cancel acts before the next one. It ends when its pipe does.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import BinaryIO, Protocol

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.hub import EngineFacts, Load
from engine.ipc import Ask, Failed, FromWorker, Ready, Said, Start, pack, read_frames, to_worker
from protocol.messages import ClientMessage, Error, ServerMessage

logger = logging.getLogger(__name__)

Inbox = SimpleQueue[bytes | None]


class StepEngine(Protocol):
    """An engine that is stepped by its owner."""

    @property
    def facts(self) -> EngineFacts:
        """What it is."""
        ...

    @property
    def busy(self) -> bool:
        """Whether a step would do anything."""
        ...

    @property
    def load(self) -> Load:
        """How busy it is."""
        ...

    def send(self, message: ClientMessage, client: str = "") -> None:
        """Take a message of a client."""
        ...

    def step(self) -> list[ServerMessage]:
        """One turn; what is to be said since the last."""
        ...


Open = Callable[[EngineConfig], StepEngine]


def run(open_engine: Open, inbox: BinaryIO, outbox: BinaryIO) -> int:
    """Serve the pipe until it ends; the exit status."""

    def say(message: FromWorker) -> None:
        outbox.write(pack(message))
        outbox.flush()

    queue: Inbox = SimpleQueue()
    Thread(target=_read, args=(inbox, queue), daemon=True).start()
    first = queue.get()
    if first is None:
        return 0
    start = to_worker(first)
    assert isinstance(start, Start), "the first frame starts the engine"
    try:
        engine = open_engine(start.config)
    except EngineError as error:
        say(Failed(str(error)))
        return 1
    say(Ready(engine.facts))
    try:
        loop(engine, queue, say)
    except BrokenPipeError:
        logger.warning("the server is gone")
    return 0


def loop(engine: StepEngine, queue: Inbox, say: Callable[[FromWorker], None]) -> None:
    """Hear everything, take one step, say what came of it; until None is heard."""
    while True:
        refused: list[ServerMessage] = []
        for frame in _arrived(queue, wait=not engine.busy):
            if frame is None:
                return
            refused += _hear(engine, frame)
        messages = [*refused, *engine.step()]
        if messages:
            say(Said(tuple(messages), engine.load))


def _hear(engine: StepEngine, frame: bytes) -> list[ServerMessage]:
    """Hand one message to the engine; whatever goes wrong ends that request alone."""
    ask = to_worker(frame)
    assert isinstance(ask, Ask), "an engine is started once"
    try:
        engine.send(ask.message, ask.client)
    except Exception as error:
        logger.exception("a request could not be taken")
        text = f"The engine could not take this request: {type(error).__name__}."
        return [Error("engine_failed", text, ask.message.id)]
    return []


def _arrived(queue: Inbox, wait: bool) -> Iterator[bytes | None]:
    """What has arrived; waits for the first if asked to."""
    if wait:
        yield queue.get()
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return


def _read(pipe: BinaryIO, queue: Inbox) -> None:
    """The reader thread: as soon as the pipe ends, or is no pipe of ours, so does the worker."""
    try:
        for frame in read_frames(pipe):
            queue.put(frame)
    finally:
        queue.put(None)


def main(open_engine: Open) -> int:
    """Run on standard input and output; prints of libraries go to standard error instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    outbox = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Unbuffered: a buffer's lock, held by the reader thread, would break the interpreter's end.
    inbox = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    return run(open_engine, inbox, outbox)

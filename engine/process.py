"""An engine in a process of its own: started, watched, started again; its pipe never blocks us.

When the process dies every live request hears engine_failed, once, and nothing is asked twice.
"""

import asyncio
import contextlib
import logging
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

import engine
from engine.config import EngineConfig
from engine.errors import EngineError, kind_and_place
from engine.hub import Deliver, EngineFacts, Load
from engine.ipc import Ask, Failed, FrameError, FrameReader, Ready, Said, Start, from_worker, pack
from protocol.isolated import isolated
from protocol.messages import Cancel, ClientMessage, Done, Error, ServerMessage
from protocol.replies import is_end
from protocol.requests import Revise

logger = logging.getLogger(__name__)

WAITING = 256
"""Requests that may wait for an engine that is starting."""
CHUNK = 1 << 16
STOP_SECONDS = 5.0


def worker_command(module: str = "engine.worker_main", root: Path | None = None) -> list[str]:
    """How to start a worker: isolated from the working directory and the environment."""
    root = root or Path(engine.__file__).parent.parent
    return isolated(sys.executable, str(root), module)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds to wait before a start, growing with every start that failed in a row."""

    first: float = 0.2
    most: float = 10.0

    def seconds(self, failures: int) -> float:
        """The wait after so many failures in a row."""
        return 0.0 if failures == 0 else min(self.most, self.first * 2.0 ** min(failures - 1, 16))


@dataclass(slots=True)
class Link:
    """One client's line; see EngineLink. `live` maps its ids to those of the engine."""

    client: str
    deliver: Deliver
    process: "EngineProcess"
    live: dict[str, str] = field(default_factory=dict)
    closed: bool = False

    def send(self, message: ClientMessage) -> None:
        """See EngineLink."""
        if not self.closed:
            self.process.ask(self, message)

    def close(self) -> None:
        """See EngineLink."""
        for fill_id in list(self.live):
            self.process.ask(self, Cancel(fill_id))
        self.closed = True


class EngineProcess:
    """See the module; use it from one event loop.

    Attributes:
        facts: what the engine said when it became ready; None while none is.
        load: how busy it is, as of its last word.
        restarts: starts after the first.
    """

    def __init__(
        self,
        config: EngineConfig,
        command: list[str] | None = None,
        backoff: Backoff = Backoff(),
    ) -> None:
        self.facts: EngineFacts | None = None
        self.load = Load()
        self.restarts = 0
        self._config = config
        self._command = command or worker_command()
        self._backoff = backoff
        self._routes: dict[str, tuple[Link, str]] = {}  # engine id -> whose, under which id
        self._waiting: deque[tuple[str, Ask]] = deque()
        self._count = 0
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._first: asyncio.Future[None] | None = None
        self._failures = 0

    async def start(self) -> None:
        """Begin; returns at once. `ready` tells when the engine can be asked."""
        self._first = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._supervise())

    async def ready(self) -> None:
        """Wait for the first start; EngineError if the engine can't be what is asked of it."""
        assert self._first is not None, "start first"
        await asyncio.shield(self._first)

    async def close(self) -> None:
        """End the process; live requests hear that."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._fail_live("The server is stopping.")

    @property
    def pid(self) -> int | None:
        """The process that runs now."""
        return self._process.pid if self._process is not None else None

    @property
    def live(self) -> int:
        """Requests without an end."""
        return len(self._routes)

    def connect(self, client: str, deliver: Deliver) -> Link:
        """See EngineHub."""
        return Link(client, deliver, self)

    def ask(self, link: Link, message: ClientMessage) -> None:
        """Pass a message on under an id of ours; what is live already only under the one it has."""
        engine_id = link.live.get(message.id)
        if isinstance(message, Cancel | Revise):
            if engine_id is not None and self._has_room(link, message):
                self._write(Ask(link.client, replace(message, id=engine_id)))
            return
        if engine_id is not None:
            link.deliver(Error("id_conflict", "This id is live.", message.id, ends=False))
            return
        if not self._has_room(link, message):
            return
        self._count += 1
        engine_id = str(self._count)
        link.live[message.id] = engine_id
        self._routes[engine_id] = (link, message.id)
        self._write(Ask(link.client, replace(message, id=engine_id)))

    def _has_room(self, link: Link, message: ClientMessage) -> bool:
        """Whether a message can be passed on, or wait for the engine; if not, that is said."""
        if self.facts is not None or isinstance(message, Cancel) or len(self._waiting) < WAITING:
            return True
        text = "The engine is starting and too many requests wait for it."
        ends = not isinstance(message, Revise)
        link.deliver(Error("overloaded", text, message.id, retry_after_ms=1000, ends=ends))
        return False

    def _write(self, ask: Ask) -> None:
        pipe = self._process.stdin if self._process is not None else None
        if self.facts is not None and pipe is not None:
            pipe.write(pack(ask))
        elif isinstance(ask.message, Cancel):
            self._drop_waiting(ask.message.id)
        else:
            self._waiting.append((ask.message.id, ask))

    def _drop_waiting(self, engine_id: str) -> None:
        """Cancel a request that no engine has seen."""
        self._waiting = deque(entry for entry in self._waiting if entry[0] != engine_id)
        self._hear(Done(engine_id, "", "cancelled"))

    async def _supervise(self) -> None:
        """Start the process, listen until it ends, again."""
        while True:
            await asyncio.sleep(self._backoff.seconds(self._failures))
            try:
                await self._live_once()
            except (OSError, FrameError) as error:
                logger.error("the engine process: %s", error)
            self._failures += 1
            self.restarts += 1

    async def _live_once(self) -> None:
        """One life of the process."""
        pipe = asyncio.subprocess.PIPE
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(pack(Start(self._config)))
            await self._listen(process.stdout)
        finally:
            self.facts, self._process, self.load = None, None, Load()
            await _stop(process)
            level = logging.WARNING if process.returncode else logging.INFO
            logger.log(level, "the engine process ended with status %s", process.returncode)
            self._fail_live("The engine stopped in the middle of this; it is being restarted.")
            self._settle_first(EngineError("The engine process ended before it was ready."))

    async def _listen(self, pipe: asyncio.StreamReader) -> None:
        reader = FrameReader()
        while data := await pipe.read(CHUNK):
            for frame in reader.feed(data):
                match from_worker(frame):
                    case Ready(facts):
                        self._become_ready(facts)
                    case Failed(reason):
                        self._refuse_all(reason)
                    case Said(messages, load):
                        self.load = load
                        for message in messages:
                            self._hear(message)

    def _become_ready(self, facts: EngineFacts) -> None:
        self.facts, self._failures = facts, 0
        waiting, self._waiting = self._waiting, deque()
        for _, ask in waiting:
            self._write(ask)
        self._settle_first(None)

    def _settle_first(self, error: EngineError | None) -> None:
        """Tell who waits in `ready` how the first start went."""
        if self._first is None or self._first.done():
            return
        if error is None:
            self._first.set_result(None)
        else:
            self._first.set_exception(error)
            self._first.exception()  # it may be that nobody waits

    def _refuse_all(self, reason: str) -> None:
        """The engine can't start: whoever waits for it hears why."""
        logger.error("the engine can't start: %s", reason)
        self._settle_first(EngineError(reason))
        self._waiting.clear()
        self._fail_live(reason)

    def _hear(self, message: ServerMessage) -> None:
        """Deliver what the engine says of a request to the link it came from."""
        route = self._routes.get(message.id or "")
        if route is None:
            logger.warning("the engine spoke of a request that is not live")
            return
        link, fill_id = route
        if is_end(message):
            self._forget(link, fill_id)
        if link.closed:
            return
        try:
            link.deliver(replace(message, id=fill_id))
        except Exception as error:  # noqa: BLE001  # whatever it is, the others go on
            logger.error("what the engine said could not be taken: %s", kind_and_place(error))
            self._give_up(link, fill_id)

    def _forget(self, link: Link, fill_id: str) -> None:
        del self._routes[link.live.pop(fill_id)]

    def _give_up(self, link: Link, fill_id: str) -> None:
        """End a request whose answer can't be taken: the engine is told, and who asked for it."""
        if (engine_id := link.live.get(fill_id)) is not None:
            self._forget(link, fill_id)
            self._write(Ask(link.client, Cancel(engine_id)))
        with contextlib.suppress(Exception):
            link.deliver(Error("engine_failed", "The answer could not be taken.", fill_id))

    def _fail_live(self, reason: str) -> None:
        """End every request that the engine had seen, with the changes that wait for it."""
        asked = {key for key, ask in self._waiting if not isinstance(ask.message, Revise)}
        self._waiting = deque(entry for entry in self._waiting if entry[0] in asked)
        for engine_id in [key for key in self._routes if key not in asked]:
            self._hear(Error("engine_failed", reason, engine_id, retry_after_ms=1000))


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End a process: first by its pipe, then by force."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()

"""One engine job for ghost text. It goes on while what is typed agrees with what it has settled."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing

from lsp_server.ghost.answers import Answer
from lsp_server.ghost.spot import Spot, typed_since
from lsp_server.link.link import EngineLink
from protocol.errors import ProtocolError
from protocol.messages import Accepted, Delta, Done, Error, Fill, Snap, Splice
from protocol.mirror import Mirror

LOG = logging.getLogger("retouch.lsp.ghost")
Ask = Callable[[frozenset[str]], Fill]
"""What to ask an engine that can do these things."""


class Flight:
    """See the module.

    Attributes:
        spot: the place it was asked for.
        answer: its texts, once it has ended well.
        waiting: how many requests wait for it.
        ended: nothing more will come, and `over` has been called.
    """

    def __init__(
        self, link: EngineLink, ask: Ask, spot: Spot, over: Callable[["Flight"], None]
    ) -> None:
        self.spot = spot
        self.answer: Answer | None = None
        self.waiting = 0
        self.ended = False
        self._over = over
        self._base = (spot.before, spot.after)
        self._settled = ""
        self._news = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._fly(link, ask))
        self._task.add_done_callback(self._landed)

    @property
    def uri(self) -> str:
        """The document's."""
        return self.spot.document.uri

    @property
    def came_to_nothing(self) -> bool:
        """Whether it ended by itself and without an answer: the same again would fare no better."""
        return self.ended and self.answer is None and not self._task.cancelled()

    def agrees(self, spot: Spot) -> bool:
        """Whether the job may still answer for `spot`, as far as it can be told now."""
        typed = typed_since(self._base, spot)
        if typed is None:
            return False
        return self._settled.startswith(typed) or typed.startswith(self._settled)

    async def news(self) -> None:
        """Wait until more has settled, or the job has ended."""
        await self._news.wait()

    def cancel(self) -> None:
        """Stop the engine's work."""
        self._task.cancel()

    def check(self) -> None:
        """Raise what went wrong, if it was more than the engine saying no."""
        if self._task.done() and not self._task.cancelled():
            self._task.result()

    async def _fly(self, link: EngineLink, ask: Ask) -> None:
        await link.ready()
        fill, mirror = ask(link.capabilities), Mirror()
        async with aclosing(link.run(fill)) as messages:
            async for message in messages:
                match message:
                    case Accepted():
                        mirror.apply(message)
                    case Delta() | Splice() | Snap() if message.canvas == 0:
                        self._settle(mirror, message)
                    case Done():
                        self._end(fill, message)
                    case Error():
                        LOG.info("no ghost text: %s", message.code)

    def _settle(self, mirror: Mirror, frame: Delta | Splice | Snap) -> None:
        try:
            mirror.apply(frame)
        except ProtocolError:
            return  # the picture is lost, the answer is not
        self._settled = mirror.settled_text
        self._tell()

    def _end(self, fill: Fill, done: Done) -> None:
        said = (text for text in (done.text, *done.alternatives) if text.strip())
        texts = tuple(dict.fromkeys(said))
        if done.finish in ("cancelled", "superseded") or (done.finish == "deadline" and not texts):
            return
        self.answer = Answer(self.uri, *self._base, texts, fill.alternatives)

    def _landed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # whoever waits has it too
        self._over(self)
        self.ended = True
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        if not self.ended:
            self._news = asyncio.Event()

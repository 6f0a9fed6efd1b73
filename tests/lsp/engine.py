"""An engine's server for tests of the language server: real WebSocket, scripted answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.hub import EngineFacts
from protocol.messages import Cancel, ClientMessage, Done, Fill
from tests.engine.server.fake_engine import FakeStepEngine
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import Running
from tests.lsp.found import found_in

CAPS = ("alternatives", "context", "holes", "instruction", "old_text", "revise:pin")


@dataclass
class ScriptedEngine(FakeStepEngine):
    """The fake engine with a script of its own.

    Attributes:
        answer: the text for a fill.
        others: alternatives that a fill which wants some gets.
        held: no job takes a step while it is true.
        finish: how a job says that it ended.
        heard: everything it was asked.
        most_live: the most jobs of one document that were live together.
    """

    answer: Callable[[Fill], str] = lambda fill: "pass"
    others: tuple[str, ...] = ()
    steps_each: int = 4
    held: bool = False
    finish: str = "converged"
    most_live: int = 0
    heard: list[ClientMessage] = field(default_factory=list)
    facts: EngineFacts = field(default_factory=lambda: EngineFacts("fake", CAPS))

    @property
    def fills(self) -> list[Fill]:
        """Every fill that was asked for."""
        return [message for message in self.heard if isinstance(message, Fill)]

    @property
    def cancels(self) -> list[str]:
        """Ids of jobs that were cancelled."""
        return [message.id for message in self.heard if isinstance(message, Cancel)]

    def send(self, message: ClientMessage, client: str = "") -> None:
        self.heard.append(message)
        super().send(message, client)

    def orders(self, fill: Fill) -> dict[str, str]:
        return {"text": self.answer(fill), "steps": str(self.steps_each)}

    def _open(self, fill: Fill, client: str) -> None:
        super()._open(fill, client)
        docs = [run.fill.doc.key for run in self.live.values() if run.fill.doc is not None]
        self.most_live = max(self.most_live, *(docs.count(key) for key in docs), 0)

    def _advance(self, fill_id: str, running: object) -> None:
        if not self.held:
            super()._advance(fill_id, running)  # type: ignore[arg-type]

    def _end(self, fill_id: str, finish: str) -> None:
        wanted = self.live[fill_id].fill.alternatives
        super()._end(fill_id, self.finish if finish == "converged" else finish)
        last = self._outbox[-1]
        if wanted > 1 and isinstance(last, Done):
            others = self.others[: wanted - 1]
            done = Done(last.id, last.text, last.finish, (), last.stats, others)
            self._outbox[-1] = done


@dataclass
class FakeServer:
    """A server that runs, its engine, and the folder where it is found."""

    folder: Path
    engine: ScriptedEngine
    running: Running


@contextmanager
def fake_server(folder: Path, step_seconds: float = 0.002) -> Iterator[FakeServer]:
    """Serve until the block ends, found by the runtime file in `folder`, with a token."""
    engine = ScriptedEngine()
    with found_in(folder, InlineHub(step_seconds, engine=engine)) as server:
        yield FakeServer(folder, engine, server)

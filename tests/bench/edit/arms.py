"""How an edit is asked for: the touched lines written anew, or the whole text revised."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.client import EngineClient, stream
from protocol.messages import Done, Error, Fill, ReviseText
from tests.bench.edit.data import Task


@dataclass(frozen=True, slots=True)
class Edited:
    """The whole text afterwards, and what it cost."""

    text: str
    forwards: int
    ms: float


Ask = Callable[[EngineClient, Task], Edited]


def rewrite(guidance: float | None, told: bool = True) -> Ask:
    """Write the lines that the gold edit touches anew, at most as many as it has there."""

    def ask(client: EngineClient, task: Task) -> Edited:
        start, stop = task.touched
        fill = Fill(
            "bench",
            task.source[:start],
            task.source[stop:],
            shape="block",
            lines=task.gold_lines,
            path="solution.py",
            instruction=task.instruction if told else None,
            old_text=task.source[start:stop] or None if told else None,
            guidance=guidance,
        )
        return _edited(client, fill, task.source[:start], task.source[stop:])

    return ask


def revise(guidance: float | None) -> Ask:
    """Revise the whole text with the instruction in sight."""

    def ask(client: EngineClient, task: Task) -> Edited:
        request = ReviseText(
            "bench",
            "",
            task.source,
            "",
            path="solution.py",
            instruction=task.instruction,
            guidance=guidance,
        )
        return _edited(client, request, "", "")

    return ask


def _edited(client: EngineClient, request: Fill | ReviseText, before: str, after: str) -> Edited:
    *_, last = stream(client, request)
    if not isinstance(last, Done):
        raise RuntimeError(last.message if isinstance(last, Error) else "no answer")
    return Edited(before + last.text + after, last.stats.forwards, last.stats.wall_ms)


ARMS: dict[str, Ask] = {
    "rewrite, not told": rewrite(None, told=False),
    "rewrite": rewrite(None),
    "rewrite, w=1.5": rewrite(1.5),
    "rewrite, w=2": rewrite(2.0),
    "rewrite, w=3": rewrite(3.0),
    "revise": revise(None),
    "revise, w=2": revise(2.0),
}

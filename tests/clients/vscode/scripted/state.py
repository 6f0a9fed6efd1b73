"""What lives as long as the scripted server: its jobs and its log."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer


@dataclass
class Hole:
    """A span that a job fills, the text that it ends with, and the tokens that stand."""

    span: types.Range
    text: str
    keep: frozenset[int] = frozenset()


@dataclass
class Job:
    """A running job; `reason` ends it."""

    id: str
    uri: str
    holes: list[Hole]
    hold: bool = False
    diff_first: bool = False
    reason: str | None = None
    shown: int = 0


class Server(LanguageServer):
    """The running jobs by id, and the log."""

    def __init__(self, log: Path) -> None:
        super().__init__("retouch-script", "1")
        self.jobs: dict[str, Job] = {}
        self.count = 0
        self.log = log
        self.tasks: set[asyncio.Task[None]] = set()

    def note(self, method: str, params: object) -> None:
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"method": method, "params": plain(params)}) + "\n")

    def tell(self, method: str, params: object) -> None:
        self.protocol.notify(f"retouch/{method}", params)

    def status(self, state: str, message: str, **more: object) -> None:
        jobs = len(self.jobs)
        self.tell("didChangeStatus", {"state": state, "message": message, "jobs": jobs, **more})


def plain(value: Any) -> Any:
    """JSON of the protocol's objects."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "__attrs_attrs__"):
        return {item.name: plain(getattr(value, item.name)) for item in value.__attrs_attrs__}
    return repr(value)

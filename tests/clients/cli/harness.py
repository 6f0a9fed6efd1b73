"""Runs the command line in this process against a fake engine, on streams of its own."""

import io
from dataclasses import dataclass, field
from pathlib import Path

from clients.cli.main import main
from clients.cli.program import Program
from clients.cli.settings import Settings
from engine.client import EngineClient
from tests.fakes import FakeEngine


class Stream(io.StringIO):
    """Text output that may claim to be a terminal."""

    def __init__(self, terminal: bool = False) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@dataclass
class Cli:
    """A command line with its surroundings; `run` gives the exit code."""

    folder: Path
    engine: FakeEngine = field(default_factory=FakeEngine)
    environ: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    terminal: bool = False
    opened: list[Settings] = field(default_factory=list)
    failure: Exception | None = None
    out: bytes = b""
    err: str = ""

    def run(self, *arguments: str) -> int:
        """Run `retouch` with these arguments."""
        stdout, stderr = io.BytesIO(), Stream(self.terminal)
        environ = {"RETOUCH_CONFIG": str(self.folder / "config.toml"), **self.environ}
        Path(environ["RETOUCH_CONFIG"]).touch()
        program = Program(self._open, environ, io.BytesIO(self.stdin), stdout, stderr)
        code = main(arguments, program)
        self.out, self.err = stdout.getvalue(), stderr.getvalue()
        return code

    def file(self, data: bytes, name: str = "code.py") -> Path:
        """A file with this content."""
        path = self.folder / name
        path.write_bytes(data)
        return path

    def _open(self, settings: Settings) -> EngineClient:
        self.opened.append(settings)
        if self.failure:
            raise self.failure
        return self.engine

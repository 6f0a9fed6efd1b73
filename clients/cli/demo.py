"""`retouch demo`: fills a line and rewrites a block of the example files, live; writes nothing."""

import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from clients.cli import address, diff
from clients.cli.document import Document
from clients.cli.errors import CHANGED
from clients.cli.fill_run import open_client, run_fill
from clients.cli.program import Program
from clients.cli.request import Verb, Wish, build
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.show import Show
from clients.cli.show_options import ShowOptions
from clients.cli.text_file import read_source
from engine.client import EngineClient
from protocol.messages import ShapeName

EXAMPLES = Path(__file__).parent / "examples"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing the demo does: a span of an example file."""

    verb: Verb
    file: str
    lines: str
    shape: ShapeName | None = None

    @property
    def command(self) -> str:
        """What a person would type for it."""
        shape = f" --shape {self.shape}" if self.shape else ""
        path = shlex.quote(_from_here(EXAMPLES / self.file))
        return f"retouch {self.verb} {path} --lines {self.lines}{shape}"


ACTS = (
    Act("fill", "orders.py", "21"),
    Act("rewrite", "orders.py", "64:67", shape="line"),
)


def _from_here(path: Path) -> str:
    """The path as a person would type it in the working folder."""
    with suppress(OSError, ValueError):  # the folder is gone, or the file is outside of it
        return str(path.relative_to(Path.cwd()))
    return str(path)


def demo(program: Program, options: ShowOptions, resolved: Resolved) -> int:
    """Run all acts over one engine."""
    settings = resolved.settings
    show = Show(program, settings, quiet=options.quiet, record=options.record)
    show.heading("Retouch fills a hole and rewrites a span. Nothing is written.")
    show.remark("opening the model")
    client = open_client(program.open_engine, settings)
    show.model_opened()
    try:
        for act in ACTS:
            _play(act, program, show, settings, client)
    finally:
        client.close()
    show.save("retouch demo")
    return CHANGED


def _play(act: Act, program: Program, show: Show, settings: Settings, client: EngineClient) -> None:
    """Show one act: its command, the canvas, the diff."""
    source = read_source(str(EXAMPLES / act.file), program.stdin)
    document = Document.of(source.text, act.file)
    job = build(
        act.verb, document, (address.lines(document, act.lines),), settings, Wish(act.shape)
    )
    show.heading("")
    show.heading(f"$ {act.command}")
    with show.watching(job) as view:
        outcome = run_fill(job, client, view)
    show.diff(diff.unified(source.text, outcome.edits, act.file))
    show.cost(outcome, written=False)

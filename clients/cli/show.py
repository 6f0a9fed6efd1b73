"""All output of a run: the watched canvas and remarks on standard error, results on standard
output, and both into a recording where one is made.
"""

import io
from pathlib import Path

from clients.cli import diff
from clients.cli.canvas_view import scene
from clients.cli.errors import BadInput
from clients.cli.fill_run import Outcome
from clients.cli.glyphs import safe
from clients.cli.program import Program
from clients.cli.recording import WIDTH, RecordedPicture, Recorder
from clients.cli.report import summary
from clients.cli.request import Job
from clients.cli.rows import Row, rich_text, row
from clients.cli.settings import Settings
from clients.cli.svg import animated
from clients.cli.views import LivePicture, PlainProgress, Silent, Together, View


class Show:
    """One run's output. `quiet` leaves only results; `record` is where its film goes."""

    def __init__(
        self, program: Program, settings: Settings, *, quiet: bool, record: Path | None
    ) -> None:
        self._program = program
        self._settings = settings
        self._quiet = quiet
        self._record = record
        self._recorder = Recorder() if record else None

    def watching(self, job: Job) -> View:
        """The view for one job; a context manager that gives the terminal back at its end."""
        picture = scene(job, self._settings.context)
        console = self._program.console(self._program.stderr, self._settings)
        view: View
        if self._quiet:
            view = Silent()
        elif self._program.is_live(self._settings):
            view = LivePicture(console, picture)
        else:
            view = PlainProgress(console)
        if self._recorder:
            return Together(view, RecordedPicture(self._recorder, picture))
        return view

    def model_opened(self) -> None:
        """A recording begins when the model is there."""
        if self._recorder:
            self._recorder.restart()

    def raw(self, data: bytes) -> None:
        """Bytes for standard output as they are."""
        self._program.put(data)

    def diff(self, lines: list[str]) -> None:
        """A diff: coloured and made safe for a terminal, else as it is."""
        if self._program.stdout.isatty() or self._settings.color == "always":
            self._rows(list(diff.rows(lines)))
        else:
            self.raw("".join(lines).encode("utf-8"))
        if self._recorder:
            self._recorder.print(*diff.rows(lines))

    def remark(self, text: str) -> None:
        """A line for the person, unless they want quiet."""
        if not self._quiet:
            console = self._program.console(self._program.stderr, self._settings)
            console.print(rich_text(row(text, "dim")), soft_wrap=True)
        if self._recorder:
            self._recorder.print(row(text, "dim"))

    def cost(self, outcome: Outcome, written: bool) -> None:
        """What was adjusted, and the closing line."""
        for note in outcome.notes:
            self.remark(f"note: {note}")
        self.remark(summary(outcome, written))

    def table(self, rows: list[Row]) -> None:
        """Rows for the person, unless they want quiet."""
        if not self._quiet:
            console = self._program.console(self._program.stderr, self._settings)
            for pieces in rows:
                console.print(rich_text(pieces), soft_wrap=True)
        if self._recorder:
            self._recorder.print(*rows)

    def heading(self, text: str) -> None:
        """A title above what follows."""
        if not self._quiet:
            console = self._program.console(self._program.stderr, self._settings)
            console.print(rich_text(row(text, "title")), soft_wrap=True)
        if self._recorder:
            self._recorder.print(row(text, "title"))

    def save(self, title: str) -> None:
        """Write the recording, if one was asked for.

        Raises:
            BadInput: the file can't be written.
        """
        if not (self._recorder and self._record):
            return
        try:
            self._record.write_text(animated(self._recorder.frames, title, WIDTH), "utf-8")
        except OSError as error:
            shown = safe(str(self._record))
            raise BadInput(f"{shown}: the recording can't be written ({error.strerror})") from None

    def _rows(self, rows: list[Row]) -> None:
        with self._program.output() as stdout:
            stream = io.TextIOWrapper(stdout, "utf-8", write_through=True)
            try:
                console = self._program.console(stream, self._settings)
                for pieces in rows:
                    console.print(rich_text(pieces), soft_wrap=True)
            finally:
                stream.detach()

"""`retouch fill` and `retouch rewrite`: read, ask, show, write."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from clients.cli import address, diff
from clients.cli.constraint import constraint_of
from clients.cli.document import Document
from clients.cli.errors import CHANGED, UNCHANGED, BadInput
from clients.cli.fill_run import Outcome, open_client, run_fill
from clients.cli.glyphs import readable
from clients.cli.options import FillOptions, RewriteOptions, SpanOptions, ToldOptions
from clients.cli.program import Program
from clients.cli.replace_file import check_writable, replace_file
from clients.cli.report import as_json, report
from clients.cli.request import Job, Verb, Wish, build
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.show import Show
from clients.cli.text_file import Source, read_source
from clients.cli.words import one_of
from protocol.messages import ShapeName

_LOG = logging.getLogger("retouch.cli")


def fill(program: Program, options: FillOptions, resolved: Resolved) -> int:
    """Put text into a hole of a file; the exit code says whether anything changed."""
    return _run("fill", program, options, resolved.settings)


def rewrite(program: Program, options: RewriteOptions, resolved: Resolved) -> int:
    """Replace a span of a file; the exit code says whether anything changed."""
    return _run("rewrite", program, options, resolved.settings)


def _run(verb: Verb, program: Program, options: RewriteOptions, settings: Settings) -> int:
    constraint = constraint_of(options)
    shape: ShapeName | None = one_of("--shape", options.shape, get_args(ShapeName))

    def make(document: Document) -> Job:
        wish = Wish(shape, options.instruction, options.guidance, constraint)
        return build(verb, document, spans(document, options, settings), settings, wish)

    return carry_out(program, options, settings, make)


def carry_out(
    program: Program,
    options: ToldOptions,
    settings: Settings,
    make: Callable[[Document], Job],
    comment: Callable[[Show, Outcome], None] = lambda show, outcome: None,
) -> int:
    """Run the job that `make` makes of the file; `comment` adds to what is shown of it."""
    _check_combination(options)
    source = read_source(options.file, program.stdin)
    if options.diff:
        diff.refuse_unpatchable(source)
    if options.in_place and source.path:
        check_writable(source.path)
    document = Document.of(source.text, told_path(source.path))
    job = make(document)
    sizes = [span.end - span.start for span in job.spans]
    _LOG.info("%s: %d characters, holes of %s", job.verb, len(document.text), sizes)
    show = Show(program, settings, quiet=options.quiet, record=options.record)
    with show.watching(job) as view:
        view.say(f"{job.verb} {source.name}: opening the model")
        client = open_client(program.open_engine, settings)
        show.model_opened()
        try:
            outcome = run_fill(job, client, view)
        finally:
            client.close()
    written = _write(source, options, outcome)
    comment(show, outcome)
    _print(show, source, options, outcome, written)
    show.save(f"retouch {job.verb} {source.name}")
    return CHANGED if outcome.changed else UNCHANGED


def _check_combination(options: ToldOptions) -> None:
    """Refuse flags that contradict each other."""
    places = ("at", "lines", "range")
    given = [f"--{name}" for name in places if getattr(options, name, None)]
    if len(given) > 1:
        raise BadInput(f"{' and '.join(given)} can't go together; give one place")
    if options.guidance is not None and options.instruction is None:
        raise BadInput("--guidance weighs an instruction; give one with --instruction")
    if options.diff and options.json:
        raise BadInput("--diff and --json can't go together; choose one output")
    if options.in_place and options.file == "-":
        raise BadInput("--in-place needs a file; standard input can't be written back")


def told_path(path: Path | None) -> str | None:
    """The file's path as the engine is told it: from the working folder, else the bare name."""
    if path is None:
        return None
    name = readable(path.name)[-256:]
    try:
        told = readable(path.relative_to(Path.cwd()).as_posix())
    except (OSError, ValueError):  # the working folder is gone, or the file is outside of it
        return name
    return told if len(told) <= 256 else name


def spans(document: Document, options: SpanOptions, settings: Settings) -> tuple[address.Span, ...]:
    """The hole that the options name; for a fill, the places of the marker by default."""
    if options.lines:
        return address.apart([address.lines(document, text) for text in options.lines])
    if options.range is not None:
        return (address.between(document, options.range),)
    if isinstance(options, FillOptions):
        if options.at is not None:
            return (address.at(document, options.at),)
        return address.marked(document, settings.marker)
    raise BadInput("say which span: --lines FIRST:LAST or --range LINE:COLUMN-LINE:COLUMN")


def _write(source: Source, options: SpanOptions, outcome: Outcome) -> bool:
    """Write the file if that was asked for and there is something to write."""
    if not (options.in_place and outcome.changed and source.path):
        return False
    replace_file(source.path, source.edited(*outcome.edits), source.data)
    return True


def _print(
    show: Show, source: Source, options: SpanOptions, outcome: Outcome, written: bool
) -> None:
    """The outcome in the form that was asked for."""
    if options.json:
        show.raw(as_json(report(outcome, source.name, written)))
    elif source.path is None and not options.diff:
        show.raw(source.edited(*outcome.edits))
    elif options.diff or not options.in_place:
        show.diff(diff.of_source(source, outcome.edits))
    show.cost(outcome, written)

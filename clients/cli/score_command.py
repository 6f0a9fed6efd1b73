"""`retouch score`: how sure the model is of every token of a span; nothing changes."""

from dataclasses import dataclass
from typing import Annotated, Any, get_args

import typer
from msgspec import Struct
from rich.cells import cell_len

from clients.cli import address
from clients.cli.commands import told_path
from clients.cli.document import Document
from clients.cli.errors import CHANGED, BadInput
from clients.cli.fill_run import failure, open_client
from clients.cli.glyphs import quoted
from clients.cli.help_texts import ENDS, examples
from clients.cli.options import Command, FileName, ListingOptions
from clients.cli.program import Program
from clients.cli.report import Place, as_json
from clients.cli.request import checked, context
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.show import Show
from clients.cli.text_file import read_source
from clients.cli.words import one_of
from engine.client import EngineClient, stream
from protocol.limits import SCORE_LIMIT
from protocol.messages import Accepted, Error, Score, Scores, Stats, Token
from protocol.revise import ScorerName

_TEXT_WIDTH = 24
_WHERE: dict[str, Any] = {"rich_help_panel": "Where"}

SCORE = (
    "Tell how sure the model is of every token of a span of FILE; nothing is written.\n\n"
    "The span is whole lines (--lines) or a range (--range); without either it is the whole "
    f"file. At most {SCORE_LIMIT} characters are scored at once. Where the model would rather put "
    f"another token, that one is told too.\n\nExit codes: 0 scored, {ENDS}"
)
SCORE_EXAMPLES = examples(
    ("retouch score orders.py --lines 64:67", "each token, its probability, a better one"),
    ("retouch score orders.py --lines 64:67 --method posterior", "by both sides; slower"),
    ("retouch score orders.py --json", "for programs"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(ListingOptions):
    """Which span, and by which reading."""

    file: FileName
    lines: Annotated[
        str | None,
        typer.Option("--lines", metavar="A:B", help="Whole lines, both included.", **_WHERE),
    ] = None
    range: Annotated[
        str | None,
        typer.Option("--range", metavar="L1:C1-L2:C2", help="A part of the text.", **_WHERE),
    ] = None
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help=f"One of {', '.join(get_args(ScorerName))}; causal by default.",
        ),
    ] = None


class ScoredToken(Struct, frozen=True):
    """One token: where it starts, its probability (None past the deadline), what is likelier."""

    at: Place
    text: str
    probability: float | None
    best: str | None


class ScoreReport(Struct, frozen=True):
    """What `--json` prints."""

    file: str
    finish: str
    tokens: tuple[ScoredToken, ...]
    stats: Stats
    notes: tuple[str, ...] = ()


def score(program: Program, options: ScoreOptions, resolved: Resolved) -> int:
    """Score a span and print its tokens."""
    if options.lines is not None and options.range is not None:
        raise BadInput("--lines and --range can't go together; give one place")
    source = read_source(options.file, program.stdin)
    document = Document.of(source.text, told_path(source.path))
    span = _span(document, options)
    request, cut = _request(document, span, options, resolved.settings)
    client = open_client(program.open_engine, resolved.settings)
    try:
        found, notes = _ask(client, request)
    finally:
        client.close()
    tokens = _placed(document, span.start, found.tokens)
    report = ScoreReport(source.name, found.finish, tokens, found.stats, cut + notes)
    show = Show(program, resolved.settings, quiet=False, record=None)
    show.raw(as_json(report) if options.json else "".join(_lines(report)).encode())
    for note in report.notes:
        show.remark(f"note: {note}")
    return CHANGED


def _span(document: Document, options: ScoreOptions) -> address.Span:
    if options.lines is not None:
        return address.lines(document, options.lines)
    if options.range is not None:
        return address.between(document, options.range)
    return address.Span(0, len(document.text))


def _request(
    document: Document, span: address.Span, options: ScoreOptions, settings: Settings
) -> tuple[Score, tuple[str, ...]]:
    """What is asked, and what had to be cut for that."""
    if span.start == span.end:
        raise BadInput("the span is empty, so there is nothing to score")
    if span.end - span.start > SCORE_LIMIT:
        raise BadInput(
            f"at most {SCORE_LIMIT} characters are scored at once, and these are "
            f"{span.end - span.start}; choose some with --lines FIRST:LAST or --range"
        )
    prefix, suffix, notes = context(document.text, span)
    score = Score(
        id="cli-1",
        prefix=prefix,
        text=document.text[span.start : span.end],
        suffix=suffix,
        method=one_of("--method", options.method, get_args(ScorerName)),
        path=document.path,
        deadline_ms=settings.timeout_ms,
    )
    return checked(score), notes


def _ask(client: EngineClient, request: Score) -> tuple[Scores, tuple[str, ...]]:
    """The engine's answer and its notes; BadInput or EngineFailure if it gives none."""
    notes: tuple[str, ...] = ()
    for message in stream(client, request):
        if isinstance(message, Accepted):
            notes = message.notes
        if isinstance(message, Scores):
            return message, notes
        if isinstance(message, Error):
            raise failure(message)
    raise failure(Error("engine_failed", "the engine stopped without an answer"))


def _placed(document: Document, start: int, tokens: tuple[Token, ...]) -> tuple[ScoredToken, ...]:
    placed, at = [], start
    for token in tokens:
        if token.text:
            place = Place(*document.position(at))
            placed.append(ScoredToken(place, token.text, token.now, token.best))
            at += len(token.text)
    return tuple(placed)


def _lines(report: ScoreReport) -> list[str]:
    """A line a token, for a person."""
    lines = []
    for token in report.tokens:
        text = quoted(token.text)
        sure = "     -" if token.probability is None else f"{token.probability:.4f}"
        rival = "" if token.best is None else f"  rather {quoted(token.best)}"
        place = f"{token.at.line}:{token.at.column}"
        padding = " " * max(0, _TEXT_WIDTH - cell_len(text))
        lines.append(f"{place:<9}{text}{padding}  {sure}{rival}\n")
    return lines


SCORE_COMMAND: Command[Any] = Command(
    "score", ScoreOptions, score, SCORE, SCORE_EXAMPLES, ("Engine", "Server"), ("timeout_ms",)
)

"""`retouch score`: how sure the model is of every token of a span; nothing changes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from msgspec import Struct
from rich.cells import cell_len

from clients.cli import address
from clients.cli.commands import told_path
from clients.cli.document import Document
from clients.cli.errors import CHANGED, BadInput
from clients.cli.fill_run import failure, open_client
from clients.cli.glyphs import safe
from clients.cli.help_texts import examples
from clients.cli.options import Command, ListingOptions
from clients.cli.program import Program
from clients.cli.report import Place, as_json
from clients.cli.request import checked, context
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.text_file import read_source
from engine.client import EngineClient, stream
from protocol.messages import Error, Score, Scores, Stats, Token
from protocol.revise import ScorerName

_TEXT_WIDTH = 24
_WHERE: dict[str, Any] = {"rich_help_panel": "Where"}

SCORE = (
    "Tell how sure the model is of every token of a span of FILE; nothing is written.\n\n"
    "The span is whole lines (--lines) or a range (--range); without either it is the whole "
    "file. Where the model would rather put another token, that one is told too.\n\n"
    "Exit codes: 0 scored, 2 bad usage or input, 3 engine failure, 130 Ctrl-C."
)
SCORE_EXAMPLES = examples(
    ("retouch score orders.py --lines 64:67", "each token, its probability, a better one"),
    ("retouch score orders.py --lines 64:67 --method posterior", "by both sides; slower"),
    ("retouch score orders.py --json", "for programs"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(ListingOptions):
    """Which span, and by which reading."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A source file, or - for standard input.", readable=False
        ),
    ]
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


def score(program: Program, options: ScoreOptions, resolved: Resolved) -> int:
    """Score a span and print its tokens."""
    if options.lines is not None and options.range is not None:
        raise BadInput("--lines and --range can't go together; give one place")
    source = read_source(str(options.file), program.stdin)
    document = Document.of(source.text, told_path(source.path))
    span = _span(document, options)
    request = _request(document, span, options, resolved.settings)
    client = open_client(program.open_engine, resolved.settings)
    try:
        found = _ask(client, request)
    finally:
        client.close()
    report = ScoreReport(
        source.name, found.finish, _placed(document, span.start, found.tokens), found.stats
    )
    told = as_json(report) if options.json else "".join(_lines(report)).encode()
    program.stdout.write(told)
    program.stdout.flush()
    return CHANGED


def _span(document: Document, options: ScoreOptions) -> address.Span:
    if options.lines is not None:
        return address.lines(document, options.lines)
    if options.range is not None:
        return address.between(document, options.range)
    return address.Span(0, len(document.text))


def _request(
    document: Document, span: address.Span, options: ScoreOptions, settings: Settings
) -> Score:
    if span.start == span.end:
        raise BadInput("the span is empty, so there is nothing to score")
    prefix, suffix, _ = context(document.text, span)
    method = next((name for name in get_args(ScorerName) if name == options.method), None)
    if options.method is not None and method is None:
        names = ", ".join(get_args(ScorerName))
        raise BadInput(f"--method {safe(options.method)}: choose one of {names}")
    return checked(
        Score(
            id="cli-1",
            prefix=prefix,
            text=document.text[span.start : span.end],
            suffix=suffix,
            method=method,
            path=document.path,
            deadline_ms=settings.timeout_ms,
        )
    )


def _ask(client: EngineClient, request: Score) -> Scores:
    """The engine's answer; BadInput or EngineFailure if it gives none."""
    for message in stream(client, request):
        if isinstance(message, Scores):
            return message
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
        text = _shown(token.text)
        sure = "     -" if token.probability is None else f"{token.probability:.4f}"
        rival = "" if token.best is None else f"  rather {_shown(token.best)}"
        place = f"{token.at.line}:{token.at.column}"
        padding = " " * max(0, _TEXT_WIDTH - cell_len(text))
        lines.append(f"{place:<9}{text}{padding}  {sure}{rival}\n")
    return lines


def _shown(text: str) -> str:
    """A token's text on one line, with its blanks visible."""
    return safe(text).replace(" ", "\u00b7")


SCORE_COMMAND: Command[Any] = Command(
    "score", ScoreOptions, score, SCORE, SCORE_EXAMPLES, ("Engine",), ("timeout_ms",)
)

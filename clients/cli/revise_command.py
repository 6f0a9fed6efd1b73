"""`retouch revise`: the request for a span that stands, and the table that explains the answer."""

from collections.abc import Sequence
from itertools import pairwise
from typing import get_args

from rich.cells import cell_len

from clients.cli.address import Span
from clients.cli.commands import carry_out, spans
from clients.cli.constraint import constraint_of
from clients.cli.document import Document
from clients.cli.errors import BadInput
from clients.cli.fill_run import Outcome
from clients.cli.glyphs import quoted
from clients.cli.options import ReviseOptions
from clients.cli.program import Program
from clients.cli.request import Job, around, checked, covering
from clients.cli.rows import Row, row
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.show import Show
from clients.cli.words import one_of
from protocol.messages import Lock, ReviseText, Sampling, Token
from protocol.revise import KeepName, MethodName

_TEXT_WIDTH = 24


def revise(program: Program, options: ReviseOptions, resolved: Resolved) -> int:
    """Revise a span of a file; the exit code says whether anything changed."""
    settings = resolved.settings

    def make(document: Document) -> Job:
        return _job(document, spans(document, options, settings), options, settings)

    def comment(show: Show, outcome: Outcome) -> None:
        if options.explain and not options.json:
            show.table(explanation(outcome.done.tokens))

    return carry_out(program, options, settings, make, comment)


def explanation(tokens: Sequence[Token]) -> list[Row]:
    """A row for each token: its probability in the old text and in the new one, and why."""
    rows = [row(f"{'token':<{_TEXT_WIDTH}}  {'then':>6}  {'now':>6}  why", "title")]
    for token in tokens:
        if not token.text and token.revised_from is None:
            continue  # a part of a character, or what belongs to the text before the span
        why = token.why
        if token.revised_from is not None:
            why += f" than with {quoted(token.revised_from)}"
        then = "" if token.now is None else f"{token.confidence:.4f}"
        now = "" if token.now is None else f"{token.now:.4f}"
        text = f"{_padded(quoted(token.text))}  {then:>6}  {now:>6}  {why}"
        rows.append(row(text, "added" if token.revised_from is not None else "plain"))
    return rows


def _job(
    document: Document, spans: tuple[Span, ...], options: ReviseOptions, settings: Settings
) -> Job:
    """The job that revises `spans`: the text from first to last, locked between them."""
    if any(each.start == each.end for each in spans):
        raise BadInput("the span is empty, so there is nothing to revise; `retouch fill` inserts")
    span, constraint = covering(spans), constraint_of(options)
    prefix, suffix, notes = around(document.text, span, constraint)
    between = (Lock(a.end - span.start, b.start - span.start) for a, b in pairwise(spans))
    request = ReviseText(
        id="cli-1",
        prefix=prefix,
        text=document.text[span.start : span.end],
        suffix=suffix,
        strength=options.strength,
        method=one_of("--method", options.method, get_args(MethodName)),
        locks=(*between, *(Lock(pattern=pattern) for pattern in options.lock or ())),
        keep=tuple(one_of("--keep", name, get_args(KeepName)) for name in options.keep or ()),
        instruction=options.instruction,
        guidance=options.guidance,
        path=document.path,
        sampling=Sampling(
            temperature=settings.temperature, top_p=settings.top_p, seed=settings.seed
        ),
        deadline_ms=settings.timeout_ms,
        constraint=constraint,
    )
    return Job("revise", document, spans, checked(request), notes)


def _padded(text: str) -> str:
    while cell_len(text) > _TEXT_WIDTH:
        text = text[:-1]
    return text + " " * (_TEXT_WIDTH - cell_len(text))

"""What a fill came to, for programs (`--json`) and in one line for a person."""

import msgspec
from msgspec import Struct

from clients.cli.fill_run import Outcome
from protocol.messages import Stats, Token


class Place(Struct, frozen=True):
    """A 1-based position in the file as it was read; columns are characters."""

    line: int
    column: int


class Filled(Struct, frozen=True):
    """One hole: where it was in the file as it was read, and the text that it got."""

    start: Place
    end: Place
    text: str
    changed: bool


class Report(Struct, frozen=True):
    """The object that `--json` prints. `text` has the file's line ends; `nfe` is forwards.

    With several holes `start`, `end`, `text` and `tokens` are those of the first.
    """

    file: str
    start: Place
    end: Place
    text: str
    changed: bool
    written: bool
    finish: str
    model: str
    policy: str
    seed: int
    steps: int
    nfe: int
    tokens: tuple[Token, ...]
    stats: Stats
    notes: tuple[str, ...]
    holes: tuple[Filled, ...]
    log_valid: float | None = None
    """Under a constraint: see protocol.replies.Done."""


class Failure(Struct, frozen=True):
    """What `--json` prints instead when the program ends with 2, 3 or 130.

    `code` is that of the CliError, or `internal_error` for a bug.
    """

    error: dict[str, str]


def report(outcome: Outcome, name: str, written: bool) -> Report:
    """The report of an outcome."""
    done, accepted, job = outcome.done, outcome.accepted, outcome.job
    return Report(
        file=name,
        start=Place(*job.document.position(job.span.start)),
        end=Place(*job.document.position(job.span.end)),
        text=outcome.text,
        changed=outcome.changed,
        written=written,
        finish=done.finish,
        model=accepted.model,
        policy=accepted.policy,
        seed=accepted.seed,
        steps=done.stats.steps,
        nfe=done.stats.forwards,
        tokens=done.tokens,
        stats=done.stats,
        notes=outcome.notes,
        holes=tuple(_filled(outcome, number) for number in range(len(outcome.edits))),
        log_valid=done.log_valid,
    )


def _filled(outcome: Outcome, number: int) -> Filled:
    document, span, edit = outcome.job.document, outcome.job.spans[number], outcome.edits[number]
    start, end = Place(*document.position(span.start)), Place(*document.position(span.end))
    return Filled(start, end, edit.text, document.changed_by(edit))


def as_json(value: Struct) -> bytes:
    """Indented JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def summary(outcome: Outcome, written: bool) -> str:
    """One line: what happened and what it cost."""
    stats = outcome.done.stats
    done = "written" if written else "done"
    parts = [
        done if outcome.changed else "no change",
        f"{stats.tokens} tokens",
        f"{stats.steps} steps",
        f"{stats.forwards} NFE",
        f"{stats.wall_ms:.0f} ms",
        f"policy {outcome.accepted.policy}",
        f"seed {outcome.accepted.seed}",
        outcome.done.finish,
    ]
    return " \u00b7 ".join(parts)

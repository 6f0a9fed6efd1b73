"""The options that say what an answer is held to."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from clients.cli.show_options import ShowOptions
from protocol.limits import CANVAS_LIMIT, CHARS_LIMIT

_PANEL: dict[str, Any] = {"rich_help_panel": "Constraint"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintOptions(ShowOptions):
    """One language at most, or a syntax under a schema; and lengths with any of them or alone."""

    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            metavar="FILE|JSON",
            help="JSON that fits a schema; with --syntax yaml, toml or json, a file that does.",
            **_PANEL,
        ),
    ] = None
    regex: Annotated[
        str | None,
        typer.Option("--regex", metavar="PATTERN", help="Text that matches as a whole.", **_PANEL),
    ] = None
    grammar: Annotated[
        str | None,
        typer.Option(
            "--grammar",
            metavar="FILE",
            help="A sentence of a grammar: EBNF (rule root), GBNF or Lark (rule start).",
            **_PANEL,
        ),
    ] = None
    choices: Annotated[
        str | None,
        typer.Option(
            "--choices",
            metavar="A,B,C",
            help="One of these texts; a JSON array if they hold commas.",
            **_PANEL,
        ),
    ] = None
    syntax: Annotated[
        str | None,
        typer.Option(
            "--syntax",
            metavar="LANG",
            help="The file has no syntax errors afterwards, or no new ones.",
            **_PANEL,
        ),
    ] = None
    scope: Annotated[
        str | None,
        typer.Option(
            "--scope",
            metavar="NAME",
            help="What fits: the text of the hole, or the whole document with it.",
            autocompletion=lambda: ["hole", "document"],
            **_PANEL,
        ),
    ] = None
    min_chars: Annotated[
        int | None,
        typer.Option(
            "--min-chars", metavar="N", help="Fewest characters.", min=0, max=CHARS_LIMIT, **_PANEL
        ),
    ] = None
    max_chars: Annotated[
        int | None,
        typer.Option(
            "--max-chars", metavar="N", help="Most characters.", min=0, max=CHARS_LIMIT, **_PANEL
        ),
    ] = None
    exact_tokens: Annotated[
        int | None,
        typer.Option(
            "--exact-tokens",
            metavar="N",
            help="So many tokens, no more and no fewer.",
            min=1,
            max=CANVAS_LIMIT,
            **_PANEL,
        ),
    ] = None
    best_effort: Annotated[
        bool,
        typer.Option(
            "--best-effort",
            help="Where a constraint can't be guaranteed: try, and say so, instead of an error.",
            **_PANEL,
        ),
    ] = False

"""The options of every command that shows a run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

OUTPUT: dict[str, Any] = {"rich_help_panel": "Output"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """How much is shown."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but errors.", **OUTPUT)
    ] = False
    no_color: Annotated[
        bool, typer.Option("--no-color", help="The same as --color never.", **OUTPUT)
    ] = False
    record: Annotated[
        Path | None, typer.Option("--record", hidden=True, help="Write the run as an SVG.")
    ] = None

"""`retouch lsp`: the language server, which takes this process over."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import clients
from clients.cli.options import Command
from clients.cli.program import Program
from clients.cli.settings_sources import Resolved
from protocol.isolated import isolated

_PANEL: dict[str, Any] = {"rich_help_panel": "Server"}
LSP = (
    "Serve an editor over standard input and output, by the Language Server Protocol.\n\n"
    "Editors start this themselves. It finds the server that `retouch serve` has started, or "
    "starts one in the background that ends when nobody has used it for ten minutes.\n\n"
    "Exit codes: 0 the editor has said goodbye, 1 it has not."
)
EXAMPLES = (
    "[bold]Examples[/bold]\n\n  retouch lsp  [dim]# as the command of a language server[/dim]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LspOptions:
    """What editors say."""

    stdio: Annotated[
        bool, typer.Option("--stdio", help="The default; some editors say it.", **_PANEL)
    ] = False
    folder: Annotated[
        Path | None, typer.Option("--runtime-dir", help="Where the server is noted.", **_PANEL)
    ] = None


def serve_editor(program: Program, options: LspOptions, _: Resolved) -> int:
    """Become the language server; returns only where a process can't be replaced."""
    words = [] if options.folder is None else ["--folder", str(options.folder.absolute())]
    root = Path(clients.__file__).parent.parent
    command = isolated(sys.executable, str(root), "lsp_server", *words)
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


LSP_COMMAND: Command[Any] = Command("lsp", LspOptions, serve_editor, LSP, EXAMPLES, ())
"""For the table of commands."""

"""Whether ghost text may be offered in a document at all, and whether others may see its text."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from lsp_server.documents import Document
from lsp_server.ghost.ignore import Ignores
from lsp_server.ghost.spot import Spot
from lsp_server.settings import Settings

SCHEMES = frozenset({"file", "untitled", "vscode-remote", "vscode-vfs", "vscode-notebook-cell"})
LONGEST_LINE = 10_000


class Rules:
    """The rules under some settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ignores = Ignores(settings.ignore)

    def allows(self, document: Document, roots: Sequence[Path], now: float) -> bool:
        """Whether the text of this document may be shown to the model."""
        settings, path = self._settings, document.path
        return (
            settings.enable
            and settings.has_language(document.language)
            and _scheme(document.uri) in SCHEMES
            and len(document.text) <= settings.max_file_kb * 1024
            and (path is None or not self._ignores.is_ignored(path, roots, now))
        )

    def wants(self, spot: Spot) -> bool:
        """Whether somebody who has not asked for it wants ghost text here."""
        text = spot.document.text
        line = text.line_of(spot.start)
        if (
            self._settings.trigger == "manual"
            or text.line_end(line) - text.starts[line] > LONGEST_LINE
        ):
            return False
        if not spot.line and spot.rest.strip():
            return False  # in front of a line: what belongs there is anybody's guess
        return bool(text.value.strip())


def _scheme(uri: str) -> str:
    try:
        return urlsplit(uri).scheme
    except ValueError:
        return ""

"""Which documents the model may see: one answer for ghost text and for jobs."""

from collections.abc import Sequence
from pathlib import Path, PurePath
from time import monotonic
from urllib.parse import urlsplit

from lsp_server.documents import Document
from lsp_server.readable.excerpts import FILES
from lsp_server.readable.folders import roots_of
from lsp_server.readable.ignore import Ignores
from lsp_server.server import RetouchServer

SCHEMES = frozenset({"file", "untitled", "vscode-remote", "vscode-vfs", "vscode-notebook-cell"})


class Readable:
    """See the module; one of each server."""

    def __init__(self, server: RetouchServer) -> None:
        self._server = server
        self._globs: Sequence[str] = ()
        self._ignores = Ignores()

    @property
    def roots(self) -> list[Path]:
        """The folders of the workspace."""
        return roots_of(self._server.workspace)

    def allows(self, document: Document) -> bool:
        """Whether the text of this document may be shown to the model."""
        settings, path = self._server.settings, document.path
        return (
            settings.enable
            and settings.has_language(document.language)
            and _scheme(document.uri) in SCHEMES
            and len(document.text) <= settings.max_file_kb * 1024
            and (path is None or not self._is_ignored(path))
        )

    def others(self, mine: Document) -> tuple[Document, ...]:
        """Other open documents that the model may see, the one used last first."""
        found: list[Document] = []
        for document in self._server.documents:
            if document.uri != mine.uri and self.allows(document):
                found.append(document)
                if len(found) == FILES:
                    break
        return tuple(found)

    def _is_ignored(self, path: PurePath) -> bool:
        globs = self._server.settings.ignore
        if globs != self._globs:
            self._globs, self._ignores = globs, Ignores(globs)
        return self._ignores.is_ignored(path, self.roots, monotonic())


def _scheme(uri: str) -> str:
    try:
        return urlsplit(uri).scheme
    except ValueError:
        return ""

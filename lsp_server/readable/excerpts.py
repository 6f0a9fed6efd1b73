"""How documents are told to the engine: names, paths, and the beginnings of other files."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from lsp_server.documents import Document
from lsp_server.readable.folders import root_over
from lsp_server.text import clean, newlines
from protocol.messages import ContextFile

BEFORE, AFTER = 64 * 1024, 16 * 1024
"""Characters around the cursor that are sent; an engine looks at fewer."""
FILES, FILE, ALL_FILES = 3, 8 * 1024, 16 * 1024
"""How many other files are sent, and characters of one and of all."""
LONGEST_PATH = 1024


def context(files: Iterable[Document], roots: Sequence[Path]) -> tuple[ContextFile, ...]:
    """The beginnings of other files, as far as the budget goes."""
    left, found = ALL_FILES, []
    for document in files:
        path = told_path(document, roots)
        text = clean(newlines(document.text.value[: FILE * 2]))[: min(FILE, left)]
        if path is None or not text.strip():
            continue
        found.append(ContextFile(path, text))
        left -= len(text)
        if left <= 0 or len(found) == FILES:
            break
    return tuple(found)


def told_path(document: Document, roots: Sequence[Path]) -> str | None:
    """A document's path from its workspace folder, else its name; None if it is no file."""
    path = document.path
    if path is None:
        return None
    root = root_over(path, roots)
    told = path.relative_to(root).as_posix() if root is not None else path.name
    return clean(told)[-LONGEST_PATH:] or None


def key_of(document: Document) -> str:
    """A name for the document that tells nothing, and is another one each time it is opened."""
    return sha256(f"{document.opened} {document.uri}".encode("utf-8", "replace")).hexdigest()[:32]

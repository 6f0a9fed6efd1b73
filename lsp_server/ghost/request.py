"""A place in a document as a Fill: the text around it, other open files, the settings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lsp_server.documents import Document
from lsp_server.ghost.spot import Spot
from lsp_server.settings import Settings
from lsp_server.text import clean, newlines
from protocol.messages import ContextFile, DocumentRef, Fill, Sampling

BEFORE, AFTER = 64 * 1024, 16 * 1024
"""Characters around the cursor that are sent; an engine looks at fewer."""
FILES, FILE, ALL_FILES = 3, 8 * 1024, 16 * 1024
"""How many other files are sent, and characters of one and of all."""
LONGEST_PATH = 1024


@dataclass(frozen=True, slots=True)
class Told:
    """What is said besides the place.

    Attributes:
        files: other open documents, the one used last first.
        roots: folders of the workspace, from which paths are told.
        count: different texts wanted.
    """

    settings: Settings
    files: Sequence[Document]
    roots: Sequence[Path]
    count: int = 1


def request(fill_id: str, spot: Spot, told: Told, able: frozenset[str]) -> Fill:
    """The fill to ask an engine for that is `able` to do these things, shown as far as settled."""
    document, settings = spot.document, told.settings
    return Fill(
        id=fill_id,
        prefix=clean(_last(spot.before, BEFORE)),
        suffix=clean(spot.after[:AFTER]),
        shape="line" if settings.max_lines == 1 and not spot.rest.strip() else "auto",
        sampling=Sampling(policy=settings.policy, steps=settings.steps),
        alternatives=told.count if "alternatives" in able else 1,
        deadline_ms=settings.timeout_ms,
        doc=DocumentRef(key_of(document), max(0, document.version), document.language[:64]),
        path=told_path(document, told.roots),
        context=context(told.files, told.roots) if "context" in able else (),
        mode="prefix",
        priority="auto" if told.count == 1 else "manual",
    )


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


def others(
    documents: Iterable[Document], mine: Document, may: Callable[[Document], bool]
) -> tuple[Document, ...]:
    """Other open documents that the model may see, the one used last first."""
    found: list[Document] = []
    for document in documents:
        if document.uri != mine.uri and may(document):
            found.append(document)
            if len(found) == FILES:
                break
    return tuple(found)


def told_path(document: Document, roots: Sequence[Path]) -> str | None:
    """A document's path from its workspace folder, else its name; None if it is no file."""
    path = document.path
    if path is None:
        return None
    root = next((root for root in roots if path.is_relative_to(root)), None)
    told = path.relative_to(root).as_posix() if root is not None else path.name
    return clean(told)[-LONGEST_PATH:] or None


def key_of(document: Document) -> str:
    """A name for the document that tells nothing, and is another one each time it is opened."""
    return sha256(f"{document.opened} {document.uri}".encode("utf-8", "replace")).hexdigest()[:32]


def _last(text: str, most: int) -> str:
    """The end of a text, from the start of a line if it is cut."""
    if len(text) <= most:
        return text
    cut = text[-most:]
    return cut[cut.find("\n") + 1 :]

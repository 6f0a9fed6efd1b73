"""A place in a document as a Fill: the text around it, other open files, the settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsp_server.documents import Document
from lsp_server.ghost.spot import Spot
from lsp_server.readable.excerpts import AFTER, BEFORE, context, key_of, told_path
from lsp_server.settings import Settings
from lsp_server.text import clean
from protocol.messages import DocumentRef, Fill, Sampling


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


def _last(text: str, most: int) -> str:
    """The end of a text, from the start of a line if it is cut."""
    if len(text) <= most:
        return text
    cut = text[-most:]
    return cut[cut.find("\n") + 1 :]

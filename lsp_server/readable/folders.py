"""The folders of the workspace."""

from collections.abc import Sequence
from pathlib import Path, PurePath

from pygls.workspace import Workspace

from lsp_server.documents import uri_path


def roots_of(workspace: Workspace) -> list[Path]:
    """The folders as the editor named them: pygls' keys are unquoted. Some know one root only."""
    uris = [folder.uri for folder in workspace.folders.values()] or [workspace.root_uri]
    paths = (uri_path(uri) for uri in uris if uri)
    return [Path(path) for path in paths if path is not None]


def root_over(path: PurePath, roots: Sequence[Path]) -> Path | None:
    """The folder that a file lies in."""
    return next((root for root in roots if path.is_relative_to(root)), None)

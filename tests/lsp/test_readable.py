"""What the model may read: one part of the server, for ghost text and jobs."""

from pathlib import Path

import pytest
from lsprotocol.types import WorkspaceFolder
from pygls.exceptions import JsonRpcException
from pygls.workspace import Workspace

from lsp_server.jobs.guards import snapshot
from lsp_server.link.finding import LinkError
from lsp_server.params import DocumentId
from lsp_server.readable import ignore
from lsp_server.readable.folders import roots_of
from lsp_server.server import RetouchServer


def server_in(folder: Path) -> RetouchServer:
    """A server without an engine that has been told of a workspace."""

    async def nowhere(starting: object) -> None:
        raise LinkError("There is none.")

    server = RetouchServer("0", lambda settings: nowhere)  # type: ignore[arg-type, return-value]
    folders = [WorkspaceFolder(folder.as_uri(), folder.name)]
    server.protocol._workspace = Workspace(None, workspace_folders=folders)
    return server


@pytest.mark.parametrize("name", ["plain", "C#", "a%20b", "a b", "ä"])
def test_folders_are_as_the_editor_names_them(name: str) -> None:
    folder = Path("/w") / name
    told = [WorkspaceFolder(folder.as_uri(), name)]
    assert roots_of(Workspace(None, workspace_folders=told)) == [folder]
    assert roots_of(Workspace(folder.as_uri())) == [folder]
    assert roots_of(Workspace(None)) == []


def test_requests_in_a_row_read_what_git_ignores_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitignore").write_text("out/\n")
    server, opened = server_in(tmp_path), tmp_path / "a.py"
    server.documents.opened(opened.as_uri(), 1, "python", "x = 1\n")
    read, asked = ignore._read, list[Path]()
    monkeypatch.setattr(ignore, "_read", lambda path: asked.append(path) or read(path))
    monkeypatch.setattr(ignore, "FRESH_SECONDS", 1e9)
    for _ in range(3):
        assert snapshot(server, DocumentId(opened.as_uri())).path == opened
    assert asked == [tmp_path / ".gitignore"]


def test_jobs_leave_alone_what_ghost_text_does(tmp_path: Path) -> None:
    folder = tmp_path / "C#"
    server, opened = server_in(folder), folder / "gen" / "a.py"
    server.documents.opened(opened.as_uri(), 1, "python", "x = 1\n")
    assert snapshot(server, DocumentId(opened.as_uri()))
    server.settings = type(server.settings)(ignore=("/gen/",))
    with pytest.raises(JsonRpcException, match="leaves this document alone"):
        snapshot(server, DocumentId(opened.as_uri()))

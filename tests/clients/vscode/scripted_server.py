"""A language server without a model: it speaks the `retouch/*` methods and follows a script.

Started as `python -m tests.clients.vscode.scripted_server LOG`; writes what it is asked, one JSON
object a line, to LOG. A job holds at half of its steps while its instruction contains "hold".
"""

import sys
from pathlib import Path

from tests.clients.vscode.scripted import ghost, lifecycle, live, rewriting, words
from tests.clients.vscode.scripted.state import Server


def build(log: Path) -> Server:
    """The server with its features."""
    server = Server(log)
    for feature in (lifecycle, ghost, rewriting, words, live):
        feature.add(server)
    return server


if __name__ == "__main__":
    build(Path(sys.argv[1])).start_io()

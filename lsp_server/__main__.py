"""`python -I -m lsp_server`: the language server on standard input and output."""

import argparse
import logging
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lsp_server.app import build
from lsp_server.link.finding import default_folder


def arguments() -> argparse.ArgumentParser:
    """What may be said on the command line."""
    parser = argparse.ArgumentParser(prog="lsp_server", description=__doc__)
    parser.add_argument("--stdio", action="store_true", help="the default; editors like to say it")
    parser.add_argument("--folder", type=Path, default=default_folder(), help="runtime folder")
    return parser


def main(words: list[str]) -> int:
    """Serve until the editor says exit or goes away; 1 if it did so without a shutdown."""
    given = arguments().parse_args(words)
    start_log()
    server = build(_version(), given.folder)
    server.start_io()
    return 0 if server.ended else 1


def start_log() -> None:
    """Log to standard error, which editors keep: ours alone, since pygls' log quotes documents."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)


def _version() -> str:
    try:
        return version("retouch")
    except PackageNotFoundError:
        return "0"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

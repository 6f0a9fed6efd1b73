"""`python -I -m engine`: the server as editors start it, for one user and this machine alone.

It prints the runtime file's content as one line of JSON when it answers, and stops when nobody
has been there for a while. People start `retouch serve`.
"""

import argparse
import sys
from pathlib import Path

import msgspec

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.server.config import ServerConfig
from engine.server.run import Serving, serve
from engine.server.runtime import TOKEN, RuntimeInfo, constraint_cache, default_folder

IDLE_SECONDS = 600.0


def arguments() -> argparse.ArgumentParser:
    """What may be said on the command line."""
    parser = argparse.ArgumentParser(prog="engine", description=__doc__)
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--idle-exit", type=float, default=IDLE_SECONDS, metavar="SECONDS")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="auto")
    parser.add_argument("--threads", type=int)
    return parser


def main(words: list[str]) -> int:
    """Serve until idle or told to stop; the exit status."""
    given = arguments().parse_args(words)
    try:
        serving = Serving(
            ServerConfig(
                port=given.port,
                token_file=given.folder / TOKEN,
                idle_seconds=given.idle_exit or None,
            ),
            EngineConfig(
                model=given.model,
                device=given.device,
                threads=given.threads,
                constraint_cache=constraint_cache(),
            ),
            given.folder,
            announce=_announce,
        )
        serve(serving)
    except (EngineError, ValueError) as error:
        sys.stderr.write(f"engine: {error}\n")
        return 3
    return 0


def _announce(info: RuntimeInfo) -> None:
    sys.stdout.write(msgspec.json.encode(info).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

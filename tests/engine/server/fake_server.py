"""The server as a program of its own, with fake engine processes: folder, idle seconds, port."""

import sys
from pathlib import Path

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.process import worker_command
from engine.server.config import ServerConfig
from engine.server.run import Serving, serve
from engine.server.runtime import TOKEN

ROOT = Path(__file__).parent.parent.parent.parent


def main(folder: Path, idle: float, port: int, model: str) -> int:
    config = ServerConfig(
        port=port, token_file=folder / TOKEN, idle_seconds=idle or None, grace_seconds=20
    )
    command = worker_command("tests.engine.server.fake_worker", ROOT)
    engine = EngineConfig(model=Path(model) if model else None)
    try:
        serve(
            Serving(config, engine, folder, 1, lambda info: print(info.port, flush=True), command)
        )
    except EngineError as error:
        print(error, flush=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))

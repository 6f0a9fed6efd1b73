"""The log file: what was run and how it ended, never any of the user's text."""

import logging
from contextlib import suppress
from pathlib import Path

import platformdirs

from engine.server.logs import LogFile

_BYTES, _FILES = 512 * 1024, 2


def log_path() -> Path:
    """Where the log is written."""
    return platformdirs.user_log_path("retouch") / "retouch.log"


def start_log(path: Path) -> None:
    """Send our log there; a folder that can't be written is no reason not to work."""
    logger = logging.getLogger("retouch")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = LogFile(path, "a", _BYTES, _FILES, "utf-8", delay=False)
        handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
        logger.addHandler(handler)


def stop_log() -> None:
    """Close the log file."""
    logger = logging.getLogger("retouch")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()

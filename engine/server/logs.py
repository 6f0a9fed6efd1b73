"""The server's log: one JSON object a line, in a file of the user's own. Never any text of theirs.

Whoever logs gives numbers and names of ours as `facts`; ids and messages of clients stay out.
"""

import contextlib
import json
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from protocol.flow import Final
from protocol.replies import Done

FILE = "server.log"
BYTES, FILES = 1 << 20, 2
ROOT = "engine"


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, place, event, facts; of an exception its kind alone."""
        line: dict[str, object] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname,
            "from": record.name,
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line)


class LogFile(RotatingFileHandler):
    """A file of lines; what can't be written any more is lost, and nothing else."""

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk is no news for standard error at every line."""

    def close(self) -> None:
        """Close the file, whole or not."""
        with contextlib.suppress(OSError):
            super().close()


def start_log(folder: Path) -> logging.Handler:
    """Write the engine's log into `folder`; a full or read-only disk costs the log alone."""
    handler: logging.Handler
    try:
        handler = LogFile(folder / FILE, "a", BYTES, FILES, "utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(JsonLines())
    logger = logging.getLogger(ROOT)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    return handler


def stop_log(handler: logging.Handler) -> None:
    """Close the log."""
    logging.getLogger(ROOT).removeHandler(handler)
    handler.close()


def end_facts(session: str, final: Final) -> dict[str, object]:
    """What may be logged of how a fill ended."""
    if not isinstance(final, Done):
        return {"session": session, "finish": getattr(final, "code", "scored")}
    stats = final.stats
    return {
        "session": session,
        "finish": final.finish,
        "steps": stats.steps,
        "forwards": stats.forwards,
        "tokens": stats.tokens,
        "queue_ms": stats.queue_ms,
        "wall_ms": stats.wall_ms,
    }

"""What the engine raises for its callers; everything else that escapes it is a bug."""

from pathlib import Path
from traceback import extract_tb


class EngineError(Exception):
    """The engine can't do what was asked: the message says what and what to do about it."""


def kind_and_place(error: Exception) -> str:
    """What a log may know of a bug: its message can hold the text of a document."""
    places = [f"{Path(at.filename).name}:{at.lineno}" for at in extract_tb(error.__traceback__)]
    return f"{type(error).__name__} at {' > '.join(places)}"

"""What the engine raises for its callers; everything else that escapes it is a bug."""


class EngineError(Exception):
    """The engine can't do what was asked: the message says what and what to do about it."""

"""Owns the exceptions of the package: what is wrong with a request, and how to mend it."""


class ConstraintError(Exception):
    """Base of everything a constraint can be refused for; the message is meant for the person."""


class UnsupportedError(ConstraintError):
    """The constraint uses something that can't be guaranteed; the message names it."""


class CircularError(UnsupportedError):
    """To read a schema, it would have to be read already: it leads straight back to itself."""


class InvalidConstraintError(ConstraintError):
    """The constraint itself is malformed (bad regex, bad schema, bad grammar)."""


class UnsatisfiableError(ConstraintError):
    """No text at all, or none that fits the canvas and its surroundings, meets the constraint."""


class TooLargeError(ConstraintError):
    """Compiling would pass a cap on states, arcs, seconds or memory."""


class NotWantedError(ConstraintError):
    """Nobody waits for the constraint any more: it was not compiled."""

"""Bounds that span several fields, which a struct alone can't state."""

from collections.abc import Sequence

from protocol.constraint import Constraint, Lengths, Syntax
from protocol.errors import ProtocolError
from protocol.limits import FILES_TOTAL_LIMIT
from protocol.messages import ToServer
from protocol.requests import Files, Fill, Locks, Op, Pin, Remask, Revise, ReviseText, Score
from protocol.values import CanvasSpec


def check(message: ToServer) -> None:
    """ProtocolError if the fields of a well-typed message don't go together."""
    match message:
        case Fill():
            _check_fill(message)
        case ReviseText():
            _check_files(message.context)
            _check_locks(message.locks, len(message.text))
            _check_constraint(message.constraint)
        case Score():
            _check_files(message.context)
        case Revise():
            _check_ops(message.ops)


def _check_fill(fill: Fill) -> None:
    _check_canvas(fill.canvas, "canvas")
    for number, hole in enumerate(fill.holes):
        _check_canvas(hole.canvas, f"holes[{number}].canvas")
        _check_own(fill, hole.constraint, f"holes[{number}].constraint")
    _check_files(fill.context)
    _check_constraint(fill.constraint)
    if fill.supersedes == fill.id:
        raise _invalid("A fill can't supersede itself.", "supersedes")


def _check_canvas(canvas: CanvasSpec, param: str) -> None:
    if canvas.pinned and canvas.tokens is None:
        raise _invalid("A pinned canvas needs `tokens`.", param)
    if canvas.most is not None and (canvas.pinned or canvas.most < (canvas.tokens or 1)):
        raise _invalid("`most` is at least `tokens`, of a canvas that is not pinned.", param)


def _check_files(files: Files) -> None:
    total = sum(len(file.text) for file in files)
    if total > FILES_TOTAL_LIMIT:
        text = f"The context files have {total} characters; {FILES_TOTAL_LIMIT} are allowed."
        raise ProtocolError("too_large", text, "context")


def _check_locks(locks: Locks, length: int) -> None:
    for number, lock in enumerate(locks):
        start, stop = lock.start, lock.stop
        spans = start is not None and stop is not None and start < stop <= length
        if spans == (lock.pattern is not None) or (not spans and (start, stop) != (None, None)):
            text = "A lock is either a span inside the text or a pattern."
            raise _invalid(text, f"locks[{number}]")


def _check_constraint(constraint: Constraint | None, param: str = "constraint") -> None:
    if constraint is None:
        return
    low, high = constraint.min_chars, constraint.max_chars
    nothing = low is None and high is None
    if isinstance(constraint, Lengths) and nothing and constraint.exact_tokens is None:
        raise _invalid("A lengths constraint needs a length.", param)
    if low is not None and high is not None and low > high:
        raise _invalid("min_chars is more than max_chars.", param)
    speaks_of_hole = constraint.scope == "hole" or isinstance(constraint, Syntax)
    if not speaks_of_hole and not nothing:
        raise _invalid("Character bounds need the scope `hole`.", param)


def _check_own(fill: Fill, constraint: Constraint | None, param: str) -> None:
    """The constraint of a further hole: what speaks of the document stands on the fill."""
    if constraint is None:
        return
    if constraint.scope == "document":
        raise _invalid("The constraint of a further hole speaks of that hole alone.", param)
    if fill.constraint is not None and fill.constraint.scope == "document":
        raise _invalid("The fill's constraint speaks of all holes already.", param)
    _check_constraint(constraint, param)


def _check_ops(ops: Sequence[Op]) -> None:
    for number, op in enumerate(ops):
        inside = not isinstance(op, Remask | Pin) or op.start <= op.stop
        if not inside or (isinstance(op, Remask) and op.start == op.stop):
            raise _invalid("`start` must lie before `stop`.", f"ops[{number}]")


def _invalid(message: str, param: str) -> ProtocolError:
    return ProtocolError("invalid_message", message, param)

"""What a request needs an engine to be able to do: one name for each thing that may be missing.

An engine says its capabilities in `welcome`; what it lacks is answered by `unsupported`. Paths and
languages are hints that an engine may ignore.
"""

from collections.abc import Collection, Iterator

from protocol.constraint import Constraint, Syntax
from protocol.errors import ProtocolError
from protocol.messages import Cancel, ClientMessage, Fill, Revise, ReviseText, Score

FILL_PARTS = ("holes", "context", "instruction", "old_text", "init", "guidance", "stop")
"""Fields of a fill that need the capability of the same name when they are set."""
REVISION_PARTS = ("context", "instruction", "guidance")
"""The same for a revision; locks are a part of revising."""


def needs(message: ClientMessage) -> Iterator[tuple[str, str]]:
    """(capability, field) for everything in `message` that an engine may be unable to do."""
    match message:
        case Fill():
            yield from _set_fields(message, FILL_PARTS)
            if message.alternatives > 1:
                yield "alternatives", "alternatives"
            yield from _constraint(message.constraint, "constraint")
            for number, hole in enumerate(message.holes):
                yield from _constraint(hole.constraint, f"holes[{number}].constraint")
        case ReviseText():
            yield "revise_text", "type"
            yield from _set_fields(message, REVISION_PARTS)
            yield from _constraint(message.constraint, "constraint")
        case Score():
            yield "score", "type"
            yield from _set_fields(message, ("context",))
        case Revise():
            for number, op in enumerate(message.ops):
                yield f"revise:{op.__struct_config__.tag}", f"ops[{number}]"
        case Cancel():
            pass


def require(message: ClientMessage, capabilities: Collection[str]) -> None:
    """ProtocolError unsupported if `message` needs what is not in `capabilities`."""
    for name, param in needs(message):
        if name not in capabilities:
            text = f"This engine can't do `{name}`; `welcome` lists what it can."
            raise ProtocolError("unsupported", text, param)


def syntax_of(language: str) -> str:
    """What an engine says besides `constraint:syntax` for every name of a language that it judges.

    No request needs it: an engine refuses the other languages by itself.
    """
    return f"constraint:syntax:{language}"


def _set_fields(
    message: Fill | ReviseText | Score, names: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for name in names:
        if getattr(message, name) not in (None, ()):
            yield name, name


def _constraint(constraint: Constraint | None, param: str) -> Iterator[tuple[str, str]]:
    if constraint is not None:
        yield f"constraint:{constraint.__struct_config__.tag}", param
        if isinstance(constraint, Syntax) and constraint.schema is not None:
            yield "constraint:syntax_schema", f"{param}.schema"

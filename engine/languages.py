"""What a request is held to: from the protocol's words to a compiled language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from engine.constraints import spec
from engine.constraints.checkers import Checker
from engine.constraints.compiler import Compiled
from engine.constraints.document_schema import DocumentSchema
from engine.constraints.leaving import Leaving
from engine.constraints.scalars import scalars
from protocol import constraint as wire
from protocol.messages import CanvasSpec, Fill, Score, Task


@dataclass(frozen=True, slots=True)
class Language:
    """One constraint of a request.

    Attributes:
        asked: the request's words.
        compiled: the language; None where it is no automaton.
        check: what is wrong with a text, by other means; None where it is judged by its syntax.
        reason: why it can't be guaranteed, where the request puts up with that.
        leaving: what a compiled language's canvases need of the vocabulary.
        listed: the language lists all values that a schema leaves for the hole.
        behind: the fixed texts behind the hole, where further holes stand between them.
        rooms: tokens that each of those may take.
    """

    asked: wire.Constraint
    compiled: Compiled | None = None
    check: Checker | None = None
    reason: str | None = None
    leaving: Leaving | None = None
    listed: bool = False
    behind: tuple[str, ...] = ()
    rooms: tuple[int, ...] = ()

    @property
    def tried(self) -> bool:
        """Whether whole texts are judged, and further ones made where all fail."""
        return isinstance(self.asked, wire.Syntax) or (
            self.compiled is None and self.check is not None
        )

    @property
    def exact(self) -> bool:
        """Whether the answer is the text of the canvas: what keeps to a grammar is not mended."""
        shaped = isinstance(self.asked, wire.Syntax | wire.Lengths) and not self.listed
        return self.compiled is not None and not shaped


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of a request by the number of the hole; `since` is when it came, in seconds of
    the engine's clock."""

    by_hole: Mapping[int, Language] = field(default_factory=dict)
    since: float | None = None

    def of(self, number: int) -> Language | None:
        """What a hole is held to; one that speaks of the document is that of every hole."""
        first = self.by_hole.get(0)
        if first is not None and first.asked.scope == "document":
            return first
        return self.by_hole.get(number)


NONE = Languages()


def asked_of(request: Task) -> dict[int, wire.Constraint]:
    """The constraints of a request by the number of the hole; a score has none."""
    if isinstance(request, Score):
        return {}
    found = {} if request.constraint is None else {0: request.constraint}
    for number, hole in enumerate(request.holes if isinstance(request, Fill) else (), 1):
        if hole.constraint is not None:
            found[number] = hole.constraint
    return found


def pinned(fill: Fill) -> Fill:
    """The fill with the canvases that its constraints count tokens for."""

    def canvas(held: wire.Constraint | None, old: CanvasSpec) -> CanvasSpec:
        count = None if held is None else held.exact_tokens
        return old if count is None else CanvasSpec(tokens=count, pinned=True)

    holes = tuple(replace(hole, canvas=canvas(hole.constraint, hole.canvas)) for hole in fill.holes)
    return replace(fill, canvas=canvas(fill.constraint, fill.canvas), holes=holes)


def spec_of(asked: wire.Constraint) -> spec.ConstraintSpec | None:
    """What there is to compile; None for black boxes and mere token counts.

    Raises InvalidConstraintError.
    """
    bounds: dict[str, Any] = {"min_chars": asked.min_chars or 0, "max_chars": asked.max_chars}
    shared = {"scope": asked.scope, "best_effort": asked.best_effort, **bounds}
    found: spec.ConstraintSpec
    match asked:
        case wire.Regex():
            found = spec.Regex(pattern=asked.pattern, **shared)
        case wire.Choices():
            found = spec.Choices(texts=asked.choices, **shared)
        case wire.JsonSchema():
            found = spec.JsonSchema(schema=asked.schema, **shared)
        case wire.Ebnf():
            found = spec.Ebnf(grammar=asked.grammar, **shared)
        case wire.Lark():
            found = spec.Lark(grammar=asked.grammar, **shared)
        case wire.Syntax() | wire.Lengths():
            if bounds == {"min_chars": 0, "max_chars": None}:
                return None
            found = spec.Lengths(**bounds)
    spec.check_spec(found)
    return found


def listed_of(
    asked: wire.Constraint, request: Task, wanted: Callable[[], bool]
) -> spec.Regex | None:
    """The values that a schema leaves for the one hole of a fill, if they can be listed.

    Raises UnsupportedError, InvalidConstraintError for the schema, NotWantedError once the values
    are not `wanted` any more.
    """
    if not isinstance(asked, wire.Syntax) or asked.schema is None:
        return None
    schema = DocumentSchema(asked.language, asked.schema)
    if not isinstance(request, Fill) or request.holes:
        return None
    low, high, count = asked.min_chars, asked.max_chars, asked.exact_tokens
    if (low, high, count) != (None, None, None):
        return None
    before, behind = (text.replace("\r\n", "\n") for text in (request.prefix, request.suffix))
    return scalars(schema, before, behind, wanted)


def param_of(number: int) -> str:
    """The field that holds the constraint of a hole."""
    return f"holes[{number - 1}].constraint" if number else "constraint"

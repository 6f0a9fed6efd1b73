"""Several holes one after another from the left: each sees the answers before it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from engine.job import StepResult
from engine.languages import Language, Languages
from engine.session import Session
from engine.several.parts import (
    at_hole,
    engine_error,
    joined_end,
    language_of,
    one_hole,
    param_in,
)
from engine.turns import Turn
from protocol.errors import ProtocolError
from protocol.messages import (
    Advance,
    ContextChange,
    Delta,
    Done,
    Error,
    Fill,
    Revise,
    ServerMessage,
    Splice,
)

HURRIED = ("deadline", "cancelled")


@dataclass(slots=True)
class InTurn:
    """A fill that runs as one plain fill after another, all under its own id."""

    session: Session
    clock: Callable[[], float]
    fill: Fill
    deadline: float | None
    """In seconds of the clock, for all holes together."""
    languages: Languages
    over: bool = False
    _ends: list[Done] = field(default_factory=list)
    _told: int = 0
    """Frames of all holes so far; a hole counts its own from 1."""
    _earlier: int = 0
    """Those of the holes that have ended."""

    def open(self) -> Turn:
        """The first hole; ProtocolError if it, or a later one, can't be filled as asked."""
        for number in range(1, len(self.fill.holes) + 1):
            self._check(number)
        return self._begin()

    def running(self) -> list[str]:
        """Ids of the work that is going on."""
        return self.session.running(self.fill.id)

    def forget(self) -> list[str]:
        """Drop what the session knows of the hole whose turn it is; the ids of its work."""
        return self.session.forget(self.fill.id)

    def advance(self, result: StepResult) -> Turn:
        """Pass a result on; a hole that ends makes way for the next one."""
        inner = self.session.advance(result)
        turn = Turn(add=inner.add, cancel=inner.cancel)
        for message in inner.messages:
            if isinstance(message, Done):
                self._end(message, turn)
            elif isinstance(message, Error) and message.code == "deadline" and self._ends:
                self._end(Done(self.fill.id, "", "deadline"), turn)
            else:
                turn.messages.append(self._tell(message))
        return turn

    def revise(self, revise: Revise) -> Turn:
        """Change the canvas of the hole whose turn it is; the text between the holes stays."""
        if revise.canvas != len(self._ends):
            raise ProtocolError("not_found", "It is another hole's turn.", "canvas")
        if any(isinstance(op, Advance | ContextChange) for op in revise.ops):
            text = "The text around one of several holes stays as it is."
            raise ProtocolError("unsupported", text, "ops")
        base = revise.base_seq - self._earlier
        turn = self.session.revise(msgspec.structs.replace(revise, canvas=0, base_seq=base))
        turn.messages = [self._tell(message) for message in turn.messages]
        return turn

    def _end(self, end: Done, turn: Turn) -> None:
        """Begin the next hole, or end the fill."""
        self._ends.append(end)
        self._earlier = self._told
        if len(self._ends) > len(self.fill.holes) or end.finish in HURRIED:
            self.over = True
            turn.messages.append(joined_end(self.fill, self._ends, together=False))
            return
        try:
            turn.add += self._begin().add
        except ProtocolError as error:
            self.over = True
            found = at_hole(error, len(self._ends), self.languages)
            turn.messages.append(engine_error(self.fill, found))

    def _tell(self, message: ServerMessage) -> ServerMessage:
        """A hole's message as the fill's, its frames numbered on."""
        if isinstance(message, Delta | Splice):
            self._told = self._earlier + message.seq
            return msgspec.structs.replace(message, canvas=len(self._ends), seq=self._told)
        if isinstance(message, Error):
            self.over = True
            param = param_in(message.param, len(self._ends), self.languages)
            return msgspec.structs.replace(message, param=param)
        return message

    def _check(self, number: int) -> None:
        """ProtocolError if a later hole can't be filled, whatever the answers before it are.

        They can change the bytes that move into the hole, so that it must fail both behind all
        fixed text and behind its own text alone.
        """
        part, language = one_hole(self.fill, number), self.languages.of(number)
        if language is not None and not _is_told_alone(language):
            language = None
        if language is None and not part.canvas.pinned:
            return
        own = msgspec.structs.replace(part, prefix=self.fill.holes[number - 1].before)
        refusals = (self._refusal(each, number, language) for each in (part, own))
        error = next(refusals)
        if error is not None and next(refusals) is not None:
            raise error

    def _refusal(self, part: Fill, number: int, language: Language | None) -> ProtocolError | None:
        """Why a hole can't be filled, told before any work is begun."""
        try:
            self.session.open(part, language)
        except ProtocolError as error:
            return at_hole(error, number, self.languages)
        finally:
            self.forget()
        return None

    def _begin(self) -> Turn:
        """The first work of the hole whose turn it is."""
        language = language_of(self.fill, len(self._ends), self.languages)
        return self.session.open(self._part(), language)

    def _part(self) -> Fill:
        """The fill of the hole whose turn it is, in the time that is left."""
        part = one_hole(self.fill, len(self._ends), [end.text for end in self._ends])
        if self.deadline is None:
            return part
        left = max(1, round((self.deadline - self.clock()) * 1000))
        return msgspec.structs.replace(part, deadline_ms=left)


def _is_told_alone(language: Language) -> bool:
    """Whether a hole's automaton is the same whatever stands before the hole."""
    is_held = language.compiled is not None and not language.tried
    return is_held and language.asked.scope == "hole"

"""All fills of one engine: those of one hole go to the session, the others are run from here."""

from collections.abc import Callable

import msgspec

from engine.job import StepResult
from engine.languages import NONE, Languages, pinned
from engine.session import Session
from engine.several.in_turn import InTurn
from engine.several.parts import check, holes_of, one_hole
from engine.several.together import Together, plan, too_long, wants_canvas
from engine.told import guidance
from engine.turns import Turn
from protocol.errors import ProtocolError
from protocol.messages import Accepted, Fill, Revise, Task

DOCUMENT = (
    "The constraint speaks of the whole document, so the holes were filled one after another."
)
NARROW = (
    "A hole needs more tokens than a canvas beside others has, so the holes were filled one after "
    "another."
)
TRIED = (
    "Texts are tried until one keeps to the constraint, so the holes were filled one after another."
)


class Several:
    """A session for fills of any number of holes."""

    def __init__(self, session: Session, clock: Callable[[], float]) -> None:
        self._session = session
        self._clock = clock
        self._live: dict[str, Together | InTurn] = {}

    def open(self, fill: Task, languages: Languages = NONE) -> Turn:
        """The first work of a request whose id is free; ProtocolError if it can't be done."""
        if not isinstance(fill, Fill):
            return self._session.open(fill, languages.of(0), languages.since)
        fill = pinned(fill)
        if not fill.holes:
            return self._session.open(fill, languages.of(0), languages.since)
        check(fill)
        live, note, turn = self._begin(fill, languages)
        self._live[fill.id] = live
        [accepted] = turn.messages
        if note and isinstance(accepted, Accepted):
            turn.messages = [msgspec.structs.replace(accepted, notes=(*accepted.notes, note))]
        return turn

    def revise(self, revise: Revise) -> Turn:
        """Change a running canvas; of several holes the one whose turn it is."""
        live = self._live.get(revise.id)
        if isinstance(live, InTurn):
            return live.revise(revise)
        if live is not None or revise.canvas:
            text = "Holes that are filled together can't be changed while they run."
            raise ProtocolError("unsupported", text, "ops")
        return self._session.revise(revise)

    def running(self, fill_id: str) -> list[str]:
        """Ids of a request's work; none if it is not live."""
        live = self._live.get(fill_id)
        return self._session.running(fill_id) if live is None else live.running()

    def forget(self, fill_id: str) -> list[str]:
        """Drop all that is known of a request; the ids of its work."""
        live = self._live.pop(fill_id, None)
        return self._session.forget(fill_id) if live is None else live.forget()

    def advance(self, result: StepResult) -> Turn:
        """What a step calls for."""
        live = self._live.get(fill_id := result.work.id.partition("/")[0])
        if live is None:
            return self._session.advance(result)
        turn = live.advance(result)
        if live.over:
            del self._live[fill_id]
        return turn

    def _begin(
        self, fill: Fill, languages: Languages
    ) -> tuple[Together | InTurn, str | None, Turn]:
        """A fill with its first work, and why its holes go in turn.

        A canvas beside others has less room than one alone, so there what can't be met together is
        asked of each hole by itself.
        """
        since = self._clock() if languages.since is None else languages.since
        deadline = fill.deadline_ms and since + fill.deadline_ms / 1000
        in_turn = InTurn(self._session, self._clock, fill, deadline, languages)
        live, note = self._choose(fill, languages, in_turn)
        try:
            return live, note, live.open()
        except ProtocolError as error:
            if live is in_turn or error.code != "constraint_unsatisfiable":
                raise
        return in_turn, NARROW, in_turn.open()

    def _choose(
        self, fill: Fill, languages: Languages, in_turn: InTurn
    ) -> tuple[Together | InTurn, str | None]:
        """Together if the policy and the lengths allow it; else why not, where that surprises."""
        if not wants_canvas(fill):
            return in_turn, None
        if guidance(fill) != 1.0:
            return in_turn, "With guidance the holes are filled one after another."
        if fill.sampling.review != "none":
            return in_turn, "With a review the holes are filled one after another."
        if fill.constraint is not None and fill.constraint.scope == "document":
            return in_turn, DOCUMENT
        numbers = range(len(holes_of(fill)))
        if any(language.tried for language in map(languages.of, numbers) if language is not None):
            return in_turn, TRIED
        holes = [self._session.shape(one_hole(fill, n), languages.of(n)) for n in numbers]
        if note := too_long(fill, holes):
            return in_turn, note
        references = self._session.references(fill)
        found = plan(fill, holes, self._session.prompter, references)
        if note := found.obstacle:
            return in_turn, note
        return Together(self._session, fill, in_turn.deadline, found, languages), None

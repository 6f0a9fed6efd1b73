"""What the answer of one hole is held to: the automaton it follows, and the last gate before it is
sent. Built once per hole, before its first pass, where all that is impossible is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.constraints.blackbox import BlackBox
from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.compiler import Compiled
from engine.constraints.errors import ConstraintError, UnsatisfiableError
from engine.constraints.opening import Opening
from engine.constraints.prefix_index import PrefixIndex
from engine.gate import Problem, gate_of, in_document
from engine.held import Held, Tokens
from engine.hole import Hole
from engine.languages import Language
from engine.prompt import Prompt
from engine.refusal import refusal
from models.config import ModelConfig
from protocol.constraint import Syntax
from protocol.errors import ProtocolError
from protocol.messages import Fill, FinishReason

FOLLOWS = 64
"""Characters of the text behind a hole that tell its end."""
TRIES = 3
"""Further texts that are tried where a black box refused all."""


@dataclass(frozen=True, slots=True)
class Terms:
    """See the module.

    Attributes:
        held: what proposals follow; None where the answer is judged as a whole.
        problem: the last gate; None where there is no constraint.
        lenient: an answer that fails the gate is sent all the same, and marked.
        box: keeps a text that passes the gate, for answers that follow no automaton.
        tries: how many more texts are tried where all failed the gate.
        notes: what was cut from the constraint, in plain words.
    """

    held: Held | None = None
    problem: Problem | None = None
    lenient: bool = False
    box: BlackBox | None = None
    tries: int = 0
    notes: tuple[str, ...] = ()


FREE = Terms()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answers that may be sent, best first and at least one, and how the fill ended."""

    texts: tuple[str, ...]
    finish: FinishReason


def judged(texts: Sequence[str], finish: FinishReason, terms: Terms) -> Verdict:
    """The last gate: what of the answers `texts` may be sent; ProtocolError if nothing may."""
    if terms.problem is None:
        return Verdict(tuple(texts), finish)
    if sound := [text for text in texts if terms.problem(text) is None]:
        return Verdict(tuple(sound), finish)
    if finish == "cancelled":
        return Verdict(("",), finish)
    kept = None if terms.box is None else terms.box.kept
    if kept is not None:
        return Verdict((kept.text,), finish if kept.from_model else "constraint")
    if terms.lenient:
        return Verdict(tuple(texts[:1]), "constraint")
    why = terms.problem(texts[0])
    if finish == "deadline":
        text = f"The time was up before a text kept to the constraint: {why}."
        raise ProtocolError("deadline", text, "constraint")
    if terms.held is not None and not terms.tries:
        raise ProtocolError("engine_failed", f"The answer failed the last check: {why}.")
    text = f"None of the texts that were tried ({len(texts)}) keeps to the constraint: {why}."
    raise ProtocolError("constraint_unsatisfiable", text, "constraint")


class Binder:
    """Makes terms for one model."""

    def __init__(self, config: ModelConfig, spelled: list[bytes], index: PrefixIndex) -> None:
        self._config = config
        self._spelled = spelled
        self._index = index
        silent = (token for token, data in enumerate(spelled) if not data)
        usable = config.pad_id >= 0 and config.pad_id != config.eos_id
        others = (token for token in silent if token != config.eos_id)
        self._pad = config.pad_id if usable else next(others, -1)

    def bind(self, fill: Fill, hole: Hole, prompt: Prompt, language: Language | None) -> Terms:
        """The terms of a hole; ProtocolError for what can't be met."""
        if language is None:
            return FREE
        try:
            gate = _gate(fill, hole, language)
            if language.compiled is None:
                return _judged(fill, language, gate)
            held = self._held(hole, prompt, language, language.compiled)
        except UnsatisfiableError as error:
            if not language.asked.best_effort:
                raise refusal(error) from error
            return _judged(fill, replace(language, reason=str(error)), gate)
        except ConstraintError as error:
            raise refusal(error) from error
        notes = tuple(
            f"Left out of the constraint: {note}." for note in language.compiled.dfa.notes
        )
        judged = isinstance(language.asked, Syntax)
        free = _judged(fill, language, gate) if judged else Terms(problem=gate)
        return replace(free, held=held, notes=notes)

    def _held(self, hole: Hole, prompt: Prompt, language: Language, compiled: Compiled) -> Held:
        """The automaton between the texts around the hole, what moved into it spelled first."""
        assert language.leaving is not None, "who compiles a language knows the vocabulary"
        inside = in_document(language)
        required, before = prompt.required, hole.prefix.encode()
        behind = [text.replace("\r\n", "\n").encode() for text in language.behind]
        texts = [before[: len(before) - len(required)], *(behind or [hole.suffix.encode()])]
        specials = Specials((self._config.eos_id,), (self._pad,), sure_pad=True)
        automaton = CanvasConstraint(
            compiled.dfa,
            specials,
            texts if inside else (b"", b""),
            Opening(required, self._index, inside) if required else None,
            language.rooms if inside else (),
        )
        tokens = Tokens(self._spelled, self._config.eos_id, self._pad, language.leaving)
        return Held(automaton, tokens, hole.suffix[:FOLLOWS].encode())


def _judged(fill: Fill, language: Language, gate: Problem | None) -> Terms:
    """Terms without an automaton: texts are tried until one passes."""
    lenient, old = language.asked.best_effort, fill.old_text
    notes: tuple[str, ...] = ()
    if language.reason is not None:
        notes = (f"The constraint is not guaranteed: {language.reason}.",)
    if gate is None:
        return Terms(lenient=lenient, notes=notes)
    box = BlackBox(lambda text: gate(text) is None, old)
    return Terms(None, gate, lenient, box, TRIES, notes)


def _gate(fill: Fill, hole: Hole, language: Language) -> Problem | None:
    behind = language.behind or (fill.suffix,)
    tail = hole.newline if hole.whole_lines else ""
    return gate_of(language, fill.prefix, behind, fill.old_text, tail)

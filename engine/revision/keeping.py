"""A revision that keeps to a language: the old text must, and so must every text that is kept.

Asked for or not, a document that parses still does afterwards, where its language is known.
"""

from collections.abc import Callable
from dataclasses import replace

from engine.constraints.errors import ConstraintError, UnsupportedError
from engine.gate import gate_of
from engine.languages import Language
from engine.refusal import refusal
from engine.revision.kinds import language_name
from engine.revision.opening import Opened
from engine.shape.judge import keeps_sound
from engine.shape.languages import language_of
from protocol.errors import ProtocolError
from protocol.messages import ReviseText

Accepts = Callable[[bytes], bool]


def under(language: Language | None, request: ReviseText, opened: Opened) -> tuple[Opened, Accepts]:
    """The opening with notes on the language, and whether the bytes of a passage keep to it.

    ProtocolError if the text as it stands does not.
    """
    if language is None:
        return opened, _sound(request, opened)
    if language.asked.exact_tokens is not None:
        text = "A revision counts no tokens; leave `exact_tokens` out."
        raise ProtocolError("unsupported", text, "constraint")
    try:
        gate = gate_of(language, request.prefix, (request.suffix,), request.text, opened.tail)
    except ConstraintError as error:
        raise refusal(error) from error
    wrong = gate(request.text) if gate is not None else None
    if wrong is not None and not language.asked.best_effort:
        text = f"The text as it stands does not keep to the constraint: {wrong}."
        raise ProtocolError("constraint_unsatisfiable", text, "constraint")
    reason = wrong or language.reason
    if reason is not None:
        note = f"The constraint is not guaranteed: {reason}."
        opened = replace(opened, notes=(*opened.notes, note))
    if gate is None or wrong is not None:
        return opened, _anything
    return opened, _of_text(opened, lambda text: gate(text) is None)


def _sound(request: ReviseText, opened: Opened) -> Accepts:
    """No new errors of syntax; anything goes where nothing judges the language."""
    sides = [side.replace("\r\n", "\n") for side in (request.prefix, request.text, request.suffix)]
    prefix, old, suffix = sides
    try:
        name = language_of(request.path, language_name(request)).name
        accepts = keeps_sound(name, prefix, old, suffix)
    except UnsupportedError:
        return _anything
    return _of_text(opened, lambda text: accepts(text.replace("\r\n", "\n")))


def _of_text(opened: Opened, fits: Callable[[str], bool]) -> Accepts:
    """Whether the text of a passage fits, told from its bytes."""
    required, tail = len(opened.required), opened.tail
    return lambda data: fits(data[required:].decode("utf-8", "replace") + tail)


def _anything(data: bytes) -> bool:
    return True

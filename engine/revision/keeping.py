"""A revision that keeps to a language: the old text must, and so must every text that is kept."""

from collections.abc import Callable
from dataclasses import replace

from engine.constraints.errors import ConstraintError
from engine.gate import gate_of
from engine.languages import Language
from engine.refusal import refusal
from engine.revision.opening import Opened
from protocol.errors import ProtocolError
from protocol.messages import ReviseText

Accepts = Callable[[bytes], bool]


def under(language: Language | None, request: ReviseText, opened: Opened) -> tuple[Opened, Accepts]:
    """The opening with notes on the language, and whether the bytes of a passage keep to it.

    ProtocolError if the text as it stands does not.
    """
    if language is None:
        return opened, _anything
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
    required, tail = len(opened.required), opened.tail

    def accepts(data: bytes) -> bool:
        return gate(data[required:].decode("utf-8", "replace") + tail) is None

    return opened, accepts


def _anything(data: bytes) -> bool:
    return True

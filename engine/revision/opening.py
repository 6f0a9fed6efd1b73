"""A request -> the passage under revision: edges healed, tokens locked, windows cut."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.prompt import Prompter, check_spelling
from engine.revision.kinds import pieces_of
from engine.revision.locks import locked_characters, prose_characters
from engine.revision.passage import WINDOW, Passage, window_starts
from engine.revision.slots import Slot
from engine.told import guidance, told
from models.loader import Model
from protocol.errors import ProtocolError
from protocol.messages import ReviseText
from protocol.revise import MethodName

DEFAULT_METHOD: MethodName = "posterior"
CAUSAL_ALONE = ("posterior", "causal")
"""Methods without canvas rows; a header was told to those alone in training."""
TOKEN_LIMIT, PASSAGE_LIMIT = 1024, 4096


@dataclass(frozen=True, slots=True)
class Opened:
    """A passage, and what is needed to put its text back.

    Attributes:
        required: bytes at its start that belong to the prefix.
        tail: the closing newline of whole lines, which belongs to the suffix meanwhile.
    """

    passage: Passage
    required: bytes
    tail: str
    notes: tuple[str, ...]


def open_passage(
    request: ReviseText,
    prompter: Prompter,
    model: Model,
    window: int = WINDOW,
    limit: int = TOKEN_LIMIT,
) -> Opened:
    """The tokens of `request.text` between their contexts; ProtocolError if it can't be revised.

    They are cut into windows of at most `window` tokens; there may be `limit` tokens in all.
    """
    body = request.text.removesuffix("\n")
    tail = request.text[len(body) :]
    if not body:
        raise ProtocolError("invalid_message", "A single newline is nothing to look at.", "text")
    reads_canvas = method_of(request) not in CAUSAL_ALONE
    words = told(request, reads_canvas and model.config.layout.reference_limit > 0)
    prompt = prompter.prompt(request.prefix, tail + request.suffix, words, guidance(request))
    moved = prompt.required.decode()
    ids, offsets = model.tokenizer.encode_with_offsets(moved + body)
    _check_size("The text has", len(ids), max(PASSAGE_LIMIT, limit))
    check_spelling(model.tokenizer, body, "text")
    pieces = pieces_of(request)
    marks = locked_characters(request.text, request.locks, request.keep, pieces)
    marks = [True] * len(moved) + marks
    prose = [False] * len(moved) + prose_characters(request.text, pieces)
    slots = [
        Slot(token, _is_locked(marks, span, len(moved)), any(prose[slice(*span)]))
        for token, span in zip(ids, offsets, strict=True)
    ]
    _check_size("What may change has", sum(not slot.locked for slot in slots), limit)
    table = model.tokenizer.token_bytes
    starts = window_starts([table[token] for token in ids], window)
    passage = Passage(request.id, prompt, slots, model.config, starts)
    return Opened(passage, prompt.required, tail, prompt.notes)


def method_of(request: ReviseText) -> MethodName:
    """The method that is asked for, or the default."""
    return request.method or DEFAULT_METHOD


def _check_size(what: str, size: int, limit: int) -> None:
    if size > limit:
        message = f"{what} {size} tokens; at most {limit} can be looked at at once."
        raise ProtocolError("too_large", message, "text")


def _is_locked(marks: Sequence[bool], span: tuple[int, int], moved: int) -> bool:
    """A token with a locked character of the text, or with none but moved ones."""
    start, stop = span
    return any(marks[max(start, moved) : stop]) or stop <= moved

"""Text around a hole -> the token segments of its context, healed at the left edge."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.constraints.prefix_index import PrefixIndex
from engine.errors import EngineError
from engine.query import Context
from models.config import ModelConfig
from models.tokenizer import Tokenizer
from protocol.errors import ProtocolError
from protocol.limits import CANVAS_LIMIT

BLOCK = 256
CHARACTERS_PER_TOKEN = 8
CUT_BLOCK = 4096
MOVED_LIMIT = 256
BLANK_LIMIT = 0x3001
"""No character from here on is white space."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A context and the bytes that moved from its end into the hole."""

    context: Context
    required: bytes
    notes: tuple[str, ...]
    """What was trimmed, in plain words."""


class Prompter:
    """Builds prompts for one model; `prefix_tokens` is the most it puts before a hole."""

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, index: PrefixIndex, prefix_tokens: int
    ) -> None:
        self._config = config
        self._tokenizer = tokenizer
        self._index = index
        self._limit = prefix_tokens
        self._blanks = _blanks(index)

    def prompt(
        self, prefix: str, suffix: str, references: Sequence[str] = (), guidance: float = 1.0
    ) -> Prompt:
        """Tokens of both sides, trimmed to the windows, with the left edge healed.

        `references` are the texts of reference segments, each with its own window of tokens;
        `guidance` weighs the last of them.
        """
        notes: list[str] = []
        text, moved = self._split(_tail(prefix, self._limit * CHARACTERS_PER_TOKEN))
        ids = self._tokenizer.encode(text)
        if not moved and ids and self._moves(ids[-1], text):
            moved = self._tokenizer.bytes_of([ids.pop()])
        whole, ids = len(ids), last_blocks(ids, self._limit)
        if len(ids) < whole or len(text) + len(moved) < len(prefix):
            notes.append(f"Only the last {len(ids)} tokens before the hole were used.")
        window = self._config.layout.suffix_limit
        head = suffix[: window * CHARACTERS_PER_TOKEN]
        after = self._tokenizer.encode(head)[:window]
        told = self._references(references, notes)
        context = Context((self._config.separator_id, *ids), tuple(after), told, guidance)
        return Prompt(context, moved, tuple(notes))

    def between(self, text: str) -> tuple[tuple[int, ...], bytes]:
        """Tokens of the text between two holes, and the bytes that move into the second one.

        At least one token stays, of white space all: the second hole begins behind it. There is
        none where the vocabulary can't spell the text.
        """
        kept, moved = self._split(text)
        ids = self._tokenizer.encode(kept)
        if not ids:
            return tuple(self._tokenizer.encode(text)), b""
        if not moved and len(ids) > 1 and self._moves(ids[-1], kept):
            moved = self._tokenizer.bytes_of([ids.pop()])
        return tuple(ids), moved

    def _references(self, texts: Sequence[str], notes: list[str]) -> tuple[tuple[int, ...], ...]:
        """Token ids of each reference segment, cut to its window; what is left out is noted."""
        window = self._config.layout.reference_limit
        if texts and not window:
            notes.append("This model has no window for instructions and other files; not used.")
            return ()
        segments = []
        for text in texts:
            ids = self._tokenizer.encode(text[: window * CHARACTERS_PER_TOKEN])
            if len(ids) > window or len(text) > window * CHARACTERS_PER_TOKEN:
                notes.append(
                    f"Only the first {window} tokens of {text.splitlines()[0]!r} were used."
                )
            segments.append(tuple(ids[:window]))
        return tuple(segment for segment in segments if segment)

    def _split(self, text: str) -> tuple[str, bytes]:
        """Cut trailing white space off, at most MOVED_LIMIT characters of it.

        What the vocabulary can't spell stays: no hole could begin with it.
        """
        kept = text.rstrip(self._blanks)
        if len(text) - len(kept) > MOVED_LIMIT:
            kept = text[: text.rfind("\n", 0, len(text) - 1) + 1] if "\n" in text[:-1] else text
            kept = kept if len(text) - len(kept) <= MOVED_LIMIT else text
        return kept, text[len(kept) :].encode()

    def _moves(self, token: int, text: str) -> bool:
        """Whether the last token of `text` moves into the hole: it is a proper prefix of another.

        A part of a character stays: who wrote the rest of it before means no longer token. So
        does what stands before characters that have no tokens.
        """
        data = self._index.bytes_of(token)
        if data is None or not is_text(data) or not text.endswith(data.decode()):
            return False
        return len(self._index.starting_with(data)) > len(self._index.equal_to(data))


def last_blocks(ids: list[int], limit: int) -> list[int]:
    """At most `limit` of the last tokens; what goes goes in whole blocks, so that more tokens
    don't move the start and caches serve."""
    excess = max(0, len(ids) - limit)
    return ids[-(-excess // BLOCK) * BLOCK :]


def prefix_limit(config: ModelConfig, asked: int) -> int:
    """The most tokens before a hole, of `asked`: a canvas of any size ends where positions do.

    EngineError if that leaves next to none.
    """
    room = config.positions - config.layout.canvas(1, CANVAS_LIMIT).stop
    if room < BLOCK:
        text = f"The model has {config.positions} positions; its layout needs {BLOCK - room} more."
        raise EngineError(text)
    return min(asked, room)


def check_spelling(tokenizer: Tokenizer, text: str, param: str) -> None:
    """ProtocolError if a text that is to stand in a canvas has a character without tokens."""
    if (character := tokenizer.unspelt(text)) is not None:
        message = f"The model has no tokens for U+{ord(character):04X}; it would be lost."
        raise ProtocolError("unsupported", message, param)


def is_text(data: bytes) -> bool:
    """Whether the bytes are whole characters."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _blanks(index: PrefixIndex) -> str:
    """The white space whose every byte is a token."""
    spelled = {byte for byte in range(256) if len(index.equal_to(bytes([byte])))}
    blanks = filter(str.isspace, map(chr, range(BLANK_LIMIT)))
    return "".join(blank for blank in blanks if spelled.issuperset(blank.encode()))


def _tail(text: str, characters: int) -> str:
    """At least the last `characters` of `text`, from a line's start that typing does not move."""
    excess = len(text) - characters
    if excess <= 0:
        return text
    at = excess // CUT_BLOCK * CUT_BLOCK
    line = text.find("\n", max(0, at - 1), at + CUT_BLOCK) if at else -1
    return text[line + 1 :] if line >= 0 else text[at:]

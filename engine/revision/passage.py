"""A text that stands between two others -> its tokens in windows, each with its exact context."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.prompt import Prompt, last_blocks, prefix_limit
from engine.query import Context
from engine.revision.slots import Slot, Slots, ids_of
from models.config import ModelConfig

WINDOW = 47
"""Tokens revised together; with the end mark they make up the largest canvas that is trained."""


@dataclass(frozen=True, slots=True)
class Window:
    """A run of tokens with everything that stands around it as fixed context.

    Attributes:
        index: its number in the passage.
        name: begins the ids of its work.
        required: bytes at the start that must stay, moved in from the prefix.
    """

    index: int
    name: str
    context: Context
    slots: Slots
    required: bytes

    @property
    def ids(self) -> tuple[int, ...]:
        """Its tokens."""
        return ids_of(self.slots)

    @property
    def open(self) -> list[int]:
        """Slots that may change."""
        return [place for place, slot in enumerate(self.slots) if not slot.locked]


class Passage:
    """The text under revision; windows are replaced one by one, the rest is their context."""

    def __init__(
        self,
        name: str,
        prompt: Prompt,
        slots: Sequence[Slot],
        config: ModelConfig,
        starts: Sequence[int],
    ) -> None:
        self._name = name
        self._prompt = prompt
        self._suffix_limit = config.layout.suffix_limit
        self._prefix_limit = prefix_limit(config, config.positions)
        bounds = [*starts, len(slots)]
        self.windows = [tuple(slots[start:stop]) for start, stop in pairwise(bounds)]

    @property
    def slots(self) -> Slots:
        """All tokens in order."""
        return tuple(slot for window in self.windows for slot in window)

    def before(self, index: int) -> int:
        """Tokens left of a window."""
        return sum(map(len, self.windows[:index]))

    def window(self, index: int, turn: int) -> Window:
        """A window as it is now; `turn` makes the ids of its work different from earlier ones."""
        context = self._prompt.context
        separator, *ids = context.prefix
        ids += [slot.token for window in self.windows[:index] for slot in window]
        right = [slot.token for window in self.windows[index + 1 :] for slot in window]
        around = replace(
            context,
            prefix=(separator, *last_blocks(ids, self._prefix_limit)),
            suffix=(*right, *context.suffix)[: self._suffix_limit],
        )
        required = b"" if index else self._prompt.required
        return Window(index, f"{self._name}/{index}.{turn}", around, self.windows[index], required)


def window_starts(pieces: Sequence[bytes], size: int = WINDOW) -> list[int]:
    """Where windows of at most `size` tokens begin: at a line's start if one is near their end."""
    starts, at = [0], 0
    while len(pieces) - at > size:
        lines = [n for n in range(at + size // 2, at + size + 1) if pieces[n].startswith(b"\n")]
        at = lines[-1] if lines else at + size
        starts.append(at)
    return starts

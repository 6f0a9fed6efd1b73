"""A running job's canvas and surroundings, apart from the job: ops are tried here first."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.canvas import Canvas, SlotState
from engine.hole import Hole
from engine.job import Job
from engine.policies import ReadingKind
from engine.prompt import Prompt
from models.config import ModelConfig
from models.tokenizer import Tokenizer
from protocol.errors import ErrorCode, ProtocolError
from protocol.messages import CANVAS_LIMIT, Fill


class Move(NamedTuple):
    """From slot `at` on `delete` slots went and `insert` came: what is behind has moved."""

    at: int
    delete: int
    insert: int


@dataclass(slots=True)
class Draft:
    """See the module. Slots count from the first of `past`, as frames do.

    Attributes:
        past: finished blocks, which stand in the prefix.
        limit: slots the hole may grow to; 0 if its length is pinned.
        moves: how slots have been numbered anew, in order.
        resettled: whether the text around the canvas is another one now.
    """

    fill: Fill
    hole: Hole
    prompt: Prompt
    canvas: Canvas
    past: Canvas | None
    limit: int
    block: int
    reading: ReadingKind
    config: ModelConfig
    tokenizer: Tokenizer
    moves: list[Move] = field(default_factory=list)
    resettled: bool = False

    @property
    def before(self) -> int:
        """Slots of finished blocks."""
        return 0 if self.past is None else len(self.past)

    @property
    def whole(self) -> Canvas:
        """Finished blocks and the canvas behind them."""
        return self.canvas if self.past is None else self.past.followed_by(self.canvas)

    @property
    def text_end(self) -> int:
        """The slot of the first end mark of the canvas, else its length; `before` left out."""
        ends = np.flatnonzero(self.canvas.tokens == self.config.eos_id)
        return int(ends[0]) if len(ends) else len(self.canvas)

    def settled_pieces(self) -> list[bytes]:
        """Bytes of each settled slot up to the end mark, finished blocks included."""
        whole = self.whole
        settled = min(whole.settled, self.before + self.text_end)
        table = self.tokenizer.token_bytes
        return [table[token] for token in whole.tokens[:settled]]

    def own(self, start: int, stop: int) -> tuple[int, int]:
        """Slots of frames as slots of the canvas; ProtocolError if they are not all there."""
        start, stop = start - self.before, stop - self.before
        if not 0 <= start <= stop <= len(self.canvas):
            raise refused("stale_base", "These slots are not in the running canvas.")
        return start, stop

    def swap(self, start: int, stop: int, other: Canvas | None) -> None:
        """Put other slots in the place of the canvas's [start, stop), and keep the limit's room."""
        insert = 0 if other is None else len(other)
        change = insert - (stop - start)
        if len(self.canvas) + self.before + change > CANVAS_LIMIT:
            raise refused("too_large", f"A canvas has at most {CANVAS_LIMIT} tokens.")
        self.canvas = self.canvas.spliced(start, stop, other)
        self.limit += change if self.limit else 0
        if change:
            self.moves.append(Move(start + self.before, stop - start, insert))

    def throw(self, slots: list[int]) -> None:
        """Make revealed slots of the canvas masks again; other slots stay as they are.

        The causal reading sees nothing right of a mask, so that goes too. With an end mark its
        padding goes; padding alone stays.
        """
        canvas, end = self.canvas, self.text_end
        revealed = np.flatnonzero(canvas.states == SlotState.REVEALED)
        chosen = revealed[np.isin(revealed, slots) & (revealed <= end)]
        if not len(chosen):
            return
        if self.reading is not ReadingKind.CANVAS:
            chosen = revealed[revealed >= chosen[0]]
        elif end in chosen.tolist():
            chosen = np.union1d(chosen, revealed[revealed > end])
        canvas.remask(chosen)


def draft_of(
    job: Job,
    around: tuple[Fill, Hole, Prompt],
    config: ModelConfig,
    tokenizer: Tokenizer,
) -> Draft:
    """A draft of a job as it is."""
    fill, hole, prompt = around
    return Draft(
        fill,
        hole,
        prompt,
        job.canvas.copy(),
        job.past,
        job.limit,
        job.block,
        job.policy.reading,
        config,
        tokenizer,
    )


def refused(code: ErrorCode, message: str) -> ProtocolError:
    """Why an op is not done."""
    return ProtocolError(code, message, "ops")

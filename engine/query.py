"""What is asked of the model, apart from a canvas: questions about a context and their answers."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Priority = Literal["auto", "manual", "batch"]
QUERY_ROWS = 512


@dataclass(frozen=True, slots=True)
class Context:
    """The fixed text around a hole as token ids. `prefix` begins with the separator.

    `guidance` weighs the last reference, the instruction (see engine.guidance); every value but 1
    costs a second pass, without it.
    """

    prefix: tuple[int, ...]
    suffix: tuple[int, ...] = ()
    references: tuple[tuple[int, ...], ...] = ()
    guidance: float = 1.0

    @property
    def guided(self) -> bool:
        """Whether what is told with and without the last reference is weighed."""
        return self.guidance != 1.0 and bool(self.references)


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens put behind the prefix, and what is asked of the rows.

    Row 0 is the anchor, row j holds token j - 1 and predicts token j.

    Attributes:
        tokens: the tokens of the rows behind the anchor; mask ids are masks.
        canvas: rows see each other in both directions (canvas reading) or causally.
        with_suffix: whether the suffix segment is seen.
        rows: the rows that are asked, and `targets` the token whose probability each is asked.
        choices: how many of the likeliest tokens of each asked row are told.
        shared: so many leading tokens are those of the query's first part, whose keys are used
            again; only rows behind them can be asked. Both parts are causal and see the same.
    """

    tokens: tuple[int, ...]
    rows: tuple[int, ...]
    targets: tuple[int, ...]
    canvas: bool = False
    with_suffix: bool = True
    choices: int = 1
    shared: int = 0

    @property
    def size(self) -> int:
        """Rows that it brings to a pass; the anchor is shared too."""
        return len(self.tokens) - self.shared + (not self.shared)


@dataclass(frozen=True, slots=True)
class Answer:
    """For each row a part asked: log-probabilities in nats, and the best token."""

    target: npt.NDArray[np.float32]  # [rows] of the target
    best: npt.NDArray[np.int64]  # [rows] the most probable token
    end: npt.NDArray[np.float32]  # [rows] of the end mark
    choices: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), np.int64))
    """[rows, choices] the likeliest tokens, best first, and their log-probabilities."""
    choice_log_probs: npt.NDArray[np.float32] = field(
        default_factory=lambda: np.empty((0, 0), np.float32)
    )


@dataclass(slots=True)
class Query:
    """Questions about one context; done when every part has its answer."""

    id: str
    context: Context
    parts: list[Part]
    answers: list[Answer] = field(default_factory=list)
    deadline: float | None = None
    client: str = ""
    priority: Priority = "manual"

    def __post_init__(self) -> None:
        if not all(_shares(self.parts[0], part) for part in self.parts if part.shared):
            raise ValueError("a part shares only what the first part begins with")

    def next_parts(self) -> list[Part]:
        """What the coming pass answers: as many open parts as QUERY_ROWS hold, at least one."""
        parts: list[Part] = []
        rows = 0
        for part in self.parts[len(self.answers) :]:
            rows += part.size
            if parts and rows > QUERY_ROWS:
                break
            parts.append(part)
        return parts


def _shares(first: Part, part: Part) -> bool:
    """Whether the shared tokens of a part have the same keys in the first one."""
    alike = first.with_suffix == part.with_suffix and not (first.canvas or part.canvas)
    head = slice(part.shared)
    behind = not first.shared and min(part.rows) > part.shared
    return alike and behind and first.tokens[head] == part.tokens[head]

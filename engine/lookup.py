"""Drafts copied from the text itself: what followed the last tokens where they stood before.

Prompt lookup decoding (Saxena, 2023). The causal reading checks a draft in the pass that it makes
anyway, and keeps what it would have said; few rows cost little more than one.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.job import Job

Ids = npt.NDArray[np.int64]
LONGEST = 4
"""Tokens that are compared; of the places that agree in most, the last one is taken."""


def drafts(job: Job) -> bool:
    """Whether a job's causal text may be drafted: greedy, and held to no language."""
    free = job.constraint is None or not job.constraint.draws
    return free and job.draw.temperature == 0.0


def draft(text: Ids, most: int) -> list[int]:
    """Up to `most` tokens that followed an earlier occurrence of the end of `text` [N]."""
    if most <= 0 or len(text) < 2:
        return []
    places = np.flatnonzero(text[:-1] == text[-1])
    for back in range(1, LONGEST):
        earlier = places[places >= back]
        agreeing = earlier[text[earlier - back] == text[len(text) - 1 - back]]
        if not len(agreeing) or len(text) <= back + 1:
            break
        places = agreeing
    if not len(places):
        return []
    start = int(places[-1]) + 1
    return [int(token) for token in text[start : start + most]]


def ids(*parts: Sequence[int] | Ids) -> Ids:
    """Token ids as one array."""
    return np.concatenate([np.asarray(part, np.int64) for part in parts])

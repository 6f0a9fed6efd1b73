"""Revises items through an EngineClient and tells what became of each."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from engine.client import EngineClient, stream
from models.training.compare import auc as area
from protocol.messages import Done, Error, ReviseText, Token
from protocol.revise import MethodName
from tests.bench.revision.items import Item


def revise(client: EngineClient, item: Item, method: MethodName, **fields: Any) -> Done:
    """The end of one revision; RuntimeError if the engine refuses it."""
    request = ReviseText(
        "bench", item.prefix, item.text, item.suffix, method=method, path="x.py", **fields
    )
    *_, last = stream(client, request)
    if not isinstance(last, Done):
        raise RuntimeError(f"{item.name}: {last.message if isinstance(last, Error) else last}")
    return last


def record(item: Item, done: Done) -> dict[str, Any]:
    """What the table needs of one revision."""
    return {
        "item": asdict(item),
        "text": done.text,
        "auc": localisation(item, done.tokens),
        "forwards": done.stats.forwards,
        "ms": done.stats.wall_ms,
        "remasked": done.stats.remasked,
    }


def localisation(item: Item, tokens: Sequence[Token]) -> float | None:
    """P(a broken token scores lower than a sound one) in one span; None without both kinds.

    Scores are those of the text as it was, before anything was changed.
    """
    at, wrong, scores = 0, [], []
    for token in tokens:
        old = token.text if token.revised_from is None else token.revised_from
        stop = at + len(old)
        if old and not token.locked:
            wrong.append(any(at < b and a < stop for a, b in item.wrong))
            scores.append(token.confidence)
        at = stop
    return auc(np.array(wrong, dtype=bool), -np.array(scores, dtype=float))


def auc(labels: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> float | None:
    """Area under the ROC curve, ties half; None without both kinds."""
    if labels.all() or not labels.any():
        return None
    return area(torch.from_numpy(scores), torch.from_numpy(labels))

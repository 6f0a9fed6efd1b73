"""Owns the choice of one accepting path through a canvas: the best one, or a drawn one."""

import numpy as np
import numpy.typing as npt

from engine.constraints.errors import UnsatisfiableError
from engine.constraints.scan import Messages, Scan, Slots

Floats = npt.NDArray[np.float64]
Labels = list[int]  # the column (token class, end or pad) of each slot
State = tuple[int, int]  # 0 inside the hole or 1 behind its end, state


def best_labels(scan: Scan, slots: Slots) -> Labels:
    """Columns of the likeliest accepting path; ties go to the lower state, then column."""
    maxima = scan.set_maxima(slots.mass.best)
    scores = scan.best_scores(slots, maxima)
    last = np.where(slots.final, scores[-1], -np.inf)
    row, state = np.unravel_index(int(np.argmax(last)), last.shape)
    if last[row, state] == -np.inf:
        raise UnsatisfiableError("no completion of the canvas meets the constraint")
    at = int(row), int(state)
    labels = []
    for i in reversed(range(slots.length)):
        label, at = _best_arrival(scan, slots, scores[i], maxima, i, at)
        labels.append(label)
    return labels[::-1]


def _best_arrival(
    scan: Scan, slots: Slots, before: Floats, maxima: Floats, i: int, at: State
) -> tuple[int, State]:
    """The column read in slot i on the best way into `at`, and the state it was read in."""
    best, reducer = slots.mass.best[i], slots.mass.reducer
    row, state = at
    if row:
        padded = before[1, state] + best[reducer.pad] >= before[0, state] + best[reducer.end]
        return (reducer.pad, (1, state)) if padded else (reducer.end, (0, state))
    low, high = scan.target_starts[state], scan.target_starts[state + 1]
    arrivals = before[0, scan.source[low:high]] + maxima[i, scan.set_of[low:high]]
    pair = low + int(np.argmax(arrivals))
    return _best_class(scan, best, pair), (0, int(scan.source[pair]))


def _classes_of(scan: Scan, pair: int) -> npt.NDArray[np.int64]:
    kind = scan.set_of[pair]
    return scan.set_classes[scan.set_starts[kind] : scan.set_starts[kind + 1]]


def _best_class(scan: Scan, best: Floats, pair: int) -> int:
    classes = _classes_of(scan, pair)
    return int(classes[np.argmax(best[classes])])


def sampled_labels(
    scan: Scan, slots: Slots, messages: Messages, rng: np.random.Generator
) -> Labels:
    """Columns of a path drawn with its exact probability: one forward walk over backward masses."""
    at: State = (0, slots.start)
    labels = []
    for i in range(slots.length):
        label, at = _draw_move(scan, slots, messages, i, at, rng)
        labels.append(label)
    return labels


def _draw_move(
    scan: Scan, slots: Slots, messages: Messages, i: int, at: State, rng: np.random.Generator
) -> tuple[int, State]:
    mass, reducer = slots.mass.total[i], slots.mass.reducer
    behind = messages.backward[i + 1]
    row, state = at
    if row:
        return reducer.pad, at
    low, high = scan.source_starts[state], scan.source_starts[state + 1]
    pairs = scan.by_source[low:high]
    odds = np.empty(len(pairs) + 1)
    odds[:-1] = messages.moves[i, scan.set_of[pairs]] * behind[0, scan.target[pairs]]
    odds[-1] = mass[reducer.end] * behind[1, state]
    choice = _draw(odds, rng)
    if choice == len(pairs):
        return reducer.end, (1, state)
    classes = _classes_of(scan, int(pairs[choice]))
    label = int(classes[_draw(mass[classes], rng)])
    return label, (0, int(scan.target[pairs[choice]]))


def _draw(weights: Floats, rng: np.random.Generator) -> int:
    """An index by its weight; one with weight zero is never drawn."""
    heap = np.cumsum(weights / weights.max())
    place = int(np.searchsorted(heap, rng.random() * heap[-1], side="right"))
    return place if place < len(weights) else int(np.flatnonzero(weights)[-1])

"""Fuzz canvases: random rows, islands, fixed surroundings, many reveals a step, remasking."""

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.constraints.canvas import CanvasConstraint
from engine.constraints.checkers import Checker
from engine.constraints.gates import third_gate
from engine.constraints.spec import ConstraintSpec, Regex
from engine.constraints.step import Path
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Vocabulary
from engine.constraints.walks import Walker
from tests.engine.constraints.vocabularies import SPECIALS

Rows = npt.NDArray[np.float32]


@dataclass(slots=True)
class Tally:
    """What happened; `problems` names every dead end and every refused result."""

    canvases: int = 0
    steps: int = 0
    problems: list[str] = field(default_factory=list)


def row_pool(vocabulary: Vocabulary, rows: int, seed: int) -> Rows:
    """[rows, V] log-probabilities of random sharpness."""
    rng = np.random.default_rng(seed)
    pool = rng.standard_normal((rows, vocabulary.size), dtype=np.float32)
    pool *= rng.choice([1.0, 3.0, 8.0], (rows, 1)).astype(np.float32)
    pool -= pool.max(axis=1, keepdims=True)
    pool -= np.log(np.exp(pool).sum(axis=1, keepdims=True))
    return pool


def fuzz_canvas(
    spec: ConstraintSpec,
    dfa: TokenDFA,
    vocabulary: Vocabulary,
    pool: Rows,
    rng: np.random.Generator,
    tally: Tally,
) -> None:
    """Denoise one random canvas to its end and judge the text."""
    before, behind = surroundings(dfa, rng)
    canvas = CanvasConstraint(dfa, SPECIALS, (before, behind))
    least = canvas.least_tokens()
    assert least is not None
    length = least + int(rng.integers(0, max(1, min(256, 16 * 2 ** rng.integers(0, 4)) - least)))
    fixed = np.full(length, -1)
    share = rng.choice([0.0, 0.0, 0.1, 0.3])
    islands = rng.random(length) < share
    if islands.any():
        fixed[islands] = canvas.step(_rows(pool, rng, length), fixed).sample(rng).tokens[islands]
    tally.canvases += 1
    pace = int(rng.choice([1, 2, 4, 8, 16, 64])) if length <= 48 else int(rng.choice([8, 16, 64]))
    while (fixed < 0).any():
        view = canvas.step(_rows(pool, rng, int((fixed < 0).sum())), fixed)
        tally.steps += 1
        if not view.feasible:
            tally.problems.append(f"dead end: {spec}")
            return
        path = view.best if rng.random() < 0.3 else view.sample(rng)
        _reveal(path, pace, fixed, islands, rng)
    hole = b"".join(vocabulary.token_bytes[token] or b"" for token in fixed)
    judge(spec, before + hole + behind, tally, third_gate(spec))


def surroundings(dfa: TokenDFA, rng: np.random.Generator) -> tuple[bytes, bytes]:
    """Nothing, or both ends of a valid text, cut anywhere (even inside a character)."""
    if rng.random() < 0.5:
        return b"", b""
    text = Walker(dfa.dfa, seed=int(rng.integers(1 << 30))).draw()
    cuts = sorted(rng.integers(0, len(text) + 1, 2).tolist())
    return text[: cuts[0]], text[cuts[1] :]


def _rows(pool: Rows, rng: np.random.Generator, count: int) -> Rows:
    return pool[rng.integers(0, len(pool), count)]


def _reveal(
    path: Path,
    pace: int,
    fixed: npt.NDArray[np.int64],
    islands: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> None:
    """Reveal the `pace` surest tokens of a path; now and then remask another one first."""
    shown = np.flatnonzero((fixed >= 0) & ~islands)
    open_slots = np.flatnonzero(fixed < 0)
    chosen = open_slots[np.argsort(-path.confidence[open_slots], kind="stable")[:pace]]
    if rng.random() < 0.2 and len(shown) > 1 and len(chosen) > 2:
        fixed[rng.choice(shown, 1)] = -1
    fixed[chosen] = path.tokens[chosen]


def judge(spec: ConstraintSpec, text: bytes, tally: Tally, check: Checker) -> None:
    """Note what is wrong with a finished text: the last gate's word, and `re.fullmatch`."""
    problem = check(text)
    if problem is None and isinstance(spec, Regex):
        fits = re.fullmatch(spec.pattern, text.decode())
        problem = None if fits else "re.fullmatch refuses it"
    if problem is not None:
        tally.problems.append(f"{problem}: {text!r} for {spec}")

"""Fuzzing with the default model: jobs made by hand on the engine's own steps, and whole fills."""

import ast

import numpy as np
import torch

from engine.backend import open_model
from engine.canvas import Canvas
from engine.config import EngineConfig
from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.gates import third_gate
from engine.constraints.leaving import Leaving
from engine.constraints.spec import ConstraintSpec
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Vocabulary
from engine.core import Engine
from engine.held import Held, Tokens
from engine.job import Draw, Job
from engine.local import LocalEngine
from engine.policies import POLICIES, Plan, ReadingKind
from engine.query import Context
from engine.reviews import REVIEWERS, Review, ReviewPlan
from engine.runner import Runner
from engine.scheduler import Scheduler
from protocol.constraint import Syntax
from protocol.messages import Done, Fill, Sampling
from tests.bench.fill.data import MissingData, read_problems
from tests.bench.fill.drive import fill_all
from tests.engine.constraints.fuzzing import Tally, judge, surroundings

CACHE_BYTES = 256 << 20
WORDS = ("value", " =", " item", "(", " 1", ",", " x", ":", "\n", " if", " the", '"')
LONGEST = 256
PACES = (1, 2, 4, 8, 16, 64)
REVIEWS = ("none", "none", "remdm_cap", "p2", "edit")


class ModelFuzz:
    """One loaded model and what runs on it."""

    def __init__(
        self, compiled: list[tuple[ConstraintSpec, TokenDFA]], vocabulary: Vocabulary, threads: int
    ) -> None:
        config = EngineConfig(threads=threads)
        self._model = open_model(config)
        banned = self._model.tokenizer.silent_ids - {self._model.config.eos_id}
        runner = Runner(self._model.transformer, CACHE_BYTES, banned)
        self._engine = Engine(runner, Scheduler(8))
        self._local = LocalEngine(self._model, config)
        self._compiled = compiled
        shape = self._model.config
        spelled = self._model.tokenizer.token_bytes
        self._tokens = Tokens(spelled, shape.eos_id, shape.pad_id, Leaving(vocabulary))
        self._specials = Specials((shape.eos_id,), (shape.pad_id,), sure_pad=True)

    def close(self) -> None:
        """Let go of the engine."""
        self._local.close()

    @torch.inference_mode()
    def canvas(self, number: int, rng: np.random.Generator, tally: Tally) -> None:
        """One canvas of 16 to 256 slots, with islands, under one constraint, to its end."""
        spec, dfa = self._compiled[number % len(self._compiled)]
        before, behind = surroundings(dfa, rng)
        language = CanvasConstraint(dfa, self._specials, (before, behind))
        least = language.least_tokens()
        assert least is not None
        length = max(least + 1, int(rng.integers(16, LONGEST + 1)))
        job = self._job(f"n{number}", Held(language, self._tokens), length, rng)
        tally.canvases += 1
        self._engine.add(job)
        while self._engine.busy:
            for result in self._engine.step():
                tally.steps += result.forwards
                if result.error is not None:
                    tally.problems.append(f"{result.error}: {spec}")
                    return
        ids = job.canvas.tokens.tolist()
        end = self._tokens.end
        ids = ids[: ids.index(end)] if end in ids else ids
        text = before + self._model.tokenizer.bytes_of(ids) + behind
        judge(spec, text, tally, third_gate(spec))

    def python(self, number: int, rng: np.random.Generator, tally: Tally) -> None:
        """One hole of a Python file, judged by its syntax: the answer parses, or there is none."""
        try:
            problem = read_problems("single-line")[number * 7]
        except MissingData:
            return
        policy = ("causal", "speculate", "threshold")[number % 3]
        sampling = Sampling(policy=policy, temperature=0.7, seed=number)  # type: ignore[arg-type]
        fill = Fill(
            id=f"s{number}",
            prefix=problem.prefix,
            suffix=problem.suffix,
            sampling=sampling,
            constraint=Syntax(language="python"),
        )
        (end,) = fill_all(self._local, [fill], 1)
        tally.canvases += 1
        if not isinstance(end, Done):
            if end.code != "constraint_unsatisfiable":
                tally.problems.append(f"{end.code}: {end.message}")
            return
        tally.steps += end.stats.forwards
        try:
            ast.parse(problem.prefix + end.text + problem.suffix)
        except SyntaxError:
            tally.problems.append(f"does not parse: {end.text!r} in {problem.task}")

    def _job(self, name: str, held: Held, length: int, rng: np.random.Generator) -> Job:
        shape, encode = self._model.config, self._model.tokenizer.encode
        words = "".join(rng.choice(WORDS, int(rng.integers(1, 40))).tolist())
        canvas = Canvas(length, shape.mask_id)
        self._put_islands(canvas, held, rng)
        policy = POLICIES[str(rng.choice(sorted(POLICIES)))]
        free = len(canvas.masked)
        pace = int(rng.choice(PACES))
        review = str(rng.choice(REVIEWS))
        reviews = policy.reading is ReadingKind.CANVAS and review != "none"
        plan = Plan(steps=max(1, free // pace), counts=(pace,), order="random", seed=int(length))
        return Job(
            id=name,
            context=Context((shape.separator_id, *encode(words)), tuple(encode("\nend"))),
            canvas=canvas,
            policy=policy,
            plan=plan,
            draw=Draw(float(rng.choice([0.0, 1.0])), float(rng.choice([1.0, 0.9])), length),
            constraint=held,
            stop=lambda tokens: shape.eos_id in tokens,
            review=Review(REVIEWERS[review], ReviewPlan(steps=8)) if reviews else None,
        )

    def _put_islands(self, canvas: Canvas, held: Held, rng: np.random.Generator) -> None:
        """Fix up to 30 % of the slots to tokens of one valid filling."""
        share = float(rng.choice([0.0, 0.1, 0.3]))
        size = len(self._tokens.spelled)
        if not share:
            return
        rows = rng.standard_normal((len(canvas), size), dtype=np.float32)
        rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
        rows[:, self._tokens.end] -= 8.0  # an early end leaves little to fill
        path = held.language.step(rows, np.full(len(canvas), -1)).sample(rng)
        for slot in np.flatnonzero(rng.random(len(canvas)) < share).tolist():
            canvas.fix(slot, int(path.tokens[slot]))

"""Languages a finished canvas must belong to; knows nothing of the engine that calls it.

Once per process: `Vocabulary(token_bytes)` and `ConstraintCompiler(vocabulary, cache_folder)`.
Once per request: `decode_spec(message)` -> `compiler.compile(spec)` -> `Compiled` with its token
automaton `dfa`, `notes` on what was cut, and `check(text)`, which every result must pass.
Once per canvas: `CanvasConstraint(compiled.dfa, specials, texts)`; `texts` are the bytes before,
between and behind the holes; an `Opening` heals the left boundary. UnsatisfiableError says where
nothing can fit; `require(slots)` how many tokens are needed, `feasible_lengths(most)` which numbers
of tokens will do.
Once per step: `constraint.step(log_probs, fixed)` -> `StepView`, where `log_probs` [R, V] are the
rows of the open slots only and `fixed` [L] holds ids, -1 where a slot is open:

    view.feasible, view.log_valid      is there a way; log P(valid) (divide by L to compare L)
    view.best                          likeliest path: tokens, confidence, forced, log_prob
    view.sample(rng)                   a path drawn from the exact joint distribution
    view.marginal(slot, token)         P(token at slot | valid)
    view.witness                       the path to reveal from: the last sample, else the best

Witness rule: reveal any subset of *one* path of the current step; all else may be remasked at will.
`HealingAutomaton` is the small constraint of hole boundaries; `BlackBox`, `syntax_box` and
`CommandValidator` judge what is no automaton. Every refusal is a ConstraintError.
"""

from engine.constraints.blackbox import BlackBox, Kept, syntax_box
from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.compiler import Compiled, ConstraintCompiler
from engine.constraints.errors import (
    CheckerError,
    ConstraintError,
    InvalidConstraintError,
    TooLargeError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.healing import HealingAutomaton, HealingPath
from engine.constraints.limits import Limits
from engine.constraints.opening import Opening
from engine.constraints.prefix_index import PrefixIndex
from engine.constraints.spec import (
    Choices,
    ConstraintSpec,
    Ebnf,
    JsonSchema,
    Lark,
    Lengths,
    Regex,
    Syntax,
    decode_spec,
)
from engine.constraints.step import Path, StepView
from engine.constraints.validator import CommandValidator
from engine.constraints.vocabulary import Vocabulary

__all__ = [
    "BlackBox",
    "CanvasConstraint",
    "CheckerError",
    "Choices",
    "CommandValidator",
    "Compiled",
    "ConstraintCompiler",
    "ConstraintError",
    "ConstraintSpec",
    "Ebnf",
    "HealingAutomaton",
    "HealingPath",
    "InvalidConstraintError",
    "JsonSchema",
    "Kept",
    "Lark",
    "Lengths",
    "Limits",
    "Opening",
    "Path",
    "PrefixIndex",
    "Regex",
    "Specials",
    "StepView",
    "Syntax",
    "TooLargeError",
    "UnsatisfiableError",
    "UnsupportedError",
    "Vocabulary",
    "decode_spec",
    "syntax_box",
]

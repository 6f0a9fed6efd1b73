"""Owns the way from a spec to a byte automaton: its front-end, and the ladder of bounds."""

from dataclasses import dataclass, replace

from engine.constraints.algebra import build, intersection
from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.determinise import determinise
from engine.constraints.errors import TooLargeError, UnsatisfiableError
from engine.constraints.expression import CharSet, Choice, Literal, Repeat, concat
from engine.constraints.grammar.gaps import unmarked
from engine.constraints.grammar.parser import read_ebnf, read_lark
from engine.constraints.limits import Bounds, Clock, Limits, deeper, tighter
from engine.constraints.nfa import NfaBuilder
from engine.constraints.regex import full_match
from engine.constraints.schema.document import SchemaDocument
from engine.constraints.schema.lower import lower
from engine.constraints.schema.spelling import SPACE, spelling
from engine.constraints.spec import (
    MAX_CHARS,
    Choices,
    ConstraintSpec,
    Ebnf,
    JsonSchema,
    Lark,
    Lengths,
    Regex,
    check_spec,
)
from engine.constraints.utf8 import ANY_CHAR

# Small enough that each rung of the ladder is left early; the last one may use all of the cap.
_SPENT = 0.1  # the share of the time below which another try is pointless
_SCHEMA_STATES = 12_000
_GRAMMAR_STATES = 4_000
_UNICODE_STATES = 4_000
_NFA_STATES = 150_000
_ANY_ORDER = 5


@dataclass(frozen=True, slots=True)
class ByteLanguage:
    """A byte automaton and what was cut from the language that was asked for."""

    dfa: ByteDFA
    notes: tuple[str, ...]


def language_of(spec: ConstraintSpec, limits: Limits, bounds: Bounds | None = None) -> ByteLanguage:
    """Compile a spec to a byte automaton, with tighter bounds until it fits the caps.

    Raises a ConstraintError: unsupported, invalid, unsatisfiable or too large.
    """
    check_spec(spec)
    # Text that a person has already written may have its keys in any order.
    bounds = bounds or Bounds(any_order=_ANY_ORDER if spec.scope == "document" else 0)
    ladder = _ladder(spec, bounds)
    clock = Clock(limits.seconds)
    for rung, (rung_bounds, rung_states) in enumerate(ladder):
        last = rung == len(ladder) - 1
        states = limits.dfa_states if last else min(limits.dfa_states, rung_states)
        share = clock.left() if last else clock.left() / 2
        rung_limits = replace(
            limits,
            dfa_states=states,
            nfa_states=limits.nfa_states if last else min(limits.nfa_states, _NFA_STATES),
            seconds=share,
        )
        try:
            return _within(spec, rung_limits, rung_bounds)
        except TooLargeError as error:
            if clock.left() < limits.seconds * _SPENT:
                seconds = f"{limits.seconds:g} s"
                raise TooLargeError(f"compiling the constraint takes over {seconds}") from error
            if last:
                raise
    raise AssertionError("the ladder has a last rung")


def _ladder(spec: ConstraintSpec, bounds: Bounds) -> list[tuple[Bounds, int]]:
    """The bounds to try in turn, with the states that each may take. A pattern loses the named
    classes beyond ASCII first: they are large, and seldom what a long repetition is about."""
    if isinstance(spec, Ebnf | Lark):
        return [(rung, _GRAMMAR_STATES) for rung in deeper(bounds)]
    ladder = [(rung, _SCHEMA_STATES) for rung in tighter(bounds)]
    if isinstance(spec, Regex):
        narrow = [(replace(rung, ascii=True), states) for rung, states in ladder]
        return [(bounds, _UNICODE_STATES), *narrow]
    return ladder


def _within(spec: ConstraintSpec, limits: Limits, bounds: Bounds) -> ByteLanguage:
    language = _unbounded(spec, limits, bounds)
    if (spec.min_chars or spec.max_chars is not None) and not isinstance(spec, Lengths):
        counted = intersection(language.dfa, _lengths(spec, limits), limits)
        language = ByteLanguage(counted, language.notes)
    if language.dfa.empty and language.notes:
        raise TooLargeError(f"no text is left without {', '.join(language.notes)}")
    if language.dfa.empty:
        raise UnsatisfiableError("no text meets the constraint")
    return language


def _unbounded(spec: ConstraintSpec, limits: Limits, bounds: Bounds) -> ByteLanguage:
    match spec:
        case Regex():
            found = full_match(spec.pattern, limits, bounds)
            return ByteLanguage(found.dfa, tuple(sorted(found.clipped)))
        case Choices():
            texts = Choice(tuple(Literal(text.encode()) for text in spec.texts))
            return ByteLanguage(build(texts, limits, bounds), ())
        case JsonSchema():
            return _schema(spec, limits, bounds)
        case Lengths():
            return ByteLanguage(_lengths(spec, limits), ())
        case Ebnf() | Lark():
            return _grammar(spec, limits, bounds)


def _schema(spec: JsonSchema, limits: Limits, bounds: Bounds) -> ByteLanguage:
    default = "spaced" if spec.scope == "hole" else "free"
    document = SchemaDocument(spec.schema, limits)
    lowered = lower(document, spelling(spec.whitespace or default), limits, bounds)
    root = lowered.root if spec.scope == "hole" else concat(SPACE, lowered.root, SPACE)
    builder = NfaBuilder(lowered.rules, limits, bounds)
    dfa = determinise(builder.build(root), limits)
    return ByteLanguage(dfa, tuple(sorted(lowered.notes | builder.clipped)))


def _grammar(spec: Ebnf | Lark, limits: Limits, bounds: Bounds) -> ByteLanguage:
    read = read_ebnf if isinstance(spec, Ebnf) else read_lark
    root, rules = read(spec.grammar, spec.start)
    builder = NfaBuilder(rules, limits, bounds)
    dfa = determinise(builder.build(root), limits)
    if isinstance(spec, Lark):
        dfa = unmarked(dfa, limits)
    return ByteLanguage(dfa, tuple(sorted(builder.clipped)))


def _lengths(spec: ConstraintSpec, limits: Limits) -> ByteDFA:
    counted = Repeat(CharSet(ANY_CHAR), spec.min_chars, spec.max_chars)
    return build(counted, replace(limits, dfa_states=100_000), Bounds(repeat=MAX_CHARS))

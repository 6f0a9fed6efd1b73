"""Owns the second opinions on a text: other people's validators, each run in bounded time.

They never see the automaton, so that a mistake in a front-end is found by them.
"""

import json
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from types import FrameType

import jsonschema_rs
import llguidance

from engine.constraints.data import refuse
from engine.constraints.errors import InvalidConstraintError, UnsupportedError
from engine.constraints.spec import (
    Choices,
    ConstraintSpec,
    Ebnf,
    JsonSchema,
    Lark,
    Lengths,
    Regex,
)

Checker = Callable[[bytes], str | None]  # what is wrong with a text, None if nothing is
# Python's classes as the second opinion spells them.
_SPELLED = {
    r"\w": r"[\p{L}\p{N}_]",
    r"\W": r"[^\p{L}\p{N}_]",
    r"\d": r"\p{Nd}",
    r"\D": r"\P{Nd}",
    r"\s": r"[\s\x1c-\x1f]",
    r"\S": r"[^\s\x1c-\x1f]",
}
_PARTS = re.compile(r"\\.|\[\^?|.", re.DOTALL)


def checker_of(spec: ConstraintSpec) -> Checker:
    """A validator for results of a spec that takes time linear in the text."""
    judge = _kind_checker(spec)
    low, high = spec.min_chars, spec.max_chars

    def check(text: bytes) -> str | None:
        try:
            count = len(text.decode())
        except UnicodeDecodeError:
            return "the text is not UTF-8"
        if count < low or (high is not None and count > high):
            return f"the text has {count} characters"
        return judge(text)

    return check


def _kind_checker(spec: ConstraintSpec) -> Checker:
    match spec:
        case Regex():
            pattern = _spelled(spec.pattern)
            return _llguidance(llguidance.LLMatcher.grammar_from_regex(f"(?:{pattern})"))
        case Choices():
            texts = {text.encode() for text in spec.texts}
            return lambda text: None if text in texts else "the text is none of the choices"
        case JsonSchema():
            return _json_schema(spec.schema)
        case Lark():
            return _llguidance(llguidance.LLMatcher.grammar_from_lark(spec.grammar))
        case Ebnf() | Lengths():
            return lambda text: None


def _spelled(pattern: str) -> str:
    """A pattern of Python's for the second opinion.

    The two know different versions of Unicode: what the oldest lacks may belong to any class.
    """
    found, bracket = [], ""
    for part in _PARTS.findall(pattern):
        if not bracket and part[0] == "[":
            bracket = part
        elif part == "]":
            bracket = ""
        if (spelled := _SPELLED.get(part)) is not None:
            new = r"&&\p{Age:14.0}" if bracket == "[^" else r"\P{Age:14.0}"
            part = f"[{spelled}{new}]"
        found.append(part)
    return "".join(found)


def validator_of(schema: str) -> jsonschema_rs.Validator:
    """A validator that takes linear time and reads nothing. Raises InvalidConstraintError."""
    try:
        return jsonschema_rs.validator_for(
            json.loads(schema),
            validate_formats=True,
            offline=True,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except (ValueError, RecursionError, jsonschema_rs.ValidationError) as error:
        raise InvalidConstraintError(f"invalid schema: {error}") from error


def _json_schema(schema: str) -> Checker:
    validator = validator_of(schema)

    def check(text: bytes) -> str | None:
        try:
            value = json.loads(text, parse_constant=refuse, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            return f"the text is not JSON: {error}"
        if validator.is_valid(value):
            return None
        return next(str(error.message) for error in validator.iter_errors(value))[:300]

    return check


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is out of range")
    return number


def _llguidance(grammar: str) -> Checker:
    tokenizer = llguidance.LLTokenizer("byte")
    first = llguidance.LLMatcher(tokenizer, grammar, log_level=0)
    if first.is_error():
        reason = str(first.get_error())[:300]
        raise UnsupportedError(f"the second opinion can't read the constraint: {reason}")

    def check(text: bytes) -> str | None:
        matcher = first.deep_copy()
        taken = matcher.try_consume_tokens(list(text))
        if taken == len(text) and matcher.is_accepting():
            return None
        return f"the text is refused at byte {taken}"

    return check


class _TookTooLong(Exception):
    """Raised inside a check by the alarm."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Interrupt a check on the main thread; elsewhere, and without SIGALRM, it is not bounded."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TookTooLong

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def matches_python(pattern: str, texts: list[bytes], seconds: float) -> bool | None:
    """Whether `re.fullmatch` accepts every text; None if that took longer than `seconds`.

    Only for a process that may be killed: Python's matcher can need exponential time.
    """
    try:
        with alarm(seconds):
            compiled = re.compile(pattern)
            return all(compiled.fullmatch(text.decode()) is not None for text in texts)
    except _TookTooLong:
        return None

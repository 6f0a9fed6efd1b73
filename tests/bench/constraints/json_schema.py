"""JSON Schema front-end against suites: `python -m tests.bench.constraints.json_schema`.

For each schema one outcome: not compiled, accepts invalid (must be 0), rejects valid, pass.
Rejected valid instances are put down to the rule of our spelling that explains them. Times are of
the processor, and count against the 10 s of the coverage figure.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import llguidance
import numpy as np

from engine.constraints.errors import ConstraintError, UnsatisfiableError
from engine.constraints.frontend import ByteLanguage, language_of
from engine.constraints.gates import second_gate
from engine.constraints.limits import Bounds, Limits
from engine.constraints.spec import JsonSchema
from engine.constraints.token_lift import lift
from engine.constraints.vocabulary import Vocabulary
from tests.bench.constraints.suites import (
    DATA,
    Case,
    conformance,
    in_order,
    real_world,
    spelled,
    whole_numbers,
)
from tests.engine.constraints.vocabularies import real_vocabulary

_RECURSION = 20_000
_SECONDS = 10.0


@dataclass(slots=True)
class Table:
    """Outcomes of one suite by group, with compile times and named failures."""

    title: str
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    peers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class Peer:
    """llguidance's verdict on the same instances in the same spelling."""

    def __init__(self) -> None:
        self._tokenizer = llguidance.LLTokenizer("byte")

    def outcome(self, case: Case) -> str:
        options = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
        try:
            text = json.dumps(case.schema)
            grammar = llguidance.LLMatcher.grammar_from_json_schema(text, overrides=options)
        except ValueError:
            return "error"
        matcher = llguidance.LLMatcher(self._tokenizer, grammar, log_level=0)
        if matcher.is_error():
            return "error"
        return _verdict(case, lambda value: self._accepts(matcher, spelled(value)))

    def _accepts(self, matcher: Any, text: bytes) -> bool:
        matcher.reset()
        return bool(matcher.try_consume_tokens(list(text)) == len(text) and matcher.is_accepting())


def _verdict(case: Case, accepts: Any) -> str:
    found = [(accepts(value), valid) for value, valid in case.tests]
    if (True, False) in found:
        return "accepts invalid"
    return "rejects valid" if (False, True) in found else "pass"


def _compiled(
    case: Case, vocabulary: Vocabulary, table: Table, seconds: float
) -> tuple[str, ByteLanguage | None]:
    """Front-end, second gate and lift within the limit; the outcome if that fails."""
    spec = JsonSchema(schema=json.dumps(case.schema), whitespace="compact")
    limits, began = Limits(seconds=seconds), time.process_time()
    try:
        language = language_of(spec, limits)
        second_gate(spec, language)
        lift(language.dfa, vocabulary, limits)
    except UnsatisfiableError:
        satisfiable = any(valid for _, valid in case.tests)
        return ("rejects valid" if satisfiable else "pass"), None
    except ConstraintError as error:
        table.lines.append(f"{case.group}: {case.name}: {type(error).__name__}: {error}")
        return type(error).__name__, None
    took = time.process_time() - began
    table.seconds.append(took)
    table.states.append(language.dfa.states)
    return ("over 10 s" if took > _SECONDS else ""), language


def _reason(case: Case, language: ByteLanguage, value: Any) -> str:
    """Which documented rule of the spelling explains that a valid instance is refused."""
    text = json.dumps(case.schema)
    strict = jsonschema_rs.validator_for(case.schema, validate_formats=True, offline=True)
    if '"format"' in text and not strict.is_valid(value):
        return "formats are asserted"
    steps = [
        ("key order", in_order(value, text)),
        ("number spelling", whole_numbers(value)),
        ("key order and number spelling", whole_numbers(in_order(value, text))),
    ]
    for name, changed in steps:
        if language.dfa.accepts(spelled(changed)):
            return name
    spec = JsonSchema(schema=text, whitespace="compact")
    try:
        wide = language_of(spec, Limits(), Bounds(unlisted="always", any_depth=3))
    except ConstraintError:
        return "unexplained"
    if wide.dfa.accepts(spelled(steps[-1][1])):
        return "unlisted keys"
    return "bounds: " + "; ".join(language.notes) if language.notes else "unexplained"


def _run(title: str, cases: Iterable[Case], vocabulary: Vocabulary, seconds: float) -> Table:
    table, peer = Table(title), Peer()
    for case in cases:
        theirs = peer.outcome(case)
        outcome, language = _compiled(case, vocabulary, table, seconds)
        if language is not None:
            outcome = outcome or _verdict(case, lambda v, d=language.dfa: d.accepts(spelled(v)))
        if outcome == "rejects valid" and language is not None:
            refused = (v for v, valid in case.tests if valid)
            first = next(v for v in refused if not language.dfa.accepts(spelled(v)))
            reason = _reason(case, language, first)
            table.reasons[reason] += 1
            if theirs == "pass":
                table.lines.append(f"{case.group}: {case.name}: llguidance passes; {reason}")
        table.outcomes[case.group][outcome] += 1
        table.peers[f"{theirs} / {outcome}"] += 1
    return table


def _print(table: Table, details: bool) -> None:
    print(f"\n## {table.title}")
    total: Counter[str] = Counter()
    for group, counts in sorted(table.outcomes.items()):
        total += counts
        if details:
            print(f"{group:30} {dict(sorted(counts.items()))}")
    print("all:", dict(sorted(total.items())))
    print("llguidance / ours:", dict(sorted(table.peers.items())))
    print("why valid instances are refused:", dict(table.reasons.most_common()))
    _print_coverage(table)
    if table.seconds:
        p50, p90, p99 = np.percentile(table.seconds, [50, 90, 99])
        states = np.percentile(table.states, [50, 90, 99])
        print(
            f"compile, gate and lift, processor seconds p50 {p50:.2f} p90 {p90:.2f} p99 {p99:.2f}"
        )
        print("states p50 {:.0f} p90 {:.0f} p99 {:.0f}".format(*states))
    if details:
        print(*table.lines, sep="\n")


def _print_coverage(table: Table) -> None:
    """The share of schemas that llguidance accepts which also compile here."""
    known = {k: n for k, n in table.peers.items() if not k.startswith("error")}
    refused = ("TooLarge", "Unsupported", "Invalid", "over")
    done = sum(n for k, n in known.items() if not k.split(" / ")[1].startswith(refused))
    if known:
        print(f"of {sum(known.values())} schemas llguidance accepts, {done} compile")


def main() -> int:
    """Print the tables; status 1 if an invalid instance is accepted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--details", action="store_true", help="groups and named failures")
    parser.add_argument("--suite", choices=["core", "formats", "real", "all"], default="all")
    parser.add_argument(
        "--seconds", type=float, default=_SECONDS, help="limit by the clock; raise it under load"
    )
    options = parser.parse_args()
    if not DATA.exists():
        print(f"skipped: no data at {DATA}")
        return 0
    sys.setrecursionlimit(_RECURSION)
    vocabulary = real_vocabulary()
    real = list(real_world())
    suites = {
        "core": [("Test-Suite 2020-12, core", conformance())],
        "formats": [("Test-Suite 2020-12, optional formats", conformance(True))],
        "real": [
            ("MaskBench sample, real-world", (c for c in real if c.group != "Synthesized")),
            ("MaskBench sample, synthesized", (c for c in real if c.group == "Synthesized")),
        ],
    }
    chosen = list(suites) if options.suite == "all" else [options.suite]
    wrong = 0
    for title, cases in (pair for name in chosen for pair in suites[name]):
        table = _run(title, cases, vocabulary, options.seconds)
        _print(table, options.details)
        wrong += sum(counts["accepts invalid"] for counts in table.outcomes.values())
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

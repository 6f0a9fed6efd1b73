"""Owns questions about branches: does a value belong, is one empty, what do two have in common."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from engine.constraints.errors import CircularError, UnsupportedError
from engine.constraints.limits import Limits
from engine.constraints.schema.branches import (
    ANYTHING,
    Array,
    Boolean,
    Branch,
    Conj,
    Null,
    Number,
    Object,
    String,
    Values,
    canonical,
    item_at,
    meet,
)
from engine.constraints.schema.formats import EXACT
from engine.constraints.schema.numbers import number_node
from engine.constraints.schema.strings import StringLanguages

_DEPTH = 4  # how far emptiness is looked for inside arrays and objects

BranchesOf = Callable[[Conj], tuple[Branch, ...]]


class Judge:
    """Answers about branches; a value is refused where the lowered language would refuse it."""

    def __init__(self, branches: BranchesOf, strings: StringLanguages, limits: Limits) -> None:
        self.branches = branches
        self.strings = strings
        self._limits = limits

    def meet(self, one: Branch, other: Branch) -> Branch | None:
        """The values in both; None if there are none to be seen at once."""
        if isinstance(other, Values):
            one, other = other, one
        if isinstance(one, Values):
            pairs = zip(one.texts, one.values(), strict=True)
            texts = tuple(text for text, value in pairs if self.holds(value, other))
            return Values(texts) if texts else None
        return meet(one, other)

    def holds(self, value: Any, branch: Branch) -> bool:
        """Whether a value (numbers as int or Decimal) belongs to a branch."""
        match branch:
            case Null():
                return value is None
            case Boolean():
                return isinstance(value, bool)
            case Number():
                return _number_holds(value, branch)
            case String():
                return isinstance(value, str) and self._string_holds(value, branch)
            case Array():
                return isinstance(value, list) and self._array_holds(value, branch)
            case Object():
                return isinstance(value, dict) and self._object_holds(value, branch)
            case Values(texts):
                return canonical(value) in texts
        raise AssertionError(f"no such branch: {branch!r}")

    def satisfies(self, value: Any, conj: Conj) -> bool:
        """Whether a value satisfies a conj."""
        return not conj or any(self.holds(value, branch) for branch in self.branches(conj))

    def _string_holds(self, value: str, branch: String) -> bool:
        if branch == String():
            return True
        return self.strings.texts(branch).accepts(value.encode())

    def _array_holds(self, value: list[Any], branch: Array) -> bool:
        if not branch.low <= len(value) <= (len(value) if branch.high is None else branch.high):
            return False
        conjs = [item_at(branch, i) for i in range(len(value))]
        return all(
            conj is not None and self.satisfies(item, conj)
            for item, conj in zip(value, conjs, strict=True)
        )

    def _object_holds(self, value: dict[str, Any], branch: Object) -> bool:
        if not branch.low <= len(value) <= (len(value) if branch.high is None else branch.high):
            return False
        if branch.forbidden & value.keys() or not set(branch.required) <= value.keys():
            return False
        for key, item in value.items():
            conj = self.value_conj(branch, key)
            if conj is None or not self.satisfies(item, conj):
                return False
        return all(self.satisfies(key, branch.names) for key in value)

    def value_conj(self, branch: Object, key: str) -> Conj | None:
        """What the value of a key must satisfy; None if the key may not appear."""
        if key in branch.forbidden:
            return None
        found: Conj = ANYTHING
        for layer in branch.layers:
            here = [conj for name, conj in layer.listed if name == key]
            here += [conj for p, conj in layer.patterns if self.strings.matches(p, key)]
            if not here and layer.extra is None:
                return None
            found = found.union(*(here or [layer.extra or ANYTHING]))
        return found

    def is_empty(self, branch: Branch | None, depth: int = _DEPTH) -> bool:
        """Whether a branch is surely empty; False where that would take a deeper look."""
        match branch:
            case None:
                return True
            case Values(texts):
                return not texts
            case Number():
                return _no_number(branch, self._limits)
            case String():
                bounded = branch.high is not None and branch.low > branch.high
                return bounded or self._no_string(branch)
            case Array():
                return self._no_array(branch, depth)
            case Object():
                return self._no_object(branch, depth)
        return False

    def no_value(self, conj: Conj, depth: int = _DEPTH) -> bool:
        """Whether a conj is surely unsatisfiable; one that is still being read is not."""
        if not conj or depth == 0:
            return False
        try:
            return all(self.is_empty(branch, depth) for branch in self.branches(conj))
        except CircularError:
            return False

    def _no_string(self, branch: String) -> bool:
        if not branch.patterns and not branch.formats and not branch.excluded:
            return False
        # An automaton that leaves texts out can't show that there are none.
        exact = all(self.strings.one_meaning(pattern) for pattern in branch.patterns)
        return exact and set(branch.formats) <= EXACT and self.strings.texts(branch).empty

    def _no_array(self, branch: Array, depth: int) -> bool:
        if branch.high is not None and branch.low > branch.high:
            return True
        for place in range(min(branch.low, len(branch.first) + 1)):
            conj = item_at(branch, place)
            if conj is None or self.no_value(conj, depth - 1):
                return True
        return False

    def _no_object(self, branch: Object, depth: int) -> bool:
        if branch.high is not None and max(branch.low, len(branch.required)) > branch.high:
            return True
        for key in branch.required:
            conj = self.value_conj(branch, key)
            if conj is None or self.no_value(conj, depth - 1):
                return True
        return False


def _number_holds(value: Any, branch: Number) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    number = Decimal(str(value))
    if branch.integer and number != number.to_integral_value():
        return False
    if branch.low is not None and (
        number < branch.low or (number == branch.low and branch.low_open)
    ):
        return False
    if branch.high is not None and (
        number > branch.high or (number == branch.high and branch.high_open)
    ):
        return False
    return all(Fraction(number) % Fraction(divisor) == 0 for divisor in branch.multiples)


def _no_number(branch: Number, limits: Limits) -> bool:
    if branch.low is None and branch.high is None and not branch.multiples:
        return False
    node = number_node(branch, limits)
    dfa = getattr(node, "dfa", None)
    if dfa is None:
        raise UnsupportedError("unsupported keyword: a number without an automaton")
    return bool(dfa.empty)

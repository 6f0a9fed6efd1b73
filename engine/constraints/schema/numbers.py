"""Owns the spelling of JSON numbers within bounds and divisors, as expressions and automata."""

from decimal import Decimal

from engine.constraints.algebra import build, intersection
from engine.constraints.byte_dfa import Arc, ByteDFA
from engine.constraints.determinise import reduced
from engine.constraints.errors import UnsupportedError
from engine.constraints.expression import (
    EMPTY,
    NOTHING,
    ByteSet,
    Choice,
    Literal,
    Machine,
    Node,
    Repeat,
    choice,
    concat,
    optional,
)
from engine.constraints.limits import Bounds, Limits
from engine.constraints.schema.branches import Number

DIGIT = ByteSet(((48, 57),))
_DIGITS = Repeat(DIGIT, 0, None)
_WHOLE = choice(Literal(b"0"), concat(ByteSet(((49, 57),)), _DIGITS))
_MINUS = Literal(b"-")
_FRACTION = concat(Literal(b"."), DIGIT, _DIGITS)
# One digit before the point keeps every value between 1e-100 and 1e100: no overflow in any reader.
_EXPONENT = concat(
    ByteSet(((69, 69), (101, 101))), optional(ByteSet(((43, 43), (45, 45)))), DIGIT, optional(DIGIT)
)
_SCIENTIFIC = concat(ByteSet(((49, 57),)), optional(_FRACTION), _EXPONENT)
INTEGER: Node = concat(optional(_MINUS), _WHOLE)
NUMBER: Node = concat(optional(_MINUS), choice(concat(_WHOLE, optional(_FRACTION)), _SCIENTIFIC))
# Few enough digits that readers which hold numbers as doubles see the divisible value itself.
_FEW_DIGITS = concat(
    optional(_MINUS),
    choice(
        Repeat(DIGIT, 1, 15),
        concat(Repeat(DIGIT, 1, 9), Literal(b"."), Repeat(DIGIT, 1, 6)),
        concat(Repeat(DIGIT, 1, 4), Literal(b"."), Repeat(DIGIT, 1, 11)),
    ),
)
_FAR = Decimal(10) ** 60  # bounds beyond it are drawn in to it
_MOST_RESIDUES = 5000
_MOST_DIGITS = 64
_UNCUT = Bounds(repeat=1024)


def number_node(number: Number, limits: Limits) -> Node:
    """The spellings of a branch: no exponent, and no "-0", once there are bounds or divisors."""
    if number == Number():
        return NUMBER
    if number == Number(integer=True):
        return INTEGER
    parts: list[ByteDFA] = []
    if number.low is not None:
        low = max(number.low, -_FAR)
        parts.append(build(_at_least(low, number.low_open), limits, _UNCUT))
    if number.high is not None:
        high = min(number.high, _FAR)
        parts.append(build(_at_most(high, number.high_open), limits, _UNCUT))
    if number.integer or not parts:
        whole = INTEGER if number.integer else concat(INTEGER, optional(_FRACTION))
        parts.append(build(whole, limits, _UNCUT))
    if not number.multiples:
        return Machine(_all_of(parts, limits))
    few = build(_FEW_DIGITS, limits, _UNCUT)
    multiples = [_multiples(divisor) for divisor in number.multiples]
    found = _all_of([*parts, few, *multiples], limits)
    if found.empty and not _all_of([*parts, *multiples], limits).empty:
        raise UnsupportedError("unsupported keyword: multipleOf for numbers of over 15 digits")
    return Machine(found)


def _all_of(parts: list[ByteDFA], limits: Limits) -> ByteDFA:
    found = parts[0]
    for part in parts[1:]:
        found = intersection(found, part, limits)
    return found


def _at_least(bound: Decimal, is_open: bool) -> Node:
    if bound > 0:
        return _above(bound, is_open)
    positive = concat(_WHOLE, optional(_FRACTION))
    if bound == 0:
        return _above(bound, True) if is_open else positive
    return choice(positive, concat(_MINUS, _below(-bound, is_open)))


def _at_most(bound: Decimal, is_open: bool) -> Node:
    negative = concat(_MINUS, _above(Decimal(0), True))
    if bound < 0:
        return concat(_MINUS, _above(-bound, is_open))
    if bound == 0:
        zero = concat(Literal(b"0"), optional(_zeros()))
        return negative if is_open else choice(negative, zero)
    return choice(negative, concat(_WHOLE_ZERO, optional(_zeros())), _below(bound, is_open))


_WHOLE_ZERO = Literal(b"0")


def _zeros() -> Node:
    return concat(Literal(b"."), Repeat(Literal(b"0"), 1, None))


def _parts(bound: Decimal) -> tuple[str, str]:
    """Digits before and behind the point, without needless zeros."""
    text = format(bound.normalize(), "f")
    whole, _, fraction = text.partition(".")
    if len(text) > _MOST_DIGITS:
        raise UnsupportedError(f"unsupported keyword: a number bound of {len(text)} digits")
    return whole, fraction.rstrip("0")


def _above(bound: Decimal, is_open: bool) -> Node:
    """Numbers x >= bound >= 0 (or >) without a sign."""
    whole, fraction = _parts(bound)
    longer = concat(ByteSet(((49, 57),)), Repeat(DIGIT, len(whole), None))
    greater = choice(longer, _digits_above(whole))
    equal = concat(Literal(whole.encode()), _fraction_above(fraction, is_open))
    return choice(concat(greater, optional(_FRACTION)), equal)


def _below(bound: Decimal, is_open: bool) -> Node:
    """Numbers 0 < x <= bound (or <) without a sign; zero itself is left to the caller."""
    whole, fraction = _parts(bound)
    shorter: list[Node] = []
    if len(whole) > 1:
        shorter.append(concat(ByteSet(((49, 57),)), Repeat(DIGIT, 0, len(whole) - 2)))
    less = choice(_digits_below(whole), *shorter)
    below_one = concat(Literal(b"0"), _fraction_above("", True))
    smaller = concat(less, optional(_FRACTION))
    equal = concat(Literal(whole.encode()), _fraction_below(fraction, is_open))
    return choice(smaller, below_one, equal) if whole != "0" else equal


def _digits_above(digits: str) -> Node:
    """As many digits as given, greater; the first one is not zero."""
    ways: list[Node] = []
    for i, digit in enumerate(digits):
        if digit != "9":
            higher = ByteSet(((ord(digit) + 1, 57),))
            rest = len(digits) - i - 1
            ways.append(concat(Literal(digits[:i].encode()), higher, Repeat(DIGIT, rest, rest)))
    return Choice(tuple(ways))


def _digits_below(digits: str) -> Node:
    """As many digits as given, less, without a leading zero."""
    ways: list[Node] = []
    for i, digit in enumerate(digits):
        first = 49 if i == 0 else 48
        if ord(digit) > first:
            lower = ByteSet(((first, ord(digit) - 1),))
            rest = len(digits) - i - 1
            ways.append(concat(Literal(digits[:i].encode()), lower, Repeat(DIGIT, rest, rest)))
    return Choice(tuple(ways))


def _fraction_above(digits: str, is_open: bool) -> Node:
    """Fractions (with their point, or none) that are at least, or above, 0.digits."""
    nonzero = concat(Repeat(Literal(b"0"), 0, None), ByteSet(((49, 57),)), _DIGITS)
    if not digits:
        return concat(Literal(b"."), nonzero) if is_open else optional(_FRACTION)
    ways: list[Node] = [
        concat(Literal(digits[:i].encode()), ByteSet(((ord(digit) + 1, 57),)), _DIGITS)
        for i, digit in enumerate(digits)
        if digit != "9"
    ]
    ways.append(concat(Literal(digits.encode()), nonzero if is_open else _DIGITS))
    return concat(Literal(b"."), Choice(tuple(ways)))


def _fraction_below(digits: str, is_open: bool) -> Node:
    """Fractions (with their point, or none) that are at most, or below, 0.digits."""
    if not digits:
        return NOTHING if is_open else optional(_zeros())
    ways: list[Node] = [Literal(digits[:i].encode()) for i in range(1, len(digits))]
    for i, digit in enumerate(digits):
        if digit != "0":
            lower = ByteSet(((48, ord(digit) - 1),))
            ways.append(concat(Literal(digits[:i].encode()), lower, _DIGITS))
    if not is_open:
        ways.append(concat(Literal(digits.encode()), Repeat(Literal(b"0"), 0, None)))
    return choice(EMPTY, concat(Literal(b"."), Choice(tuple(ways))))


def _multiples(divisor: Decimal) -> ByteDFA:
    """Decimal texts divisible by `divisor`: the residue of the digits read so far."""
    places = max(0, -int(divisor.normalize().as_tuple().exponent))
    step = int(divisor.scaleb(places))
    if step * (places + 1) > _MOST_RESIDUES or step < 1:
        raise UnsupportedError(f"unsupported keyword: multipleOf {divisor}")
    rows: list[list[Arc]] = [[], [(45, 45, 2)], []]
    final = [False, False, False]
    number: dict[tuple[int, int], int] = {}
    todo: list[tuple[int, int]] = []

    def state_of(residue: int, behind: int) -> int:
        if (residue, behind) not in number:
            number[residue, behind] = len(rows)
            rows.append([])
            final.append(behind != 0 and residue * 10 ** (places - max(behind, 0)) % step == 0)
            todo.append((residue, behind))
        return number[residue, behind]

    for first in range(10):
        to = state_of(first % step, -1)
        rows[1].append((48 + first, 48 + first, to))
        rows[2].append((48 + first, 48 + first, to))
    while todo:
        residue, behind = todo.pop()
        here = number[residue, behind]
        if behind < places:
            after = -1 if behind < 0 else behind + 1
            for digit in range(10):
                to = state_of((residue * 10 + digit) % step, after)
                rows[here].append((48 + digit, 48 + digit, to))
        if behind < 0 and places:
            rows[here].append((46, 46, state_of(residue, 0)))
    return reduced(rows, final, 1)

"""Number languages against exact decimal arithmetic."""

from decimal import Decimal
from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.algebra import build
from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.limits import Bounds, Limits
from engine.constraints.schema.branches import Number
from engine.constraints.schema.numbers import number_node
from tests.engine.constraints.toys import UNTIMED

bounds = st.one_of(
    st.none(), st.decimals(-120, 120, places=2), st.integers(-1200, 1200).map(Decimal)
)
values = st.one_of(
    st.decimals(-130, 130, places=2),
    st.decimals(-2, 2, places=3),
    st.integers(-1300, 1300).map(Decimal),
)
numbers = st.builds(Number, st.booleans(), bounds, st.booleans(), bounds, st.booleans())


@lru_cache(maxsize=256)
def compiled(number: Number) -> ByteDFA:
    return build(number_node(number, Limits()), Limits(), Bounds())


def belongs(value: Decimal, number: Number) -> bool:
    low = number.low is None or value > number.low or (value == number.low and not number.low_open)
    high = (
        number.high is None
        or value < number.high
        or (value == number.high and not number.high_open)
    )
    whole = not number.integer or value == value.to_integral_value()
    return low and high and whole and all(value % step == 0 for step in number.multiples)


def spellings(value: Decimal, number: Number) -> list[str]:
    plain = format(value.normalize(), "f") if value else "0"
    return [plain] if number.integer or "." not in plain else [plain, plain + "0"]


@UNTIMED
@given(numbers, values)
def test_ranges(number: Number, value: Decimal) -> None:
    for text in spellings(value, number):
        assert compiled(number).accepts(text.encode()) == belongs(value, number), text


@UNTIMED
@given(st.sampled_from(["1", "7", "0.5", "0.01", "12", "2.5"]), values)
def test_multiples(step: str, value: Decimal) -> None:
    number = Number(multiples=(Decimal(step),))
    text = spellings(value, Number(integer=True))[0]
    assert compiled(number).accepts(text.encode()) == belongs(value, number)


def test_odd_spellings_are_left_out() -> None:
    bounded = compiled(Number(low=Decimal(-5), high=Decimal(5)))
    for text in ["01", "+1", "1.", ".5", "1e0", "", "-", "1e2"]:
        assert not bounded.accepts(text.encode())


def test_bounds_beyond_any_use_are_drawn_in() -> None:
    wide = compiled(Number(low=Decimal("-1.7e308"), high=Decimal("1.7e308")))
    assert wide.accepts(b"123456.5")
    assert wide.accepts(b"-99999999999999999999")

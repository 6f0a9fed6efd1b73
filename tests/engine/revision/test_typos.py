"""The model that ships puts misspelt names right, though the right word has other tokens."""

import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import ReviseText
from tests.engine.revision.asking import done_of

pytestmark = pytest.mark.model

SHOP = '''class Order:
    """Lines of an order, each with a price and a quantity."""

    def __init__(self, lines):
        self.lines = lines

    def total(self):
        return sum(line.price * line.quantity for line in self.lines)


def show(order, customer_name):
    print("Order of", customer_name)
    print("Total:", order.total())
    return len(order.lines)
'''


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        ("order.total()", "order.totl()"),
        ("order.total()", "order.toatl()"),
        ("len(order.lines)", "len(order.lnies)"),
        ('of", customer_name', 'of", custmer_name'),
        ('of", customer_name', 'of", customer_nmae'),
        ("line.quantity", "line.quantiy"),
    ],
)
def test_a_misspelt_name_is_put_right(default_model: Model, name: str, slip: str) -> None:
    lines = SHOP.splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if name in line)
    text = lines[number].replace(name, slip)
    request = ReviseText("r", "".join(lines[:number]), text, "".join(lines[number + 1 :]))
    engine = LocalEngine(default_model, EngineConfig(threads=1))
    assert done_of(engine, request).text == lines[number]


def test_sound_lines_stay(default_model: Model) -> None:
    lines = SHOP.splitlines(keepends=True)
    for number in (4, 7, 11, 13):
        before, after = "".join(lines[:number]), "".join(lines[number + 1 :])
        request = ReviseText("r", before, lines[number], after, path="shop.py")
        engine = LocalEngine(default_model, EngineConfig(threads=1))
        assert done_of(engine, request).text == lines[number]

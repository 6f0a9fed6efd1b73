"""Orders of a small shop: what was bought, what it costs, and what is still to be sent."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

DELIVERY_DAYS = 3
FREE_SHIPPING_FROM = Decimal("50.00")
SHIPPING = Decimal("4.90")


@dataclass
class Item:
    """One line of an order."""

    name: str
    price: Decimal
    quantity: int = 1

    def total(self) -> Decimal:
        raise NotImplementedError


@dataclass
class Order:
    """Everything a customer buys at once."""

    customer: str
    placed: date
    items: list[Item] = field(default_factory=list)
    sent: bool = False

    def add(self, name: str, price: Decimal, quantity: int = 1) -> None:
        self.items.append(Item(name, price, quantity))

    def subtotal(self) -> Decimal:
        return sum((item.total() for item in self.items), Decimal(0))

    def shipping(self) -> Decimal:
        if self.subtotal() >= FREE_SHIPPING_FROM:
            return Decimal(0)
        return SHIPPING

    def total(self) -> Decimal:
        return self.subtotal() + self.shipping()

    def due(self) -> date:
        return self.placed + timedelta(days=DELIVERY_DAYS)

    def is_late(self, today: date) -> bool:
        if self.sent:
            return False
        return today > self.due()


def late_orders(orders: list[Order], today: date) -> list[Order]:
    """Orders that should have been sent by now, the oldest first."""
    late = [order for order in orders if order.is_late(today)]
    return sorted(late, key=lambda order: order.placed)


def revenue(orders: list[Order]) -> Decimal:
    """What all orders together bring in."""
    total = Decimal(0)
    for order in orders:
        total += order.total()
    return total

"""A set of extraction tasks made by program: a sentence, a schema, and the JSON that it states.

Seeded: the same seed gives the same tasks. Two solved tasks of the same kind stand before each.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NAMES = ("Maria", "Tom", "Aiko", "Pierre", "Lena", "Omar", "Ruth", "Ivan", "Nora", "Sam", "Zoe")
CITIES = ("Oslo", "Lima", "Kyoto", "Lyon", "Cairo", "Boston", "Turin", "Dakar", "Perth", "Riga")
THINGS = ("kettle", "lamp", "backpack", "notebook", "chair", "clock", "bottle", "jacket", "drum")
COLORS = ("red", "blue", "green", "black", "white", "yellow")
TOPICS = ("gardening", "databases", "painting", "climate", "chess", "photography", "sailing")
Facts = dict[str, Any]
Kind = Callable[[random.Random], tuple[str, Facts, Facts]]


@dataclass(frozen=True, slots=True)
class Task:
    """One hole: what stands before it, the schema as JSON text, and the facts."""

    name: str
    prefix: str
    schema: str
    facts: Facts

    @property
    def gold(self) -> str:
        """The answer in the spelling that the prefix shows."""
        return json.dumps(self.facts)

    def right(self, text: str) -> int:
        """How many of the facts a text states; 0 if it is no JSON object."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return 0
        if not isinstance(found, dict):
            return 0
        same = (found.get(key, ...) == value for key, value in self.facts.items())
        return sum(same)


def tasks(count: int, seed: int) -> list[Task]:
    """`count` tasks, all kinds in turn."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        shown = [kind(rng) for _ in range(3)]
        lines = ["# Each text with its facts as JSON."]
        for text, facts, _ in shown[:2]:
            lines += [f"text = {json.dumps(text)}", f"facts = {json.dumps(facts)}", ""]
        text, facts, properties = shown[2]
        prefix = "\n".join([*lines, f"text = {json.dumps(text)}", "facts = "])
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        found.append(Task(f"{kind.__name__}-{number}", prefix, json.dumps(schema), facts))
    return found


def _person(rng: random.Random) -> tuple[str, Facts, Facts]:
    name, age, city = rng.choice(NAMES), rng.randint(18, 90), rng.choice(CITIES)
    retired = rng.random() < 0.5
    text = f"{name} is {age} years old, lives in {city} and {'is retired' if retired else 'works'}."
    facts = {"name": name, "age": age, "city": city, "retired": retired}
    properties: Facts = {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "city": {"type": "string"},
        "retired": {"type": "boolean"},
    }
    return text, facts, properties


def _order(rng: random.Random) -> tuple[str, Facts, Facts]:
    item, count, color = rng.choice(THINGS), rng.randint(1, 40), rng.choice(COLORS)
    price = rng.randint(200, 9000) / 100
    text = f"Please send {count} of the {color} {item} at {price} euros each."
    facts = {"item": item, "color": color, "count": count, "price": price}
    properties: Facts = {
        "item": {"type": "string"},
        "color": {"enum": list(COLORS)},
        "count": {"type": "integer"},
        "price": {"type": "number"},
    }
    return text, facts, properties


def _event(rng: random.Random) -> tuple[str, Facts, Facts]:
    topic, seats, city = rng.choice(TOPICS), rng.randint(10, 500), rng.choice(CITIES)
    date = f"20{rng.randint(20, 29)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    text = f"The {topic} evening in {city} is on {date}; there are {seats} seats."
    facts = {"topic": topic, "city": city, "date": date, "seats": seats}
    properties: Facts = {
        "topic": {"type": "string"},
        "city": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "seats": {"type": "integer"},
    }
    return text, facts, properties


def _pair(rng: random.Random) -> tuple[str, Facts, Facts]:
    first, second = rng.sample(NAMES, 2)
    score = [rng.randint(0, 9), rng.randint(0, 9)]
    text = f"{first} played {second} in {rng.choice(CITIES)}; it ended {score[0]} to {score[1]}."
    facts = {"players": [first, second], "score": score}
    properties: Facts = {
        "players": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        "score": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    }
    return text, facts, properties


KINDS: tuple[Kind, ...] = (_person, _order, _event, _pair)

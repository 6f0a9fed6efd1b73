"""A few hundred constraints made by program, for fuzzing; seeded, so that a failure comes back."""

import json
import random
from typing import Any

from engine.constraints.spec import Choices, ConstraintSpec, Ebnf, JsonSchema, Lark, Lengths, Regex

_WORDS = ["id", "name", "größe", "tags", "size", 'a"b', "created", "x", "owner", "state"]
_FORMATS = ["date", "uuid", "ipv4", "time"]
_PATTERNS = ["^[A-Z]{2,4}-[0-9]+$", "^\\S+$", "[aeiou]{2}", "^(ab|cd)*$", "^[^0-9]*$"]
_REGEXES = [
    "[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]",
    "[A-Z][^.!?\\n]{5,60}[.!?]",
    '[a-zA-Z_][a-zA-Z0-9_]* = ([0-9]+|"[^"\\n]*"|True|False|None)',
    "(GET|POST|PUT) /[a-z/]{0,30}( HTTP/1\\.[01])?",
    "#[0-9a-f]{6}|rgb\\([0-9]{1,3}(, [0-9]{1,3}){2}\\)",
    "(?:[^\\s@]+)@[a-z0-9-]+\\.(com|org)",
    "(ab|cd|e){3,9}\\.?",
    "\\s*(def|class) \\w+\\(.*\\):\\n    [^\\n]+",
    "[\\u00e0-\\u00ff]{2,8}",
    "([a-c]*d){2}[\\s\\S]?",
]
_GRAMMARS: list[ConstraintSpec] = [
    Ebnf(grammar='root ::= "(" root ")" | [0-9]+ | root "+" root'),
    Ebnf(grammar='root ::= item ("," " " item)*\nitem ::= [a-z]+ ("=" [0-9]+)?'),
    Lark(grammar='start: x ("*" x)*\nx: /[0-9]+/ | "(" start ")"\n%ignore " "'),
    Lark(grammar='start: "let " N " = " V ";"\nN: /[a-z]+/\nV: /[0-9]+/ | "\\"" N "\\""'),
]


def specs(count: int, seed: int = 0) -> list[ConstraintSpec]:
    """`count` constraints of all automaton kinds."""
    rng = random.Random(seed)
    found: list[ConstraintSpec] = []
    while len(found) < count:
        kind = len(found) % 10
        if kind < 6:
            found.append(_schema_spec(rng))
        elif kind < 8:
            found.append(Regex(pattern=_regex(rng)))
        elif kind == 8:
            found.append(Choices(texts=tuple(_text(rng, 12) for _ in range(rng.randint(1, 30)))))
        else:
            lengths = Lengths(min_chars=rng.randint(0, 20), max_chars=rng.randint(20, 120))
            found.append(rng.choice([*_GRAMMARS, lengths]))
    return found


def _schema_spec(rng: random.Random) -> JsonSchema:
    style: Any = rng.choice(["compact", "spaced", "flexible", None])
    scope: Any = rng.choice(["hole", "document"])
    return JsonSchema(schema=json.dumps(schema(rng, 2)), whitespace=style, scope=scope)


def schema(rng: random.Random, depth: int) -> dict[str, Any]:
    """A random satisfiable schema nested at most `depth` deep."""
    kinds = [_string, _number, _enum, _literal]
    if depth:
        kinds += [_object, _object, _array, _union]
    return rng.choice(kinds)(rng, depth - 1)


def _string(rng: random.Random, _depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string"}
    match rng.randrange(5):
        case 0:
            found["maxLength"] = rng.randint(0, 30)
        case 1:
            found |= {"minLength": rng.randint(0, 3), "maxLength": rng.randint(3, 9)}
        case 2:
            found["format"] = rng.choice(_FORMATS)
        case 3:
            found["pattern"] = rng.choice(_PATTERNS)
    return found


def _number(rng: random.Random, _depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": rng.choice(["integer", "number"])}
    if rng.random() < 0.5:
        found["minimum"] = rng.randint(-200, 100)
    if rng.random() < 0.5:
        found["maximum"] = found.get("minimum", -50) + rng.choice([0, 3, 999, 12.5])
    elif rng.random() < 0.2:
        found["multipleOf"] = rng.choice([2, 0.5, 0.01, 7])
    return found


def _enum(rng: random.Random, _depth: int) -> dict[str, Any]:
    values: list[Any] = [_text(rng, 8), rng.randint(-9, 9), None, True, ["x", {"k": 1.5}]]
    return {"enum": values[: rng.randint(1, len(values))]}


def _literal(rng: random.Random, _depth: int) -> dict[str, Any]:
    return {"type": rng.choice([["null", "boolean"], "boolean", "null"])}


def _object(rng: random.Random, depth: int) -> dict[str, Any]:
    keys = rng.sample(_WORDS, rng.randint(0, 5))
    found: dict[str, Any] = {
        "type": "object",
        "properties": {key: schema(rng, depth) for key in keys},
        "required": [key for key in keys if rng.random() < 0.6],
    }
    match rng.randrange(4):
        case 0:
            found["additionalProperties"] = schema(rng, 0)
        case 1:
            found["additionalProperties"] = False
        case 2 if keys:
            found |= {"required": [], "minProperties": 1, "maxProperties": len(keys)}
    return found


def _array(rng: random.Random, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": schema(rng, depth)}
    if rng.random() < 0.5:
        found |= {"minItems": rng.randint(0, 2), "maxItems": rng.randint(2, 4)}
    if rng.random() < 0.3:
        found["prefixItems"] = [schema(rng, 0)]
    return found


def _union(rng: random.Random, depth: int) -> dict[str, Any]:
    return {"anyOf": [schema(rng, depth) for _ in range(rng.randint(1, 3))]}


def _regex(rng: random.Random) -> str:
    parts = rng.sample(_REGEXES, rng.choice([1, 1, 2]))
    return rng.choice(["|", " "]).join(f"(?:{part})" for part in parts)


def _text(rng: random.Random, most: int) -> str:
    return "".join(rng.choice('abc xyzäé😀\n"\\{}0') for _ in range(rng.randint(1, most)))

"""Instruction pairs about the head of a function, taken apart by Python's own parser."""

import ast
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from models.training.edits import Change, parsed

LINE = re.compile(r"^[ \t]*((?:async )?def .*:)$", re.M)
Cut = tuple[int, int, str]
"""What of a line is replaced by what."""


@dataclass(frozen=True, slots=True)
class Head:
    """A function's head that fills a line; `start` is where it stands in the text."""

    start: int
    line: str
    node: ast.FunctionDef | ast.AsyncFunctionDef


def heads(text: str) -> list[Head]:
    """The heads in `text`, from its start."""
    found = []
    for match in LINE.finditer(text):
        line = match[1]
        tree = parsed(line) if line.isascii() else None  # the parser's columns are bytes
        node = tree.body[0] if tree else None
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.body[0].col_offset > len(line):  # its body is the one that `parsed` gave it
            found.append(Head(match.start(1), line, node))
    return found


def types(text: str, rng: random.Random) -> Change | None:
    """Annotations taken out of a function's head."""
    for head in reversed(heads(text)):
        text = _replaced(text, head, [*_annotations(head), *_returned(head)])
    return Change(
        text,
        ("Remove the type hints", "Drop the annotations", "No type annotations", "Untyped version"),
        ("Add type hints", "Add type annotations", "Annotate the types", "Type this function"),
    )


def return_type(text: str, rng: random.Random) -> Change | None:
    """The return annotation taken out."""
    head = next((head for head in heads(text) if head.node.returns), None)
    if head is None or head.node.returns is None:
        return None
    kind = head.line[slice(*_span(head.node.returns))]
    return Change(
        _replaced(text, head, _returned(head)),
        ("Remove the return type", "Drop the return annotation"),
        ("Add the return type", f"Annotate that it returns {kind}", f"The return type is {kind}"),
    )


def default(text: str, rng: random.Random) -> Change | None:
    """A default value taken away from an argument: the first one, so that none is left before."""
    found = [(head, *one) for head in heads(text) for one in _defaults(head.node.args)[:1]]
    if not found:
        return None
    head, argument, given = found[0]
    name, (start, stop) = argument.arg, _span(given)
    value = head.line[start:stop]
    return Change(
        _replaced(text, head, [(_span(argument)[1], stop, "")]),
        (f"Make {name} a required argument", f"Remove the default of {name}", "No default value"),
        (f"Make {name} default to {value}", f"Give {name} the default {value}"),
    )


def argument(text: str, rng: random.Random) -> Change | None:
    """One more argument."""
    head = next(iter(heads(text)), None)
    if head is None or "*" in head.line:
        return None
    name = rng.choice(["timeout", "verbose", "strict", "encoding", "limit", "debug", "name", "key"])
    taken = _arguments(head.node.args)
    if name in [one.arg for one in taken]:
        return None
    value = rng.choice(["None", "False", "True", "0", "10"])
    close = _close(head)
    return Change(
        _replaced(text, head, [(close, close, f"{', ' if taken else ''}{name}={value}")]),
        (f"Add an argument {name}={value}", f"Add a parameter {name}, default {value}"),
        (f"Remove the argument {name}", f"Drop the {name} parameter"),
    )


def _annotations(head: Head) -> list[Cut]:
    """The cuts that leave the arguments bare; no blanks stay around a `=`."""
    given = {one.arg: value for one, value in _defaults(head.node.args)}
    cuts = []
    for one in _arguments(head.node.args):
        if one.annotation is not None:
            start, value = one.col_offset + len(one.arg), given.get(one.arg)
            stop = _span(one.annotation)[1] if value is None else value.col_offset
            cuts.append((start, stop, "=" if value else ""))
    return cuts


def _returned(head: Head) -> list[Cut]:
    if head.node.returns is None:
        return []
    return [(_close(head) + 1, _span(head.node.returns)[1], "")]


def _close(head: Head) -> int:
    """Where the parenthesis behind the arguments stands."""
    returns = head.node.returns
    return head.line.rindex(")", 0, returns.col_offset if returns else None)


def _arguments(given: ast.arguments) -> list[ast.arg]:
    rest = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]


def _defaults(given: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    """Arguments with their defaults, in order."""
    places = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(places[len(places) - len(given.defaults) :], given.defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return [(one, value) for one, value in pairs if value is not None]


def _span(node: ast.expr | ast.arg) -> tuple[int, int]:
    assert node.end_col_offset is not None  # the parser says it of all
    return node.col_offset, node.end_col_offset


def _replaced(text: str, head: Head, cuts: list[Cut]) -> str:
    """The text with the head cut; as it was where what the parser skips (parentheses) is split."""
    line = head.line
    for start, stop, new in sorted(cuts, reverse=True):
        line = line[:start] + new + line[stop:]
    if parsed(line) is None:
        return text
    return text[: head.start] + line + text[head.start + len(head.line) :]


KINDS: list[Callable[[str, random.Random], Change | None]] = [types, return_type, default, argument]

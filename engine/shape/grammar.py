"""Owns what tree-sitter says: what the hole stands in, and how many errors a text in it makes.

Live buffers rarely parse, so counts only mean something beside those of another text in the hole.
"""

import importlib
import re
from functools import cache
from typing import NamedTuple

from tree_sitter import Language, Node, Parser, Point, Tree

from engine.shape.lexis import Lexis, Literal
from engine.shape.scanner import State

WINDOW = 8 * 1024
READ_BYTES = 16 * 1024
BYTES_PER_CALL = 40  # a parse of sane code calls back once in about 100 bytes
LEAST_CALLS = 200
ERROR_LIMIT = 200
LITERAL = re.compile("comment|string|quote|rune_|char.*_literal|regex|heredoc_body")
COMMENT_ENDS = (b"*/", b"-->", b"]]", b"\n")


class Errors(NamedTuple):
    """Errors of a parse; fewer is better, in this order."""

    nodes: int = 0
    outside: int = 0
    """Bytes outside the hole that lie in errors."""


class Surroundings:
    """The text around a hole, cut to a window, and its parser."""

    def __init__(self, prefix: str, suffix: str, grammar: tuple[str, str] | None) -> None:
        self._before = _tail(prefix).encode("utf-8", "replace")
        self._after = _head(suffix).encode("utf-8", "replace")
        self._parser = Parser(_load(*grammar)) if grammar else None

    def errors(self, text: str) -> Errors | None:
        """Errors with `text` in the hole; None without a grammar or if parsing takes too long."""
        if self._parser is None:
            return None
        inside, at = text.encode("utf-8", "replace"), len(self._before)
        tree = self._parse(self._before + inside + self._after)
        return None if tree is None else _count(tree.root_node, at, at + len(inside))

    def corrected(self, state: State, lexis: Lexis) -> State:
        """`state` with the literal that the grammar sees at the hole, where it is sure of one."""
        source = self._before + self._after
        tree = self._parse(source) if self._parser else None
        verdict = None if tree is None else _literal(tree.root_node, source, len(self._before))
        if verdict is None:
            return state
        if not verdict:
            return state._replace(literal=None)
        opened, read = _opened(lexis, verdict), state.literal
        agreed = opened is None or (read is not None and read.quote is opened.quote)
        return state if agreed else state._replace(literal=opened)

    def _parse(self, source: bytes) -> Tree | None:
        """The tree, or None if the parser takes more calls than sane text ever does."""
        assert self._parser is not None
        view, left = memoryview(source), max(LEAST_CALLS, len(source) // BYTES_PER_CALL)

        def read(at: int, _: Point) -> memoryview:
            return view[at : at + READ_BYTES]

        def stop(_: int, __: bool) -> bool:
            nonlocal left
            left -= 1
            return left < 0

        try:
            return self._parser.parse(read, progress_callback=stop)
        except ValueError:  # stopped
            self._parser = None  # nor would it be quicker next time
            return None


@cache
def _load(module: str, function: str) -> Language:
    return Language(getattr(importlib.import_module(module), function)())


def _tail(text: str) -> str:
    cut = text[-WINDOW:]
    return cut if len(cut) == len(text) else cut[cut.find("\n") + 1 :]


def _head(text: str) -> str:
    return text if len(text) <= WINDOW else text[: text.rfind("\n", 0, WINDOW) + 1]


def _count(root: Node, start: int, stop: int) -> Errors:
    count, outside, stack = 0, 0, [root]
    while stack and count < ERROR_LIMIT:
        node = stack.pop()
        if node.is_missing:
            count += 1
        elif node.is_error:
            count += 1
            inside = max(0, min(node.end_byte, stop) - max(node.start_byte, start))
            outside += node.end_byte - node.start_byte - inside
        if node.has_error and not node.is_missing:
            stack += node.children
    return Errors(count, outside)


def _literal(root: Node, source: bytes, at: int) -> str | None:
    """Text of the string or comment around byte `at`, "" in code, None where it can't be told."""
    node = root.descendant_for_byte_range(max(0, at - 1), at) if at else None
    while node is not None:
        if node.is_error:
            return None
        kind = node.type if node.is_named else ""
        if kind == "heredoc_redirect" and b"\n" in source[node.start_byte : at]:
            return None  # a body of blank lines has no node
        if re.search("interpolation|substitution|expansion", kind):
            return ""
        if LITERAL.search(kind) and "concatenated" not in kind:
            if not (node.start_byte < at < node.end_byte or _goes_on(source, node, at)):
                return None  # right at its edge
            # not `node.text`: it crashes for a tree that was read by callback
            return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        node = node.parent
    return "" if not root.has_error else None


def _goes_on(source: bytes, node: Node, at: int) -> bool:
    """Whether `node` is a comment that ends at `at` only because the line does."""
    text = source[node.start_byte : at]
    return "comment" in node.type and node.end_byte == at and not text.endswith(COMMENT_ENDS)


def _opened(lexis: Lexis, text: str) -> Literal | None:
    """The literal that `text` begins with, past the letters before its quote."""
    for start in range(min(len(text), 3)):
        for quote in lexis.quotes:
            match = re.compile(quote.opener).match(text, start)
            if match:
                return Literal(quote, quote.close.format(*(g or "" for g in match.groups()), ""))
    return None

"""Owns the reading of grammar files into rules; left recursion is turned into repetition."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.expression import (
    EMPTY,
    Call,
    Choice,
    Concat,
    Node,
    Repeat,
    concat,
    optional,
)
from engine.constraints.grammar import terminals
from engine.constraints.grammar.gaps import gap
from engine.constraints.grammar.lexer import Token, tokens_of

_MAX_NESTING = 100


@dataclass(slots=True)
class Grammar:
    """Rules by name, and the line on which each rule is first used."""

    rules: dict[Hashable, Node] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)


def read_ebnf(source: str, start: str) -> tuple[Node, dict[Hashable, Node]]:
    """EBNF -> root and rules. Raises a ConstraintError with the line."""
    return _finish(_Reader(source, "ebnf").read(), start)


def read_lark(source: str, start: str) -> tuple[Node, dict[Hashable, Node]]:
    """Lark -> root and rules. Ignored texts are marked, see `gaps`."""
    return _finish(_Reader(source, "lark").read(), start)


def _finish(grammar: Grammar, start: str) -> tuple[Node, dict[Hashable, Node]]:
    if start not in grammar.rules:
        raise InvalidConstraintError(f"invalid grammar: no rule is named {start!r}")
    for name, line in grammar.used.items():
        if name not in grammar.rules:
            raise InvalidConstraintError(f"invalid grammar at line {line}: no rule {name!r}")
    rules = {name: _without_left_recursion(name, node) for name, node in grammar.rules.items()}
    return Call(start), rules


def _without_left_recursion(name: Hashable, node: Node) -> Node:
    """A: A x | y  ->  A: y x*, so that such rules cost no recursion."""
    ways = node.items if isinstance(node, Choice) else (node,)
    heads: list[Node] = []
    tails: list[Node] = []
    for way in ways:
        items = way.items if isinstance(way, Concat) else (way,)
        if isinstance(items[0], Call) and items[0].rule == name:
            if len(items) > 1:
                tails.append(Concat(items[1:]))
        else:
            heads.append(way)
    if not tails:
        return Choice(tuple(heads)) if len(heads) < len(ways) else node
    return Concat((Choice(tuple(heads)), Repeat(Choice(tuple(tails)), 0, None)))


class _Reader:
    def __init__(self, source: str, dialect: str) -> None:
        self._tokens = tokens_of(source, dialect)
        self._at = 0
        self._lark = dialect == "lark"
        self._in_terminal = False
        self._grammar = Grammar()
        self._ignored: list[Node] = []
        self._has_gaps = False
        # The gap is built before all %ignore lines are known: it refers to a rule filled in later.
        self._gap: Node = Call("%ignored")

    def read(self) -> Grammar:
        if self._lark:
            self._find_ignored()
        while self._peek().kind != "end":
            if self._lark and self._take_sign("%"):
                self._directive()
            else:
                self._rule()
        if self._ignored:
            self._grammar.rules["%ignored"] = gap(self._ignored)
        return self._grammar

    def _find_ignored(self) -> None:
        words = zip(self._tokens, self._tokens[1:], strict=False)
        self._has_gaps = any(a.text == "%" and b.text == "ignore" for a, b in words)

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _take_sign(self, sign: str) -> bool:
        if self._peek().kind in ("sign", "define", "range", "arrow") and self._peek().text == sign:
            self._at += 1
            return True
        return False

    def _error(self, what: str) -> InvalidConstraintError:
        return InvalidConstraintError(f"invalid grammar at line {self._peek().line}: {what}")

    def _need(self, sign: str) -> None:
        if not self._take_sign(sign):
            raise self._error(f"{sign!r} is missing before {self._peek().text!r}")

    def _name(self) -> str:
        token = self._take()
        if token.kind != "name":
            raise self._error(f"a name is missing before {token.text!r}")
        return token.text

    def _directive(self) -> None:
        word = self._name()
        if word == "ignore":
            self._in_terminal = True
            self._ignored.append(self._alternatives(0))
            self._in_terminal = False
        elif word == "import":
            self._import()
        else:
            raise UnsupportedError(f"unsupported in a grammar: %{word}")

    def _import(self) -> None:
        if self._name() != "common":
            raise UnsupportedError("unsupported in a grammar: %import of other grammars")
        names = [self._name()] if self._take_sign(".") else self._import_list()
        for name in names:
            alias = self._name() if self._take_sign("->") else name
            self._define(alias, terminals.common(name))

    def _import_list(self) -> list[str]:
        self._need("(")
        names = [self._name()]
        while self._take_sign(","):
            names.append(self._name())
        self._need(")")
        return names

    def _define(self, name: str, node: Node) -> None:
        if name in self._grammar.rules:
            raise self._error(f"rule {name!r} is defined twice")
        self._grammar.rules[name] = node

    def _rule(self) -> None:
        while self._lark and (self._take_sign("?") or self._take_sign("!")):
            pass  # these shape Lark's tree, not the language
        name = self._name()
        if self._take_sign("{"):
            raise UnsupportedError(f"unsupported in a grammar: the template {name!r}")
        if self._lark and self._take_sign("."):
            self._take_sign("-")
            self._number()  # a priority picks between parses, not texts
        self._need(":" if self._lark else "::=")
        self._in_terminal = self._lark and name.lstrip("_").isupper()
        self._define(name, self._alternatives(0))

    def _at_rule(self) -> bool:
        """Whether the next tokens begin a new rule or directive."""
        token = self._peek()
        if token.kind == "end":
            return True
        if not self._lark:
            return token.kind == "name" and self._peek(1).text == "::="
        return token.leads and token.text not in ("|", ")", "]")

    def _alternatives(self, depth: int) -> Node:
        if depth > _MAX_NESTING:
            raise TooLargeError(f"a grammar may nest at most {_MAX_NESTING} groups")
        if self._lark:
            self._take_sign("|")
        ways = [self._sequence(depth)]
        while self._take_sign("|"):
            ways.append(self._sequence(depth))
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _sequence(self, depth: int) -> Node:
        items: list[Node] = []
        while not self._at_rule() and self._peek().text not in ("|", ")", "]"):
            if self._take_sign("->"):
                self._name()  # an alias names a node of Lark's tree
                break
            items.append(self._quantified(self._atom(depth)))
        return concat(*items) if items else EMPTY

    def _quantified(self, item: Node) -> Node:
        if self._peek().leads and self._lark:
            return item
        if self._take_sign("*"):
            return Repeat(item, 0, None)
        if self._take_sign("+"):
            return Repeat(item, 1, None)
        if self._take_sign("?"):
            return optional(item)
        if self._take_sign("~"):
            low = self._number()
            return Repeat(item, low, self._number() if self._take_sign("..") else low)
        if not self._lark and self._take_sign("{"):
            return self._braced(item)
        return item

    def _braced(self, item: Node) -> Node:
        low = self._number()
        high: int | None = low
        if self._take_sign(","):
            high = self._number() if self._peek().kind == "number" else None
        self._need("}")
        if high is not None and high < low:
            raise self._error("a repetition with its bounds swapped")
        return Repeat(item, low, high)

    def _number(self) -> int:
        token = self._take()
        if token.kind != "number" or len(token.text) > 9:
            raise self._error(f"a number is missing before {token.text!r}")
        return int(token.text)

    def _atom(self, depth: int) -> Node:
        token = self._take()
        match token.kind:
            case "string" if self._take_sign(".."):
                return self._leaf(terminals.span(token.text, self._string(), token.line))
            case "string" | "single":
                return self._leaf(terminals.quoted(token.text, token.line))
            case "regex":
                return self._leaf(terminals.pattern(token.text, token.line))
            case "class":
                return terminals.char_class(token.text)
            case "name":
                return self._reference(token)
        if token.text in ("(", "["):
            inner = self._alternatives(depth + 1)
            self._need(")" if token.text == "(" else "]")
            return inner if token.text == "(" else optional(inner)
        raise UnsupportedError(f"unsupported in a grammar: {token.text!r} at line {token.line}")

    def _string(self) -> str:
        token = self._take()
        if token.kind != "string":
            raise self._error(f"a text in quotes is missing before {token.text!r}")
        return token.text

    def _reference(self, token: Token) -> Node:
        self._grammar.used.setdefault(token.text, token.line)
        call = Call(token.text)
        terminal = self._lark and token.text.lstrip("_").isupper()
        return self._leaf(call) if terminal else call

    def _leaf(self, node: Node) -> Node:
        """A terminal as it stands in a rule: ignored text may lead to it."""
        if not self._lark or self._in_terminal or not self._has_gaps:
            return node
        return Concat((self._gap, node))

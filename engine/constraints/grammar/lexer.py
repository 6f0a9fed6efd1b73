"""Owns the tokens of grammar files, for both dialects; knows no rules."""

import re
from dataclasses import dataclass

from engine.constraints.errors import InvalidConstraintError, TooLargeError

MAX_TOKENS = 50_000

_COMMON = (
    ("string", r'"(?:\\.|[^"\\\n])*"i?'),
    ("regex", r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[imslux]*"),
    ("name", r"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*"),
    ("number", r"\d+"),
    ("define", r"::=|:"),
    ("range", r"\.\."),
    ("arrow", r"->"),
    ("sign", r"[|()?*+{},~.!\[\]%@&$=<>^-]"),
)
_SPACE = {"ebnf": r"(?:[ \t\r\n]|#[^\n]*)+", "lark": r"(?:[ \t\r\n]|//[^\n]*|#[^\n]*)+"}
_EXTRA = {
    "ebnf": (("class", r"\[\^?(?:\\.|[^\]\\])*\]"), ("single", r"'(?:\\.|[^'\\\n])*'")),
    "lark": (),
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `line` counts from 1, `leads` says that it is the first of its line."""

    kind: str
    text: str
    line: int
    leads: bool


def tokens_of(source: str, dialect: str) -> list[Token]:
    """Split a grammar; the last token has the kind `end`. Raises InvalidConstraintError."""
    kinds = (*_EXTRA[dialect], *_COMMON)
    if dialect == "ebnf":
        kinds = tuple(
            (k, r"[A-Za-z_][A-Za-z0-9_\-.]*") if k == "name" else (k, p) for k, p in kinds
        )
    scanner = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds))
    space = re.compile(_SPACE[dialect])
    found, at, line, leads = [], 0, 1, True
    while at < len(source):
        gap = space.match(source, at)
        if gap:
            leads = leads or "\n" in gap[0]
            line += gap[0].count("\n")
            at = gap.end()
            continue
        match = scanner.match(source, at)
        if match is None or match.lastgroup is None:
            raise InvalidConstraintError(
                f"invalid grammar at line {line}: {source[at : at + 20]!r}"
            )
        found.append(Token(match.lastgroup, match[0], line, leads))
        if len(found) > MAX_TOKENS:
            raise TooLargeError(f"a grammar may have at most {MAX_TOKENS} tokens")
        at, leads = match.end(), False
    found.append(Token("end", "", line, True))
    return found

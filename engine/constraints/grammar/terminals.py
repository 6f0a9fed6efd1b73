"""Owns the leaves of grammars: quoted texts, character classes, patterns, the common terminals."""

import ast

from engine.constraints.errors import InvalidConstraintError, UnsupportedError
from engine.constraints.expression import CharSet, Concat, Literal, Node, children, concat
from engine.constraints.regex_parser import BEGIN, END, parse_regex

# Terminals that Lark offers for import, as patterns of our own.
COMMON = {
    "DIGIT": r"[0-9]",
    "HEXDIGIT": r"[0-9a-fA-F]",
    "INT": r"[0-9]+",
    "SIGNED_INT": r"[+\-]?[0-9]+",
    "DECIMAL": r"[0-9]+\.[0-9]*|\.[0-9]+",
    "FLOAT": r"[0-9]+[eE][+\-]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?",
    "SIGNED_FLOAT": r"[+\-]?([0-9]+[eE][+\-]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?)",
    "NUMBER": r"[0-9]+([eE][+\-]?[0-9]+)?|([0-9]+\.[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?",
    "SIGNED_NUMBER": r"[+\-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?",
    "ESCAPED_STRING": r'"([^"\\\n]|\\[^\n])*"',
    "LCASE_LETTER": r"[a-z]",
    "UCASE_LETTER": r"[A-Z]",
    "LETTER": r"[a-zA-Z]",
    "WORD": r"[a-zA-Z]+",
    "CNAME": r"[a-zA-Z_][a-zA-Z0-9_]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(\r?\n)+",
    "SH_COMMENT": r"#[^\n]*",
    "CPP_COMMENT": r"//[^\n]*",
    "C_COMMENT": r"/\*([^*]|\*+[^*/])*\*+/",
    "SQL_COMMENT": r"--[^\n]*",
}


def common(name: str) -> Node:
    """A terminal of Lark's common library."""
    if name not in COMMON:
        raise UnsupportedError(f"unsupported in a grammar: %import common.{name}")
    return parse_regex(COMMON[name])


def quoted(text: str, line: int) -> Node:
    """A text in quotes, with an optional i behind it for either case."""
    either_case = text.endswith("i")
    body = text[:-1] if either_case else text
    try:
        plain = ast.literal_eval(body)
        plain.encode()
    except (ValueError, SyntaxError, UnicodeEncodeError) as error:
        raise InvalidConstraintError(f"invalid grammar at line {line}: {text[:40]}") from error
    if not either_case:
        return Literal(plain.encode())
    return Concat(tuple(_cases(char) for char in plain))


def _cases(char: str) -> Node:
    codes = {ord(c) for c in (char.lower(), char.upper()) if len(c) == 1}
    return CharSet(tuple((code, code) for code in sorted(codes)))


def pattern(text: str, line: int) -> Node:
    """A pattern between slashes with its flags."""
    body, flags = text[1:].rsplit("/", 1)
    if set(flags) - set("isu"):
        raise UnsupportedError(f"unsupported in a grammar: pattern flags {flags!r} at line {line}")
    kept = "".join(flag for flag in "is" if flag in flags)
    node = parse_regex(f"(?{kept}:{body})" if kept else body.replace(r"\/", "/"))
    if _anchored(node):
        raise UnsupportedError(f"unsupported in a grammar: an anchor at line {line}")
    return node


def _anchored(node: Node) -> bool:
    return node in (BEGIN, END) or any(_anchored(child) for child in children(node))


def char_class(text: str) -> Node:
    """A class in brackets."""
    return parse_regex(text)


def span(low: str, high: str, line: int) -> Node:
    """A range "a".."z"."""
    ends = [quoted(low, line), quoted(high, line)]
    codes = [end.text.decode() for end in ends if isinstance(end, Literal)]
    if len(codes) != 2 or any(len(code) != 1 for code in codes) or codes[0] > codes[1]:
        raise InvalidConstraintError(f"invalid grammar at line {line}: bad range {low}..{high}")
    return concat(CharSet(((ord(codes[0]), ord(codes[1])),)))

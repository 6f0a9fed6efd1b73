"""Owns the step from llama.cpp's GBNF to EBNF: text to text; what has no equal there is named."""

import re

from engine.constraints.errors import InvalidConstraintError, UnsupportedError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<class>\[\^?(?:\\.|[^\]\\])*\])
    |(?P<kept>::=|[|()*+?]|\{[ \t]*[0-9]+[ \t]*(?:,[ \t]*[0-9]*[ \t]*)?\})
    |(?P<any>\.)
    |(?P<name>[A-Za-z0-9_-]+)
    |(?P<reference>!?<[^>\n]*>)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CONTROL = {"t": "\t", "r": "\r", "n": "\n"}
_PLAIN = '"\\[]'
_ANY = r"[\s\S]"


def ebnf_of(source: str) -> str:
    """GBNF -> EBNF with the same language. Raises a ConstraintError that names line and trouble."""
    parts, at = [], 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        line = source.count("\n", 0, at) + 1
        if match is None:
            shown = source[at : at + 20]
            raise InvalidConstraintError(f"invalid grammar at line {line}: {shown!r}")
        parts.append(_converted(match, line))
        at = match.end()
    return "".join(parts)


def _converted(match: re.Match[str], line: int) -> str:
    text = match[0]
    match match.lastgroup:
        case "string":
            return _quoted(text[1:-1], line)
        case "class":
            return _class(text, line)
        case "any":
            return _ANY
        case "name":
            return text if text[0].isalpha() or text[0] == "_" else f"_{text}"
        case "reference":
            raise UnsupportedError(
                f"unsupported in a GBNF grammar: the token {text} at line {line}"
            )
    return " " if text.startswith("#") else text


def _quoted(body: str, line: int) -> str:
    """A text in quotes, in escapes that both dialects read alike."""
    plain = _ESCAPE.sub(lambda found: _decoded(found, line), body)
    escaped = (c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in plain)
    return f'"{"".join(escaped)}"'


def _class(text: str, line: int) -> str:
    """A class in brackets; its escapes must be GBNF's, whatever else EBNF has."""
    for found in _ESCAPE.finditer(text):
        if found[4] != "-":
            _decoded(found, line)
    return text


def _decoded(found: re.Match[str], line: int) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise InvalidConstraintError(f"invalid grammar at line {line}: no character {found[0]}")
        return chr(code)
    if found[4] in _CONTROL:
        return _CONTROL[found[4]]
    if found[4] in _PLAIN:
        return found[4]
    raise InvalidConstraintError(f"invalid grammar at line {line}: unknown escape {found[0]}")

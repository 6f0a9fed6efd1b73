"""Owns the step from llama.cpp's GBNF to EBNF: text to text; what has no equal there is named."""

import re

from engine.constraints.errors import InvalidConstraintError, UnsupportedError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<class>\[\^?(?:\\.|[^\]\\])*\])
    |(?P<kept>::=|[|()*+?]|\{[ \t]*[0-9]+[ \t]*(?:,[ \t]*(?:[0-9]+[ \t]*)?)?\})
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
        if match is None:
            raise _invalid(source, at, repr(source[at : at + 20]))
        parts.append(_converted(match))
        at = match.end()
    return "".join(parts)


def _invalid(source: str, at: int, what: str) -> InvalidConstraintError:
    return InvalidConstraintError(f"invalid grammar at line {_line(source, at)}: {what}")


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def _converted(match: re.Match[str]) -> str:
    text = match[0]
    match match.lastgroup:
        case "string":
            return _quoted(match)
        case "class":
            return _class(match)
        case "any":
            return _ANY
        case "name":
            return text if text[0].isalpha() or text[0] == "_" else f"_{text}"
        case "reference":
            line = _line(match.string, match.start())
            raise UnsupportedError(
                f"unsupported in a GBNF grammar: the token {text} at line {line}"
            )
    return " " if text.startswith("#") else text


def _quoted(match: re.Match[str]) -> str:
    """A text in quotes, in escapes that both dialects read alike."""
    plain = _ESCAPE.sub(lambda found: _decoded(found, match), match[0][1:-1])
    escaped = (c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in plain)
    # EBNF reads an i right behind the quotes as either case; in GBNF it begins a name.
    space = " " if match.string.startswith("i", match.end()) else ""
    return f'"{"".join(escaped)}"{space}'


def _class(match: re.Match[str]) -> str:
    """A class in brackets; its escapes must be GBNF's, whatever else EBNF has."""
    for found in _ESCAPE.finditer(match[0]):
        if found[4] != "-":
            _decoded(found, match)
    return match[0]


def _decoded(found: re.Match[str], token: re.Match[str]) -> str:
    """The character that an escape in a token stands for."""
    digits = found[1] or found[2] or found[3]
    if digits:
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise _invalid(token.string, token.start(), f"no character {found[0]}")
        return chr(code)
    if found[4] in _CONTROL:
        return _CONTROL[found[4]]
    if found[4] in _PLAIN:
        return found[4]
    raise _invalid(token.string, token.start(), f"unknown escape {found[0]}")

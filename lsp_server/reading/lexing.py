"""What is code, string or comment in a text: a scan that knows few things of many languages. Pure.

It reads each character once and never fails; a language it doesn't know has no strings and all
common comments of whole lines.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["code", "string", "comment"]

_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*"?', r"'(?:\\.|[^'\\\n])*'?"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + "|" + r"'''(?:\\.|[^\\])*?(?:'''|\Z)"
_BACKTICK, _LETTER = r"`(?:\\.|[^`\\])*`?", r"'(?:\\[^\n']{1,8}|[^'\\\n])'"
_HASH, _SHELL_HASH, _SLASHES, _DASHES = r"#[^\n]*", r"(?<!\S)#[^\n]*", r"//[^\n]*", r"--[^\n]*"
_STARS, _ANGLES = r"/\*.*?(?:\*/|\Z)", r"<!--.*?(?:-->|\Z)"


@dataclass(frozen=True, slots=True)
class Lexis:
    """Regular expressions of a family's comments and strings."""

    comments: str
    strings: str = ""


_PYTHON = Lexis(_HASH, f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}")
_C = Lexis(f"{_SLASHES}|{_STARS}", f"{_DOUBLE}|{_SINGLE}")
_SCRIPT = Lexis(f"{_SLASHES}|{_STARS}", f"{_DOUBLE}|{_SINGLE}|{_BACKTICK}")
_LETTERS = Lexis(f"{_SLASHES}|{_STARS}", f"{_DOUBLE}|{_LETTER}")
_SHELL = Lexis(_SHELL_HASH, f"{_DOUBLE}|{_SINGLE}")
_DASH = Lexis(_DASHES, f"{_DOUBLE}|{_SINGLE}")
_JSON = Lexis(f"{_SLASHES}|{_STARS}", _DOUBLE)
_TEXT = Lexis(_ANGLES)
_FAMILIES: dict[str, Lexis] = {
    **dict.fromkeys(("python", "gdscript", "starlark"), _PYTHON),
    **dict.fromkeys(("toml", "elixir", "julia"), _PYTHON),
    **dict.fromkeys(("c", "cpp", "csharp", "java", "dart", "php", "objective-c"), _C),
    **dict.fromkeys(("javascript", "typescript", "javascriptreact", "typescriptreact"), _SCRIPT),
    **dict.fromkeys(("go", "svelte", "vue", "css", "scss", "less"), _SCRIPT),
    **dict.fromkeys(("rust", "swift", "kotlin", "scala", "zig"), _LETTERS),
    **dict.fromkeys(("shellscript", "sh", "bash", "zsh", "yaml", "dockerfile", "ruby"), _SHELL),
    **dict.fromkeys(("perl", "r", "makefile", "powershell", "nix"), _SHELL),
    **dict.fromkeys(("lua", "sql", "haskell", "elm"), _DASH),
    **dict.fromkeys(("json", "jsonc"), _JSON),
    **dict.fromkeys(("html", "xml", "markdown", "plaintext"), _TEXT),
}
_UNKNOWN = Lexis(r"^[ \t]*(?:#|//|--|;)[^\n]*")


@dataclass(frozen=True, slots=True)
class Reading:
    """Where strings, comments and brackets are.

    Attributes:
        pieces: (start, stop, kind) of what is not code, in order.
        depths: (offset, round and square brackets open from there on, brackets of all kinds).
    """

    pieces: tuple[tuple[int, int, Kind], ...]
    depths: tuple[tuple[int, int, int], ...]

    def kind(self, offset: int) -> Kind:
        """What the character at `offset` belongs to."""
        at = bisect_right(self.pieces, offset, key=lambda piece: piece[0]) - 1
        return self.pieces[at][2] if at >= 0 and offset < self.pieces[at][1] else "code"

    def depth(self, offset: int, braces: bool = False) -> int:
        """Round and square brackets open at `offset`, or with `braces` all."""
        at = bisect_right(self.depths, offset, key=lambda depth: depth[0]) - 1
        return self.depths[at][2 if braces else 1] if at >= 0 else 0


def read(text: str, language: str) -> Reading:
    """The reading of a text in a language as editors name it."""
    lexis = _FAMILIES.get(language.lower(), _UNKNOWN)
    strings = f"|(?P<string>{lexis.strings})" if lexis.strings else ""
    scanner = re.compile(
        rf"(?P<comment>{lexis.comments}){strings}|(?P<bracket>[(\[{{}}\])])", re.DOTALL | re.M
    )
    return _collected(scanner.finditer(text))


def _collected(found: Iterable[re.Match[str]]) -> Reading:
    pieces: list[tuple[int, int, Kind]] = []
    depths: list[tuple[int, int, int]] = []
    inner = every = 0
    for match in found:
        sign = match["bracket"]
        if sign is None:
            kind: Kind = "comment" if match["comment"] is not None else "string"
            pieces.append((match.start(), match.end(), kind))
            continue
        step = 1 if sign in "([{" else -1
        every = max(0, every + step)
        inner = max(0, inner + step) if sign in "([)]" else inner
        depths.append((match.end(), inner, every))
    return Reading(tuple(pieces), tuple(depths))

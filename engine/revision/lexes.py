"""How a text under revision is read: as engine.shape reads its language, or by what is known of
further ones, whose holes are not shaped but whose comments and strings can be told.
"""

from dataclasses import replace
from pathlib import PurePosixPath

from engine.shape.families import (
    DOUBLE,
    HASH,
    HTML,
    LONG_DOUBLE,
    LONG_SINGLE,
    SINGLE,
    SLASH_STAR,
    SLASHES,
)
from engine.shape.languages import PLAIN, Language, language_of
from engine.shape.lexis import Lexis, Quote

TICK = Quote("`", "`", escape=False)
DASHES = Quote("--", "\n", comment=True, escape=False)
FENCE = Quote("(`{3,})", "{}", escape=False, lines=True, first="`")
LETTER = Quote(r"(?<!\w)'(?=\\|[^\\'\n]')", "'", first="'")
"""A prime may be the end of a name."""
STRINGS = (LONG_DOUBLE, LONG_SINGLE, DOUBLE, SINGLE, TICK)

SLASHED = Lexis((SLASHES, SLASH_STAR, *STRINGS))
PHP = Lexis((*SLASHED.quotes, Quote(r"#(?!\[)", "\n", comment=True, escape=False)))
ZIG = Lexis((SLASHES, Quote(r"\\\\", "\n", escape=False, first="\\"), DOUBLE, SINGLE))
SQL = Lexis((DASHES, SLASH_STAR, SINGLE, DOUBLE, TICK))
BRACED = Quote(r"\{-", "-}}", comment=True, escape=False, lines=True)
HASKELL = Lexis((BRACED, DASHES, LONG_DOUBLE, DOUBLE, LETTER))
LISP = Lexis((Quote(";", "\n", comment=True, escape=False), Quote('"', '"', lines=True)))
MARKED = Lexis((HTML.quotes[0], FENCE, TICK))
UNKNOWN = Lexis((*STRINGS, HASH))
"""Most of the languages that nobody listed have such comments."""

OTHERS = {
    "cs csharp dart kt kts kotlin scala swift m mm objective-c proto proto3 scss less": SLASHED,
    "php": PHP,
    "zig": ZIG,
    "sql mysql": SQL,
    "hs haskell elm": HASKELL,
    "lisp cl el clj cljs clojure scm scheme rkt racket": LISP,
    "md markdown": MARKED,
    "xml svg vue svelte": HTML,
}
"""By the names of languages and the endings of paths."""


def reading_of(path: str | None, name: str | None) -> Language:
    """How a text is read, by its language's name, else by the ending of its path."""
    known = language_of(path, name)
    if known.lexis.quotes:
        return known
    ending = PurePosixPath((path or "").replace("\\", "/")).suffix[1:]
    found = {word: lexis for words, lexis in OTHERS.items() for word in words.split()}
    keys = [key.strip().lower() for key in (name or "", ending)]
    return replace(PLAIN, lexis=next((found[key] for key in keys if key in found), UNKNOWN))

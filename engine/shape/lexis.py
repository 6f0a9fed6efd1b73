"""Owns how a language is read by the light lexer: its quotes, comments, brackets and words."""

import re
from dataclasses import dataclass
from functools import cached_property

BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


@dataclass(frozen=True)
class Quote:
    """A stretch of text that is not code: a string or a comment.

    Attributes:
        opener: regular expression; at most one group, whose text stands for `{}` in `close`.
        close: the text that ends it.
        comment: it is a comment.
        escape: a backslash takes the next character with it.
        lines: it may run over line ends; else a line end closes it.
        inner: texts that open and close code inside it, as `${` and `}`.
        first: characters `opener` may begin with, where its own first one does not say.
    """

    opener: str
    close: str
    comment: bool = False
    escape: bool = True
    lines: bool = False
    inner: tuple[str, str] | None = None
    first: str = ""

    @property
    def begins(self) -> str:
        """Characters the opener may begin with."""
        return self.first or self.opener.lstrip("\\")[0]


@dataclass(frozen=True)
class Literal:
    """A quote that has been opened, its `close` known."""

    quote: Quote
    close: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds whatever comes next in the literal."""
        parts = [r"(?P<escape>\\.)"] if self.quote.escape else []
        if self.quote.inner:
            parts.append(f"(?P<inner>{re.escape(self.quote.inner[0])})")
        if self.close != "\n":
            parts.append(f"(?P<leave>{re.escape(self.close)})")
        parts.append(r"(?P<newline>\n)")
        return re.compile("|".join(parts), re.DOTALL)


@dataclass(frozen=True)
class Lexis:
    """What the lexer must know of a language.

    Attributes:
        quotes: tried in order; put longer openers first.
        brackets: pairs of single characters.
        words: pairs of words that open and close, as `do` and `done`.
        tags: elements open with `<name` and close with `</name>` or `/>`.
        loose: closers that may stand without an opener.
        docstrings: a triple-quoted string that stands alone is a comment.
        undecided: regular expression of an end of text that more text may turn into a quote.
    """

    quotes: tuple[Quote, ...] = ()
    brackets: tuple[tuple[str, str], ...] = BRACKETS
    words: tuple[tuple[str, str], ...] = ()
    tags: bool = False
    loose: str = ""
    docstrings: bool = False
    undecided: str | None = None

    @cached_property
    def closers(self) -> dict[str, str]:
        """Opening bracket or word -> what closes it."""
        return dict(self.brackets + self.words)

    @cached_property
    def half_comments(self) -> frozenset[str]:
        """Characters that the next one may turn into the beginning of a comment."""
        openers = [quote.opener.replace("\\", "") for quote in self.quotes if quote.comment]
        return frozenset(each[0] for each in openers if each[:2] in ("//", "/*", "--"))

    @cached_property
    def begins(self) -> re.Pattern[str]:
        """Finds a character that anything of interest may begin with: a quick sieve."""
        texts = [text for pair in self.brackets + self.words for text in pair]
        firsts = {text[0] for text in texts} | {"\n"} | ({"<", "/", ">"} if self.tags else set())
        firsts.update(*(quote.begins for quote in self.quotes))
        return re.compile(f"[{re.escape(''.join(sorted(firsts)))}]")

    @cached_property
    def code(self) -> re.Pattern[str]:
        """Matches a thing of interest in code; group names say what it is."""
        return self._compile(self._parts())

    @cached_property
    def growing(self) -> re.Pattern[str]:
        """As `code`, for text that may go on: group `pending` is what can't be told yet."""
        pending = [self.undecided] if self.undecided else []
        if self.tags:
            pending.append(r"(?:</?[\w-]*[ \t]*|/)\Z")
        if self.words:
            pending.append(rf"(?<![\w.$-])(?:{self._either(0)}|{self._either(1)})\Z")
        if not pending:
            return self.code
        return self._compile([f"(?P<pending>{'|'.join(pending)})", *self._parts()])

    def _parts(self) -> list[str]:
        parts = [f"(?P<quote{n}>{quote.opener})" for n, quote in enumerate(self.quotes)]
        if self.tags:
            parts.append(r"(?P<element><([A-Za-z][\w-]*))")
            parts.append(r"(?P<ended></([A-Za-z][\w-]*)[ \t]*>)|(?P<tagend>/?>)")
        for group, side in (("open", 0), ("close", 1)):
            texts = [re.escape(pair[side]) for pair in self.brackets]
            if self.words:
                texts.append(rf"(?<![\w.$-])(?:{self._either(side)})(?![\w=-])")
            if texts:
                parts.append(f"(?P<{group}>{'|'.join(texts)})")
        return [*parts, r"(?P<newline>\n)"]

    def _either(self, side: int) -> str:
        return "|".join(sorted({pair[side] for pair in self.words}))

    @staticmethod
    def _compile(parts: list[str]) -> re.Pattern[str]:
        return re.compile("|".join(parts))

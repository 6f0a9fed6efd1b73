"""Owns the verdict on a finished text: does the document still parse with it in the hole?

For Python the compiler's own parser judges: tree-sitter lets a header without a body pass.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, product

from engine.constraints.errors import UnsupportedError
from engine.constraints.syntax import Parses, parses_json, parses_python
from engine.shape.grammar import Errors, Surroundings
from engine.shape.languages import LANGUAGES, Language, language_of
from engine.shape.site import Site

PYTHON_LIMIT = 100_000
INDENTED = 50
"""Lines on either side of a hole whose indentation is tried."""
EXACT: dict[str, Parses] = {"python": parses_python, "json": parses_json}
"""Languages whose own parser judges; tree-sitter lets wrong texts of them pass."""
TRIALS, TRIED_LIMIT = 160, 1_000_000
"""Most texts that are tried in a document that doesn't parse, and characters parsed for that."""
STUBS = ("", "pass", "None", "x", "0", "null", "{}")
"""Texts of which one is sound in most holes."""

HEADERS = ("if x:", "else:", "elif x:", "except x:", "try:", "def x():", "x:")
"""What Python may need in front of a deeper block."""

Accepts = Callable[[str], bool]


def flaws(site: Site, document: tuple[str, str], text: str) -> int:
    """Whether `text` between the two sides breaks the document; only fit to be compared.

    1 if the document doesn't parse, 2 if it has more errors than with an empty hole. They are not
    counted: of texts that break it, the one with fewest errors is often one that was cut short. 0
    where nothing can be told: no grammar, or a text too large to judge.
    """
    before, after = document
    if site.language.name == "python" and len(before) + len(after) < PYTHON_LIMIT:
        return int(not parses_python(before + text + after))
    errors = site.surroundings.errors(text)
    if errors is None or not errors.nodes:
        return 0
    none = site.surroundings.errors("")
    return 0 if none is None else 1 + (errors.nodes > none.nodes)


def accepts_in(name: str, before: str, behind: Sequence[str], old: str | None = None) -> Accepts:
    """Whether a text is sound in a hole: the document parses, or has no new errors.

    `behind` are the texts behind this hole and behind each further one, which is taken to hold a
    stub. A document that parses with `old` or a stub in the hole must parse; else the text may
    make no more errors than the best of those. UnsupportedError if nothing judges the language.
    """
    tries = [(text, _joined(behind, stub)) for text, stub in _trials(old, len(behind) > 1)]
    return _judge(name, before, tries, _headed(name, before, behind))


def keeps_sound(name: str, before: str, old: str, after: str) -> Accepts:
    """Whether a text in the place of `old` is sound: the document parses if it did, else it has no
    more errors. UnsupportedError if nothing judges the language."""
    return _judge(name, before, [(old, after)], [])


def judged_names() -> frozenset[str]:
    """Every name of the languages whose syntax is judged."""
    return frozenset(name for it in LANGUAGES if _is_judged(it) for name in (it.name, *it.aliases))


def _is_judged(language: Language) -> bool:
    return language.grammar is not None or language.name in EXACT


def _judge(
    name: str, before: str, tries: Sequence[tuple[str, str]], further: Iterable[tuple[str, str]]
) -> Accepts:
    """By the first of the texts that parses, of `further` ones too; else by the best of `tries`.

    One is always parsed, others while they are few and short.
    """
    language = language_of(None, name)
    if not _is_judged(language):
        known = ", ".join(each.name for each in LANGUAGES)
        raise UnsupportedError(f"no syntax check for {name!r}; there are {known}")
    if (parses := EXACT.get(language.name)) is not None:
        left = TRIED_LIMIT
        for text, after in islice(chain(tries, further), TRIALS):
            if parses(before + text + after):
                return _parsing(parses, before, after)
            left -= len(before) + len(text) + len(after)
            if left <= 0:
                break
    best: tuple[Errors, Surroundings] | None = None
    for text, after in tries:
        around = Surroundings(before, after, language.grammar)
        errors = around.errors(text)
        if errors is not None and (best is None or errors < best[0]):
            best = errors, around
    if best is None:
        return lambda answer: False
    least, around = best
    return lambda answer: (found := around.errors(answer)) is not None and found <= least


def _parsing(parses: Parses, before: str, after: str) -> Accepts:
    return lambda answer: parses(before + answer + after)


def _trials(old: str | None, more: bool) -> Iterator[tuple[str, str]]:
    """Texts for the hole and for those behind it."""
    if old is not None:
        yield from ((old, stub) for stub in (STUBS if more else STUBS[:1]))
    yield from product(STUBS, STUBS if more else STUBS[:1])


def _headed(name: str, before: str, behind: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Headers for a hole of Python before a deeper block, indented as some line near."""
    if language_of(None, name).name != "python" or len(behind) > 1:
        return
    above, _, line = before.rpartition("\n")
    near = [*reversed(above.splitlines()[-INDENTED:]), *behind[0].splitlines()[:INDENTED]]
    indents = ("",) if line.strip() else _indents(near, line)
    for indent, header in product(indents, HEADERS):
        yield indent + header + "\n", behind[0]
        yield indent + header, behind[0]


def _indents(lines: Sequence[str], begun: str) -> tuple[str, ...]:
    """The indentations of lines, and none, less what the hole's own line has."""
    found = dict.fromkeys(("", *(line[: len(line) - len(line.lstrip())] for line in lines)))
    return tuple(indent[len(begun) :] for indent in found if indent.startswith(begun)) or ("",)


def _joined(behind: Sequence[str], stub: str) -> str:
    return stub.join(behind)

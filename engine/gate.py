"""The last gate: whether an answer keeps to its language, told from the text alone."""

from collections.abc import Callable, Sequence

from engine.constraints.document_schema import DocumentSchema, breaks_in
from engine.languages import Language
from engine.shape.judge import Accepts, accepts_in
from protocol.constraint import Syntax

Problem = Callable[[str], str | None]
"""What is wrong with an answer; None if nothing is."""


def in_document(language: Language) -> bool:
    """Whether the language is one of the whole document; bounds on characters never are."""
    return language.asked.scope == "document" and not isinstance(language.asked, Syntax)


def gate_of(
    language: Language, before: str, behind: Sequence[str], old: str | None = None, tail: str = ""
) -> Problem | None:
    """The check of an answer between `before` and `behind`, the texts behind it and behind each
    further hole; None where there is none, or only the last hole can tell.

    `old` is a text that stood there; `tail` closes the answer without being a part of it. Raises
    UnsupportedError where nothing judges the syntax, InvalidConstraintError for a schema.
    """
    check, compiled = language.check, language.compiled
    inside, accepts = in_document(language), _syntax(language, before, behind, old)
    breaks = _schema(language, before, behind, old)
    if (check is None and accepts is None) or (inside and len(behind) > 1):
        return None

    def problem(text: str) -> str | None:
        if accepts is not None and not accepts(_plain(text)):
            return "the document would not be sound"
        if breaks is not None and (wrong := breaks(_plain(text))) is not None:
            return wrong
        own = text.removesuffix(tail)
        data = (before + text + behind[0] if inside else own).encode("utf-8", "replace")
        if check is not None and (wrong := check(data)) is not None:
            return wrong
        seen = data.replace(b"\r\n", b"\n") if inside else data
        if compiled is not None and not compiled.dfa.dfa.accepts(seen):
            return "the text does not belong to the language"
        return None

    return problem


def _syntax(
    language: Language, before: str, behind: Sequence[str], old: str | None
) -> Accepts | None:
    if not isinstance(language.asked, Syntax):
        return None
    stood = None if old is None else _plain(old)
    return accepts_in(language.asked.language, _plain(before), [_plain(b) for b in behind], stood)


def _schema(
    language: Language, before: str, behind: Sequence[str], old: str | None
) -> Problem | None:
    asked = language.asked
    if not isinstance(asked, Syntax) or asked.schema is None:
        return None
    stood = None if old is None else _plain(old)
    schema = DocumentSchema(asked.language, asked.schema)
    return breaks_in(schema, _plain(before), [_plain(b) for b in behind], stood)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")

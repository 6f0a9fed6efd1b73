"""Owns the gates: texts drawn from a new automaton, and every result, face other validators.

Gate 1 is the front-end, which refuses by name what it can't enforce.
"""

from engine.constraints.checkers import Checker, checker_of, matches_python
from engine.constraints.errors import UnsupportedError
from engine.constraints.frontend import ByteLanguage
from engine.constraints.spec import ConstraintSpec, JsonSchema, Lengths, Regex
from engine.constraints.walks import Walker

_DRAWS = 64
_REGEX_SECONDS = 1.0


def second_gate(spec: ConstraintSpec, language: ByteLanguage) -> tuple[str, ...]:
    """Check drawn texts; returns the language's notes with those of the gate.

    Raises UnsupportedError if a drawn text is refused: the front-end can't be trusted with it.
    """
    walker = Walker(language.dfa, seed=1)
    texts = [walker.draw() for _ in range(_DRAWS)]
    notes = list(language.notes)
    if isinstance(spec, Regex):
        verdict = matches_python(spec.pattern, texts, _REGEX_SECONDS)
        if verdict is None:
            notes.append("re.fullmatch is too slow for this pattern to be asked")
        elif not verdict:
            raise UnsupportedError("unsupported pattern: re.fullmatch refuses what it allows")
    check = third_gate(spec)
    for text in texts:
        problem = check(text)
        if problem:
            shown = text[:80].decode(errors="replace")
            raise UnsupportedError(
                f"unsupported {_noun(spec)}: a text made by it is refused ({problem}): {shown!r}"
            )
    return tuple(notes)


def third_gate(spec: ConstraintSpec) -> Checker:
    """The check each result passes before it is sent.

    For patterns and grammars that the second opinion can't read, UTF-8 and lengths are left.
    """
    try:
        return checker_of(spec)
    except UnsupportedError:
        return checker_of(Lengths(min_chars=spec.min_chars, max_chars=spec.max_chars))


def _noun(spec: ConstraintSpec) -> str:
    return "schema" if isinstance(spec, JsonSchema) else "constraint"

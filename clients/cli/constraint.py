"""From the options of a command to the constraint that is asked of the engine."""

import io
import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from clients.cli.constraint_options import ConstraintOptions
from clients.cli.errors import BadInput
from clients.cli.glyphs import safe
from clients.cli.text_file import read_source
from clients.cli.words import one_of
from engine.constraints.errors import ConstraintError
from engine.constraints.grammar.gbnf import ebnf_of
from protocol.constraint import (
    Choices,
    Constraint,
    Ebnf,
    JsonSchema,
    Lark,
    Lengths,
    Regex,
    Syntax,
)

_EBNF, _LARK = (".ebnf", ".gbnf", ".bnf"), (".lark",)
Make = Callable[..., Constraint]


def constraint_of(options: ConstraintOptions) -> Constraint | None:
    """What the options ask for; None if they ask for nothing.

    Raises:
        BadInput: two languages at once, a file that can't be read, an option that needs another.
    """
    given = [name for name in _KINDS if getattr(options, name) is not None]
    if given == ["schema", "syntax"]:
        return _syntax_under(options)
    if len(given) > 1:
        flags = " and ".join(f"--{name}" for name in given)
        raise BadInput(f"{flags} can't go together; give one language")
    lengths = (options.min_chars, options.max_chars, options.exact_tokens)
    if given:
        return _KINDS[given[0]](getattr(options, given[0]), _shared(options, given))
    if lengths != (None, None, None):
        return Lengths(**_shared(options, given))
    if options.scope is not None or options.best_effort:
        flag = "--scope" if options.scope is not None else "--best-effort"
        raise BadInput(f"{flag} needs a constraint, such as --schema or --regex")
    return None


def _shared(options: ConstraintOptions, given: list[str]) -> dict[str, Any]:
    """The fields of every kind."""
    low, high = options.min_chars, options.max_chars
    if low is not None and high is not None and low > high:
        raise BadInput(f"--min-chars {low} is more than --max-chars {high}")
    shared: dict[str, Any] = {
        "min_chars": low,
        "max_chars": high,
        "exact_tokens": options.exact_tokens,
        "best_effort": options.best_effort,
    }
    one_of("--scope", options.scope, ("hole", "document"))
    if given == ["syntax"]:
        if options.scope == "hole":
            raise BadInput("--syntax speaks of the document; leave --scope out")
        return shared
    if options.scope == "document" and not given:
        raise BadInput("lengths are those of the hole; leave --scope out")
    if options.scope == "document" and (low, high) != (None, None):
        raise BadInput("--min-chars and --max-chars bound the hole; they need --scope hole")
    return {**shared, "scope": options.scope or "hole"}


def _regex(value: str, shared: dict[str, Any]) -> Constraint:
    return Regex(value, **shared)


def _syntax(value: str, shared: dict[str, Any]) -> Constraint:
    return Syntax(language=value, **shared)


def _syntax_under(options: ConstraintOptions) -> Constraint:
    """A language and a schema: the document is judged by both."""
    assert options.schema is not None and options.syntax is not None
    schema = _schema_text(options.schema)
    return Syntax(language=options.syntax, schema=schema, **_shared(options, ["syntax"]))


def _choices(value: str, shared: dict[str, Any]) -> Constraint:
    """Texts between commas, or a JSON array of texts."""
    texts: Any = value.split(",")
    if value.lstrip().startswith("["):
        try:
            texts = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"--choices is no JSON array: {safe(str(error))}") from None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInput("--choices takes texts: A,B,C or a JSON array of them")
    return Choices(tuple(texts), **shared)


def _schema(value: str, shared: dict[str, Any]) -> Constraint:
    return JsonSchema(_schema_text(value), **shared)


def _schema_text(value: str) -> str:
    """JSON text as it is, or a file of it."""
    text = value.strip()
    inline = text.startswith("{") or text in ("true", "false")
    return text if inline else _read(value, "--schema")


def _grammar(value: str, shared: dict[str, Any]) -> Constraint:
    """A file of EBNF or Lark, told by its name, else by `::=`."""
    text, suffix = _read(value, "--grammar"), PurePath(value).suffix.lower()
    if suffix in _LARK or (suffix not in _EBNF and "::=" not in text):
        return Lark(text, **shared)
    if suffix != ".gbnf":
        return Ebnf(text, **shared)
    try:
        return Ebnf(ebnf_of(text), **shared)
    except ConstraintError as error:
        raise BadInput(f"{safe(value)}: {safe(str(error))}") from None


def _read(name: str, flag: str) -> str:
    if name == "-":
        raise BadInput(f"{flag} can't be read from standard input; name a file")
    return read_source(name, io.BytesIO()).text


_KINDS: dict[str, Make] = {
    "schema": _schema,
    "regex": _regex,
    "grammar": _grammar,
    "choices": _choices,
    "syntax": _syntax,
}

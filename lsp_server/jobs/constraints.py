"""What an answer is held to: the schema of the file, else that it parses."""

from pathlib import Path
from typing import Any

from lsp_server.documents import Document
from lsp_server.readable.folders import root_over
from lsp_server.readable.readable import Readable
from lsp_server.reading.schemas import (
    LANGUAGES,
    Rule,
    SchemaError,
    local_path,
    named_schema,
    ruled_schema,
    schema_text,
)
from lsp_server.server import RetouchServer
from protocol.capabilities import syntax_of
from protocol.constraint import Constraint, JsonSchema, Syntax
from protocol.limits import FILE_LIMIT
from protocol.messages import ContextFile

SYNTAX_SCHEMA = "constraint:syntax_schema"
MOST_BYTES = 256 * 1024


def constraint_of(server: RetouchServer, document: Document) -> Constraint | None:
    """What an answer in this document is held to, as far as the engine can do that.

    JSON keeps to its schema by construction, YAML and TOML as a whole: answers are tried until one
    breaks nothing of it.
    """
    able, data = server.link.capabilities, LANGUAGES.get(document.language)
    if data is not None and (text := _schema(server, document)):
        if data == "json" and "constraint:json_schema" in able:
            return JsonSchema(schema=text, scope="document")
        if SYNTAX_SCHEMA in able:
            return Syntax(language=data, schema=text)
        server.tell_once("This engine can't hold answers to a JSON Schema; they may not validate.")
    return _syntax(document.language, able) if server.settings.syntax else None


def looser(constraint: Constraint) -> Constraint | None:
    """What to ask where a constraint is refused: a JSON document that can't be made to fit its
    schema should at least break it nowhere else; then nothing."""
    if isinstance(constraint, JsonSchema):
        return Syntax(language="json", schema=constraint.schema)
    return None


def schema_file(server: RetouchServer, document: Document) -> ContextFile | None:
    """The schema as a file to look at, where no answer follows it token by token: YAML and TOML."""
    if LANGUAGES.get(document.language) in (None, "json"):
        return None
    text = _schema(server, document)
    return ContextFile("schema.json", text) if text and len(text) <= FILE_LIMIT else None


def _syntax(language: str, able: frozenset[str]) -> Syntax | None:
    if syntax_of(language) not in able:
        return None
    return Syntax(language=language, scope="document", best_effort=True)


def _schema(server: RetouchServer, document: Document) -> str | None:
    """The text of the document's schema; what is wrong with it is told once, in the log."""
    if document.path is None:
        return None
    path = Path(document.path)
    source, folder = _source(server, document, path)
    if source is None:
        return None
    try:
        return schema_text(_content(source, folder))
    except SchemaError as error:
        server.tell_once(str(error))
        return None


def _source(
    server: RetouchServer, document: Document, path: Path
) -> tuple[str | dict[str, Any] | None, Path]:
    """A schema or its place, and the folder that the place is told from: the document's own where
    that names it, the workspace's for a rule of the settings."""
    named = named_schema(document.text.value, document.language)
    if named is not None:
        return named, path.parent
    root = root_over(path, server.part(Readable).roots)
    rules = [Rule(rule.pattern, rule.schema) for rule in server.settings.schemas]
    return ruled_schema(path, root, rules), root or path.parent


def _content(source: str | dict[str, Any], folder: Path) -> bytes | dict[str, Any]:
    """The schema itself, or the file it is in; SchemaError if that can't be read."""
    if isinstance(source, dict):
        return source
    path = Path(local_path(source, folder.as_posix()))
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise SchemaError(f"The schema {path} is no file of at most {MOST_BYTES} bytes.")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise SchemaError(f"The schema {source} can't be read: {error}.") from None

"""What a user can set, bounded; a wrong or unknown setting costs itself alone, and one warning."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import fields

from protocol.values import PolicyName, Steps

Glob = Annotated[str, Meta(min_length=1, max_length=512)]
Flag = dict[Annotated[str, Meta(max_length=64)], bool]
Tell = Callable[[str], None]


class ServerSettings(Struct, frozen=True):
    """Where the engine's server is; a port of None finds it, or starts it."""

    host: Literal["127.0.0.1", "::1", "localhost"] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None


class SchemaRule(Struct, frozen=True, rename="camel"):
    """Files of this pattern hold what this JSON Schema says: the schema, or where it is."""

    pattern: Glob
    schema: dict[str, Any] | Annotated[str, Meta(max_length=4096)]


class Settings(Struct, frozen=True, rename="camel"):
    """See lsp_server/METHODS.md for what each one does."""

    enable: bool = True
    languages: Annotated[Flag, Meta(max_length=512)] = msgspec.field(
        default_factory=lambda: {"*": True}
    )
    ignore: Annotated[tuple[Glob, ...], Meta(max_length=256)] = ()
    trigger: Literal["auto", "manual"] = "auto"
    debounce_ms: Annotated[int, Meta(ge=0, le=5000)] = 75
    timeout_ms: Annotated[int, Meta(ge=50, le=60_000)] = 1500
    max_lines: Annotated[int, Meta(ge=1, le=400)] = 12
    alternatives: Annotated[int, Meta(ge=1, le=8)] = 3
    max_file_kb: Annotated[int, Meta(ge=1, le=65_536)] = 512
    live: Literal["overlay", "buffer", "off"] = "overlay"
    fps: Annotated[int, Meta(ge=1, le=60)] = 12
    diff_first: bool = False
    policy: PolicyName | None = None
    steps: Steps | None = None
    schemas: Annotated[tuple[SchemaRule, ...], Meta(max_length=64)] = ()
    syntax: bool = True
    completion: bool = False
    server: ServerSettings = ServerSettings()
    status_bar: bool = True
    log_level: Literal["debug", "info", "warning", "error"] = "warning"

    def has_language(self, language: str) -> bool:
        """Whether a language is switched on."""
        return self.languages.get(language, self.languages.get("*", True))


def read_settings(raw: object, tell: Tell) -> Settings:
    """The settings that a client sent; `tell` hears in plain words what was left out and why."""
    if raw is None:
        return Settings()
    if not isinstance(raw, Mapping):
        tell("The settings are not an object; the defaults are used.")
        return Settings()
    known = {field.encode_name: field for field in fields(Settings)}
    found: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in known:
            tell(f"There is no setting `{str(name)[:64]}`; it is ignored.")
            continue
        try:
            found[known[name].name] = msgspec.convert(value, known[name].type)
        except msgspec.ValidationError as error:
            tell(f"The setting `{name}` can't be used: {error}. Its default is.")
    return Settings(**found)

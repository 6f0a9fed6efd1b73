"""Where settings come from: flag, then environment, then the config file, then the default."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from clients.cli.errors import BadInput
from clients.cli.glyphs import safe
from clients.cli.settings import Setting, Settings, table

CONFIG_VARIABLE = "RETOUCH_CONFIG"
_CONFIG_LIMIT = 256 * 1024


class Resolved(msgspec.Struct, frozen=True):
    """The settings in force, and for each name where its value came from."""

    settings: Settings
    origins: dict[str, str]
    config_file: Path


def config_path(environ: Mapping[str, str]) -> Path:
    """The config file: RETOUCH_CONFIG, else the user's config folder."""
    named = environ.get(CONFIG_VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("retouch") / "config.toml"


def resolve(flags: Mapping[str, Any], environ: Mapping[str, str]) -> Resolved:
    """Merge all sources; a flag that is None was not given.

    Raises:
        BadInput: a value that doesn't fit, an unknown key, an unreadable file.
    """
    path = config_path(environ)
    file = _read_config(path, required=bool(environ.get(CONFIG_VARIABLE)))
    rows = table()
    _refuse_unknown(file, rows, path)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for row in rows:
        value, origin = _pick(row, flags, environ, file)
        if origin == "default":
            values[row.name] = row.default
        else:
            where = f"{_shown(path)}: {row.name}" if origin == "file" else origin
            values[row.name] = row.parse(value, where)
        origins[row.name] = origin
    return Resolved(Settings(**values), origins, path)


def _pick(
    row: Setting, flags: Mapping[str, Any], environ: Mapping[str, str], file: Mapping[str, Any]
) -> tuple[Any, str]:
    """The raw value of one setting and its source."""
    if flags.get(row.name) is not None:
        return flags[row.name], row.flag.split("/")[0]
    if environ.get(row.variable):
        return environ[row.variable], row.variable
    if row.name == "color" and environ.get("NO_COLOR"):
        return "never", "NO_COLOR"
    if row.name in file:
        return file[row.name], "file"
    return None, "default"


def _read_config(path: Path, required: bool) -> dict[str, Any]:
    """The config file's keys; none if there is no file and none was named."""
    try:
        with path.open("rb") as file:
            data = file.read(_CONFIG_LIMIT + 1)
    except FileNotFoundError:
        if required:
            raise BadInput(f"{_shown(path)}: no such file ({CONFIG_VARIABLE} names it)") from None
        return {}
    except OSError as error:
        raise BadInput(f"{_shown(path)}: can't be read ({error.strerror})") from None
    if len(data) > _CONFIG_LIMIT:
        raise BadInput(
            f"{_shown(path)}: larger than {_CONFIG_LIMIT // 1024} KiB, so no config file"
        )
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{_shown(path)}: not valid TOML: {safe(str(error))}") from None


def _shown(path: Path) -> str:
    return safe(str(path))


def _refuse_unknown(keys: Iterable[str], rows: Iterable[Setting], path: Path) -> None:
    names = [row.name for row in rows]
    for key in keys:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.0)
            raise BadInput(f"{_shown(path)}: unknown setting {safe(key)}; did you mean {near[0]}?")

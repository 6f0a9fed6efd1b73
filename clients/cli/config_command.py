"""`retouch config`: every setting, its value, and where that came from."""

from typing import Any

import msgspec
from msgspec import Struct

from clients.cli.errors import CHANGED
from clients.cli.glyphs import readable, safe
from clients.cli.options import ListingOptions
from clients.cli.program import Program
from clients.cli.report import as_json
from clients.cli.settings import table
from clients.cli.settings_sources import Resolved


class Line(Struct, frozen=True):
    """One setting in force."""

    name: str
    value: Any
    source: str
    default: Any
    variable: str
    about: str


class Listing(Struct, frozen=True):
    """What `retouch config --json` prints."""

    config_file: str
    settings: tuple[Line, ...]


def config(program: Program, options: ListingOptions, resolved: Resolved) -> int:
    """Print the settings in force."""
    listing = Listing(readable(str(resolved.config_file)), _lines(resolved))
    program.put(as_json(listing) if options.json else _told(listing).encode())
    return CHANGED


def _lines(resolved: Resolved) -> tuple[Line, ...]:
    values = msgspec.structs.asdict(resolved.settings)
    return tuple(
        Line(
            row.name,
            _readable(values[row.name]),
            resolved.origins[row.name],
            row.default,
            row.variable,
            row.about,
        )
        for row in table()
    )


def _readable(value: Any) -> Any:
    return readable(value) if isinstance(value, str) else value


def _told(listing: Listing) -> str:
    """TOML that the config file would take, with the source and meaning as comments."""
    lines = [f"# {safe(listing.config_file)}", "# flag > environment > this file > default", ""]
    for line in listing.settings:
        lines.append(f"# {line.about} [{line.variable}; from {line.source}]")
        known = line.value is not None
        lines.append(f"{line.name} = {_toml(line.value)}" if known else f"# {line.name} =")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A TOML scalar; JSON's strings, numbers and booleans are TOML's."""
    return msgspec.json.encode(value).decode()

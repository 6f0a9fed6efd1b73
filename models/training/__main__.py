"""`python -m models.training RUN [name=value ...]`: start or resume a run; names as in Settings."""

import dataclasses
import sys
from pathlib import Path
from typing import Any

import msgspec

from models.training.settings import NAME, Settings
from models.training.trainer import train


def parse(arguments: list[str]) -> tuple[Path, Settings]:
    """The run's folder and its settings: those it was started with, then the given ones."""
    if not arguments or not all("=" in pair for pair in arguments[1:]):
        raise SystemExit(__doc__)
    folder, given = Path(arguments[0]), dict(pair.split("=", 1) for pair in arguments[1:])
    stored = folder / NAME
    values: dict[str, Any] = msgspec.json.decode(stored.read_bytes()) if stored.exists() else {}
    known = {field.name for field in dataclasses.fields(Settings)}
    if unknown := given.keys() - known:
        raise SystemExit(f"Unknown settings {sorted(unknown)}; known are {sorted(known)}.")
    try:
        return folder, msgspec.convert({**values, **given}, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SystemExit(f"{error}\n{__doc__}") from error


if __name__ == "__main__":
    run, chosen = parse(sys.argv[1:])
    train(chosen, run)

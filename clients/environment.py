"""An isolated environment for a checkout, made on first use. Standard library only."""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
OLDEST = (3, 11)


def ready(extra: str = "") -> Path:
    """The Python of `.venv`, with this checkout and the optional `extra` installed in it.

    Installs again only when pyproject.toml has changed. What goes wrong is said, and ends the
    program with an exit code of `retouch`: 3, or 130 for Ctrl-C.
    """
    try:
        return _ready(extra)
    except KeyboardInterrupt:
        raise _ended("interrupted", 130) from None


def _ready(extra: str) -> Path:
    if sys.version_info < OLDEST:
        raise _ended(f"Retouch needs Python {OLDEST[0]}.{OLDEST[1]} or later.")
    python = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = FOLDER / f"installed-{extra or 'plain'}"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted and _runs(python):
        return python
    print(f"Setting up {FOLDER} (once; a few minutes) ...", file=sys.stderr, flush=True)
    if not _runs(python, "-m", "pip", "--version"):
        _make(clear=os.path.lexists(python) and not _runs(python))
    target = f"{ROOT}[{extra}]" if extra else str(ROOT)
    command = [str(python), "-m", "pip", "install", "--quiet", "--editable", target]
    if subprocess.run(command, check=False).returncode:
        raise _ended(
            "The packages could not be installed; pip's message is above. For another build "
            "of PyTorch install it into .venv first (pytorch.org, Get Started), then try again."
        )
    stamp.write_text(wanted)
    return python


def _ended(why: str, status: int = 3) -> SystemExit:
    """To be raised, once it has been said why."""
    print(why, file=sys.stderr)
    return SystemExit(status)


def _make(clear: bool) -> None:
    """A new environment; `clear` throws away what is left of one whose Python is gone."""
    try:
        venv.create(FOLDER, clear=clear, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise _ended(
            f"{FOLDER} could not be made: {error}\nOn Debian and Ubuntu pip for it is a package "
            "of its own: install python3-venv, then try again."
        ) from None


def _runs(python: Path, *arguments: str) -> bool:
    """Whether that Python works, which it doesn't once the one it was made from has gone."""
    command = [str(python), *(arguments or ("-I", "-S", "-c", ""))]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False

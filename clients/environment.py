"""An isolated environment for a checkout, made on first use. Standard library only."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
OLDEST = (3, 11)


def ready(extra: str = "") -> Path:
    """The Python of `.venv`, with this checkout and the optional `extra` installed in it.

    Installs again only when pyproject.toml has changed. SystemExit says what went wrong.
    """
    if sys.version_info < OLDEST:
        raise SystemExit(f"Retouch needs Python {OLDEST[0]}.{OLDEST[1]} or later.")
    python = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = FOLDER / f"installed-{extra or 'plain'}"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    print(f"Setting up {FOLDER} (once; a few minutes) ...", file=sys.stderr, flush=True)
    if not _has_pip(python):
        venv.create(FOLDER, with_pip=True)
    target = f"{ROOT}[{extra}]" if extra else str(ROOT)
    command = [str(python), "-m", "pip", "install", "--quiet", "--editable", target]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(
            "The packages could not be installed; pip's message is above. For another build "
            "of PyTorch install it into .venv first (pytorch.org, Get Started), then try again."
        )
    stamp.write_text(wanted)
    return python


def _has_pip(python: Path) -> bool:
    """Whether there is an environment, and one that was not broken off while it was made."""
    if not python.exists():
        return False
    command = [str(python), "-m", "pip", "--version"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0

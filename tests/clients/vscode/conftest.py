"""The extension's folder, its packages, and the editor that the end-to-end tests run in."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

EXTENSION = Path(__file__).parents[3] / "clients" / "vscode"
PATIENCE_S = 900


@dataclass(frozen=True)
class Extension:
    """The extension's folder with its packages installed."""

    folder: Path

    def npm(self, *arguments: str, **environment: str) -> str:
        """What an npm script prints; AssertionError with it if the script fails."""
        done = subprocess.run(
            ["npm", *arguments],
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout


@pytest.fixture(scope="session")
def extension() -> Extension:
    """Installs the extension's packages if they are not there."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("npm is not installed")
    if not (EXTENSION / "node_modules" / ".package-lock.json").is_file():
        install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(
            install, cwd=EXTENSION, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        if done.returncode:
            pytest.skip(f"npm could not install the packages: {done.stderr.strip()[-300:]}")
    return Extension(EXTENSION)


@pytest.fixture(scope="session")
def packed(extension: Extension) -> Path:
    """The packed extension."""
    extension.npm("run", "package")
    (found,) = EXTENSION.glob("retouch-*.vsix")
    return found


@dataclass(frozen=True)
class Editor:
    """Where code-server and a browser are."""

    code_server: Path
    chromium: str

    def plan(self, vsix: Path, python: Path, log: Path) -> str:
        """What `scripts/e2e.mjs` reads from RETOUCH_E2E."""
        return json.dumps(
            {
                "codeServer": str(self.code_server),
                "chromium": self.chromium,
                "vsix": str(vsix),
                "python": str(python),
                "log": str(log),
            }
        )


@pytest.fixture(scope="session")
def editor() -> Iterator[Editor]:
    """code-server and Chromium, which are too large to install here; see README.md beside this."""
    folder = Path(os.environ.get("RETOUCH_CODE_SERVER", "/nowhere"))
    if not (folder / "node_modules" / "code-server").is_dir():
        pytest.skip("RETOUCH_CODE_SERVER names no folder with code-server (tests/clients/vscode)")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("chromium is not installed")
    yield Editor(folder, chromium)

"""Which files are left alone: secrets, generated files, what the user names, what git ignores.

The user has the last word, then the table here, then git.
"""

import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from pathspec import GitIgnoreSpec

from lsp_server.readable.folders import root_over

BUILT_IN = (
    ".env*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.keystore",
    "id_rsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    ".pypirc",
    "*.lock",
    "*.lockfile",
    "*-lock.json",
    "*-lock.yaml",
    "*.lock.json",
    "npm-shrinkwrap.json",
    "go.sum",
    "*.min.js",
    "*.min.css",
)
FILE, MOST_BYTES, MOST_LEVELS, MOST_LINES = ".gitignore", 128 * 1024, 32, 2000
MOST_STARS, LONGEST_LINE = 5, 256
"""A pattern of many stars takes for ever to say no."""
FRESH_SECONDS = 5.0
MOST_DECIDED = 512


class Ignores:
    """Remembers what it has decided for a few seconds. Times are seconds of the caller's clock."""

    def __init__(self, globs: Sequence[str] = ()) -> None:
        self._named = spec([*BUILT_IN, *globs])
        self._since = float("-inf")
        self._decided: dict[PurePath, bool] = {}
        self._read: dict[Path, GitIgnoreSpec | None] = {}

    def is_ignored(self, path: PurePath, roots: Sequence[Path], now: float) -> bool:
        """Whether a file is left alone. `roots` are the folders of the workspace."""
        if now - self._since >= FRESH_SECONDS or len(self._decided) >= MOST_DECIDED:
            self._since = now
            self._decided.clear()
            self._read.clear()
        if path not in self._decided:
            self._decided[path] = self._decide(path, roots)
        return self._decided[path]

    def _decide(self, path: PurePath, roots: Sequence[Path]) -> bool:
        root = root_over(path, roots)
        told = path.relative_to(root) if root is not None else PurePath(path.name)
        said = self._named.check_file(told.as_posix()).include
        if said is not None:
            return said
        folders = _folders(Path(path), root)
        names = path.relative_to(folders[0]).parts if folders else ()
        return any(self._git_ignores(folders, names[: n + 1], names) for n in range(len(names)))

    def _git_ignores(
        self, folders: Sequence[Path], part: tuple[str, ...], names: tuple[str, ...]
    ) -> bool:
        """Whether git ignores a file, or a folder on the way to it: the innermost rule decides."""
        for level in range(len(part) - 1, -1, -1):
            rules = self._rules(folders[level])
            if rules is None:
                continue
            told = "/".join(part[level:]) + "/" * (len(part) < len(names))
            said = rules.check_file(told).include
            if said is not None:
                return said
        return False

    def _rules(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._read:
            self._read[folder] = _read(folder / FILE)
        return self._read[folder]


def spec(lines: Sequence[str]) -> GitIgnoreSpec:
    """Patterns as in a .gitignore; the last that matches decides. What is too long is left out."""
    kept = [line for line in lines if len(line) <= LONGEST_LINE and line.count("*") <= MOST_STARS]
    return GitIgnoreSpec.from_lines(kept)


def _folders(path: Path, root: Path | None) -> list[Path]:
    """The folders on the way to a file, from the repository's or else the workspace's down."""
    above = list(path.parents)[:MOST_LEVELS]
    top = next((folder for folder in above if (folder / ".git").exists()), root)
    return above[above.index(top) :: -1] if top in above else []


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except OSError:
        return None
    return spec(os.fsdecode(data).splitlines()[:MOST_LINES])

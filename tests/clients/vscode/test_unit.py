"""The extension without an editor: types, lint, unit tests, and what the package holds."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from protocol.limits import STEPS_LIMIT
from tests.clients.vscode.conftest import EXTENSION, Extension

pytestmark = [pytest.mark.vscode_unit, pytest.mark.timeout(900)]


def test_types_and_lint(extension: Extension) -> None:
    extension.npm("run", "check")


def test_unit_tests(extension: Extension) -> None:
    printed = extension.npm("test")
    passed = re.search(r"pass (\d+)", printed)
    assert passed and int(passed.group(1)) > 50


def test_the_package_holds_what_it_needs_and_no_more(packed: Path) -> None:
    names = {name.removeprefix("extension/") for name in zipfile.ZipFile(packed).namelist()}
    needed = {"package.json", "readme.md", "changelog.md", "LICENSE.txt", "dist/extension.js"}
    assert needed | {"dist/third-party.txt", "images/icon.png"} <= names
    assert not [name for name in names if name.endswith((".ts", ".map", ".svg", ".test.js"))]
    assert packed.stat().st_size < 1_500_000


def test_pictures_are_small() -> None:
    pictures = list((EXTENSION / "images").glob("*.png"))
    assert len(pictures) >= 4
    assert max(picture.stat().st_size for picture in pictures) < 200_000


def test_every_picture_that_is_shown_exists() -> None:
    readme = (EXTENSION / "README.md").read_text(encoding="utf-8")
    manifest = (EXTENSION / "package.json").read_text(encoding="utf-8")
    shown = re.findall(r"images/[\w-]+\.png", readme + manifest)
    assert len(shown) >= 4
    for picture in shown:
        assert (EXTENSION / picture).is_file(), picture


def test_the_readme_tells_every_setting_and_key() -> None:
    readme = (EXTENSION / "README.md").read_text(encoding="utf-8")
    contributes = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))[
        "contributes"
    ]
    for part in contributes["configuration"]:
        for name in part["properties"]:
            assert f"`{name}`" in readme, name
    for command in contributes["commands"]:
        if command["command"] not in {"retouch.showMenu"}:
            assert command["title"].rstrip("…") in readme, command["title"]


def _settings() -> dict[str, dict[str, object]]:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    parts = manifest["contributes"]["configuration"]
    return {name: it for part in parts for name, it in part["properties"].items()}


def test_the_readme_tells_the_plain_defaults() -> None:
    readme = (EXTENSION / "README.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(retouch\.\S+)` +\| `?([^`|]*?)`? +\|", readme, re.MULTILINE))
    for name, setting in _settings().items():
        default = setting["default"]
        if default and isinstance(default, str):
            assert told[name] == default, name
        elif default is None or isinstance(default, bool | int):
            assert told[name] == json.dumps(default), name


def test_no_more_steps_than_the_server_takes_can_be_set() -> None:
    assert _settings()["retouch.steps"]["maximum"] == STEPS_LIMIT

"""What the wheel holds, and that a workspace with our folder names in it can't get in."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHIPPED = {"clients", "engine", "lsp_server", "models", "protocol"}

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return zipfile.ZipFile(folder / built.stdout.split()[-1])


def test_the_wheel_ships_our_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    top = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert top == SHIPPED
    second = {name.split("/")[1] for name in names if name.startswith("clients/")}
    assert second <= {"__init__.py", "cli"}
    assert not [name for name in names if name.startswith("models/training/")]
    assert not [name for name in names if name.endswith((".pkl", ".pt", ".bin"))]


def test_the_wheel_carries_the_default_model_and_the_examples(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    folder = ROOT / "models" / "weights" / "retouch-135m"
    for path in folder.iterdir():
        assert f"models/weights/retouch-135m/{path.name}" in names
    assert any(name.startswith("clients/cli/examples/") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/NOTICE") for name in names)


def test_shards_stay_small() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "models" / "weights").rglob("*.safetensors")]
    assert sizes and max(sizes) < 16_000_000


def test_a_hostile_workspace_is_not_executed(tmp_path: Path) -> None:
    """Started in a folder that holds its own engine/, models/ and so on, ours run."""
    for name in (*SHIPPED, "typer", "msgspec"):
        package = tmp_path / name
        package.mkdir()
        (package / "__init__.py").write_text("open('/dev/stderr', 'w').write('TRAPPED')\n")
    (tmp_path / "hole.py").write_text("x = <FILL>\n")
    code = f"import sys; sys.path.append({str(ROOT)!r}); from clients.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, "fill", "hole.py", "--model", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "TRAPPED" not in done.stderr
    assert done.returncode == 3
    assert "config.json" in done.stderr

"""The script for a borrowed GPU, rehearsed from packing to export on a tiny model and the CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import models.training
from models.loader import read_config

SCRIPTS = Path(models.training.__file__).parent
ROOT = SCRIPTS.parent.parent


def test_a_split_that_is_missing_is_said_and_leaves_no_parts(tmp_path: Path) -> None:
    shards, parts = tmp_path / "shards", tmp_path / "parts"
    (shards / "train").mkdir(parents=True)
    parts.mkdir()
    (parts / "shards.tar.part-zz").write_text("of an earlier run")
    command = ["sh", SCRIPTS / "gpu_pack.sh", shards, parts]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode and "held" in done.stderr
    assert not list(parts.iterdir())
    (shards / "held").mkdir()
    subprocess.run(command, check=True)
    assert [part.name for part in parts.iterdir()] == ["shards.tar.part-aa"]


@pytest.mark.e2e
def test_the_whole_way(folder: Path, shards: Path, tmp_path: Path) -> None:
    parts, run, out = tmp_path / "parts", tmp_path / "run", tmp_path / "out"
    subprocess.run(["sh", SCRIPTS / "gpu_pack.sh", shards, parts], check=True)
    assert all(part.stat().st_size <= 60 << 20 for part in parts.iterdir())
    small = {"MODEL": str(folder), "ROWS": "200", "SAMPLERS": "1", "COMPILED": "false"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", *map(str, (SCRIPTS / "gpu_run.sh", parts, run, out, 3))]
    environment = {**os.environ, **small, "PATH": path, "CUDA_VISIBLE_DEVICES": "", "RANK": "4"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "min left" in done.stdout
    assert read_config(out).layout.prefix_origin == 512
    assert (out / "canvas.safetensors.index.json").is_file()

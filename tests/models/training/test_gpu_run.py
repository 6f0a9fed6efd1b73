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

"""What the installed torch can do, asked in a process of its own: a broken one may crash."""

import subprocess
import sys

import msgspec
from msgspec import Struct

from clients.cli.glyphs import safe

_SECONDS = 120
QUESTION = """
import json, torch
print(json.dumps({
    "version": str(torch.__version__),
    "build": f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU build",
    "capability": torch.backends.cpu.get_cpu_capability(),
    "gpus": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())],
    "mps": torch.backends.mps.is_available(),
}))
"""


class Torch(Struct, frozen=True):
    """The installed torch: its CUDA GPUs, whether an Apple GPU can be used, and what is wrong."""

    version: str | None = None
    build: str | None = None
    capability: str | None = None
    gpus: tuple[str, ...] = ()
    mps: bool = False
    problem: str | None = None


def torch_facts(question: str = QUESTION) -> Torch:
    """Ask torch itself; that it can't answer is a finding."""
    command = [sys.executable, "-I", "-c", question]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Torch(problem=f"torch can't be asked: {safe(str(error))}")
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else f"Python ended with status {done.returncode}"
        return Torch(problem=f"torch can't be loaded: {safe(reason)}")
    try:
        return msgspec.json.decode(done.stdout.strip().splitlines()[-1], type=Torch)
    except (IndexError, msgspec.DecodeError) as error:
        return Torch(problem=f"torch gave no answer: {safe(str(error))}")

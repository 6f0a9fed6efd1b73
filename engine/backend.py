"""EngineConfig -> a loaded model on a device, in a number type, on so many threads."""

import os

import torch

from engine.config import EngineConfig
from engine.errors import EngineError
from models.errors import ModelError
from models.loader import DEFAULT_MODEL, Model, load

DTYPES = {"bfloat16": torch.bfloat16, "float32": torch.float32}


def open_model(config: EngineConfig) -> Model:
    """Load the model the configuration names; EngineError says what to do if that fails."""
    device = pick_device(config.device)
    torch.set_num_threads(config.threads or free_threads())
    try:
        return load(config.model or DEFAULT_MODEL, pick_dtype(config.dtype, device), device)
    except ModelError as error:
        raise EngineError(str(error)) from error


def pick_device(name: str) -> torch.device:
    """`auto` takes a CUDA GPU if there is one, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise EngineError("No CUDA GPU can be used by this PyTorch; try --device cpu.")
    if name == "mps" and not torch.backends.mps.is_available():
        raise EngineError("No Apple GPU can be used by this PyTorch; try --device cpu.")
    return torch.device(name)


def pick_dtype(name: str, device: torch.device) -> torch.dtype:
    """`auto` takes bfloat16 where the device multiplies it natively, else float32."""
    if name != "auto":
        return DTYPES[name]
    if device.type == "cpu":
        fast = has_native_bfloat16()
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16


def has_native_bfloat16() -> bool:
    """Whether this CPU has bfloat16 dot products (AVX512-BF16, AMX or Arm BF16)."""
    facts = torch.cpu.get_capabilities()
    return any(bool(facts.get(name)) for name in ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16"))


def free_threads() -> int:
    """Physical cores that nobody keeps busy now, at least one.

    Two threads with one of them waiting for a core are far slower than one.
    """
    cores = int(torch.cpu.get_capabilities().get("num_physical_cores") or os.cpu_count() or 1)
    usable = min(cores, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores)
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, min(usable, round(usable - busy)))

"""`retouch doctor`: what retouch runs on, whether it is whole, what is slow and why."""

import platform
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from clients.cli.errors import CHANGED, ENGINE_FAILED
from clients.cli.glyphs import readable, safe
from clients.cli.logs import log_path
from clients.cli.machine import Machine, machine
from clients.cli.model_files import ModelFolder, inspect_model
from clients.cli.options import ListingOptions
from clients.cli.program import Program, named_model
from clients.cli.report import as_json
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from clients.cli.torch_facts import Torch, torch_facts

_BFLOAT16 = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
_WIDE = frozenset({"avx2", "avx512f", "asimd"})
_MEMORY_NEEDED = 2 * 2**30
_GIB = 2**30


class Health(Struct, frozen=True):
    """Everything the doctor found. `problems` stop retouch, `slow` only slows it down."""

    python: str
    executable: str
    machine: Machine
    free_cores: int
    torch: Torch
    model: ModelFolder
    config_file: str
    config_exists: bool
    log_file: str
    problems: tuple[str, ...]
    slow: tuple[str, ...]


def doctor(program: Program, options: ListingOptions, resolved: Resolved) -> int:
    """Print the findings; the exit code is 3 if something keeps retouch from working."""
    health = examine(resolved)
    lines = "".join(line + "\n" for line in told(health))
    program.put(as_json(health) if options.json else lines.encode())
    return ENGINE_FAILED if health.problems else CHANGED


def examine(resolved: Resolved) -> Health:
    """Gather all facts; no model is loaded."""
    here, torch = machine(), torch_facts()
    model = inspect_model(model_folder(resolved.settings))
    problems = [*model.problems, *unusable(torch, resolved.settings)]
    return Health(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        executable=readable(sys.executable),
        machine=here,
        free_cores=here.free_cores,
        torch=torch,
        model=model,
        config_file=readable(str(resolved.config_file)),
        config_exists=resolved.config_file.is_file(),
        log_file=readable(str(log_path())),
        problems=tuple(problems),
        slow=tuple(slow(here, torch, resolved.settings)),
    )


def model_folder(settings: Settings) -> Path:
    """The folder the engine will load."""
    if named := named_model(settings):
        return named
    package = find_spec("models")
    assert package and package.origin, "the models package is part of the product"
    return Path(package.origin).parent / "weights" / "retouch-135m"


def unusable(torch: Torch, settings: Settings) -> Iterator[str]:
    """What keeps the engine from computing where the settings want it."""
    if torch.problem:
        yield torch.problem
    elif settings.device == "cuda" and not torch.gpus:
        yield "the device setting is cuda, but torch can use no such GPU: set it to auto"
    elif settings.device == "mps" and not torch.mps:
        yield "the device setting is mps, but torch can use no Apple GPU: set it to auto"


def slow(here: Machine, torch: Torch, settings: Settings) -> Iterator[str]:
    """What costs time on this machine, and what would help."""
    if torch.gpus and settings.device == "cpu":
        yield "a GPU is there, but the device setting is cpu: set it to auto"
    if settings.device == "cpu" or (settings.device == "auto" and not torch.gpus):
        yield from _slow_processor(here, settings)
    if here.memory_free is not None and here.memory_free < _MEMORY_NEEDED:
        yield f"only {here.memory_free / _GIB:.1f} GiB of memory are free: the system may swap"


def _slow_processor(here: Machine, settings: Settings) -> Iterator[str]:
    """What costs time where the processor runs the model."""
    cores = here.usable_cores
    features = set(here.features)
    if features and not _BFLOAT16 & features:
        yield "no bfloat16 arithmetic, so weights run as float32: twice the memory traffic"
    if features and not _WIDE & features:
        yield "the processor has no wide vector instructions (AVX2 or NEON)"
    if settings.threads is None and here.free_cores < cores:
        yield (
            f"other programs keep processors busy (load {here.load or 0.0:.1f}), so only "
            f"{here.free_cores} of {cores} cores are used"
        )
    if settings.threads and settings.threads > cores:
        yield f"threads is {settings.threads}, but there are {cores} cores: they will wait"
    if settings.dtype == "float32" and _BFLOAT16 & features:
        yield "dtype is float32 although this processor is faster with bfloat16: set it to auto"


def told(health: Health) -> Iterator[str]:
    """The findings as lines for a person."""
    here, torch, model = health.machine, health.torch, health.model
    yield f"Python      {health.python}  ({health.executable})"
    yield f"Platform    {here.system}, {here.architecture}"
    about_torch = (torch.version, torch.build, torch.capability)
    yield f"torch       {', '.join(part for part in about_torch if part) or 'missing'}"
    gpus = [*torch.gpus, *(["Apple GPU (with --device mps)"] if torch.mps else [])]
    yield f"GPU         {', '.join(gpus) or 'none that torch can use'}"
    yield f"Processor   {here.processor or 'unknown'}"
    cores = here.physical_cores or "unknown"
    load = "unknown" if here.load is None else f"{here.load:.2f}"
    usable = f"{here.logical_cores} usable threads"
    yield f"Cores       {cores} physical, {usable}, load {load}, {health.free_cores} free"
    yield f"Features    {' '.join(here.features) or 'none known'}"
    yield f"Memory      {_gibibytes(here.memory)}, {_gibibytes(here.memory_free)} free"
    yield f"Model       {safe(model.folder)}"
    for file in model.files:
        size = "-" if file.size is None else f"{file.size:,}"
        yield f"  {size:>14}  {safe(file.name)}{'  <- ' + file.problem if file.problem else ''}"
    missing = "" if health.config_exists else "  (not there; defaults)"
    yield f"Config      {health.config_file}{missing}"
    yield f"Log         {health.log_file}"
    yield from (f"Slow        {line}" for line in health.slow or ("nothing found",))
    yield from (f"Problem     {line}" for line in health.problems or ("none",))


def _gibibytes(size: int | None) -> str:
    return "unknown" if size is None else f"{size / _GIB:.1f} GiB"

"""Tensors out of safetensors files, strictly: nothing executed, missing or unknown."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from models.config import read_json
from models.errors import ModelError
from models.matrix import Matrix

HEADER_LIMIT = 16 << 20
INDEX_LIMIT = 16 << 20
FLOATS = (torch.float32, torch.bfloat16, torch.float16)


class Tensors:
    """The tensors of one checkpoint part; `take` each once, then `finish`."""

    def __init__(self, source: Path, tensors: dict[str, Tensor]) -> None:
        self.source = source
        self._left = tensors

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(
        self, name: str, shape: Iterable[int], dtypes: Iterable[torch.dtype] = FLOATS
    ) -> Tensor:
        """The tensor `name`; ModelError if it is missing or of another shape or type."""
        tensor = self._left.pop(name, None)
        if tensor is None:
            raise ModelError(f"{self.source}: tensor {name} is missing.")
        if tuple(tensor.shape) != tuple(shape):
            raise ModelError(
                f"{self.source}: tensor {name} has shape {tuple(tensor.shape)}, "
                f"config.json asks for {tuple(shape)}."
            )
        if tensor.dtype not in tuple(dtypes):
            raise ModelError(f"{self.source}: tensor {name} has unexpected type {tensor.dtype}.")
        return tensor

    def matrix(self, name: str, rows: int, columns: int) -> Matrix:
        """A weight [rows, columns]: floats, or int8 rows with their `NAME_scale`."""
        scale = f"{name}_scale"
        if scale not in self._left:
            return Matrix(self.take(name, (rows, columns)))
        factors = self.take(scale, (rows,), (torch.float32,))
        if f"{name}.rows0" not in self._left:
            return Matrix(self.take(name, (rows, columns), (torch.int8,)), factors)
        half = rows // 2
        top = self.take(f"{name}.rows0", (half, columns), (torch.int8,))
        rest = self.take(f"{name}.rows1", (rows - half, columns), (torch.int8,))
        return Matrix(torch.cat([top, rest]), factors)

    def finish(self) -> None:
        """ModelError if a tensor is left that nobody asked for."""
        if self._left:
            names = ", ".join(sorted(self._left)[:5])
            raise ModelError(f"{self.source}: {len(self._left)} unknown tensors, such as {names}.")


def read_part(folder: Path, part: str) -> Tensors:
    """All tensors of `folder`/`part`.safetensors, or of the shards its index names."""
    single = folder / f"{part}.safetensors"
    if single.is_file():
        return Tensors(single, _read_file(single))
    index = folder / f"{part}.safetensors.index.json"
    names = read_json(index, INDEX_LIMIT).get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(v, str) for v in names.values()):
        raise ModelError(f"{index} has no weight_map from tensor names to file names.")
    tensors: dict[str, Tensor] = {}
    for name in sorted(set(names.values())):
        tensors.update(_read_file(_shard(folder, name)))
    if tensors.keys() != names.keys():
        raise ModelError(f"{index} and its shards do not name the same tensors.")
    return Tensors(index, tensors)


def _shard(folder: Path, name: str) -> Path:
    """The shard `name` inside `folder`; anything that points elsewhere is refused."""
    if Path(name).name != name or "\0" in name or not name.endswith(".safetensors"):
        raise ModelError(f"{folder}: {name!r} is not a plain safetensors file name.")
    return folder / name


def _read_file(path: Path) -> dict[str, Tensor]:
    try:
        _check_header(path)
        with safe_open(path, framework="pt") as opened:
            return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except OSError as error:
        raise ModelError(f"Can't read {path}: {error.strerror or error}.") from error
    except (SafetensorError, ValueError, TypeError) as error:
        raise ModelError(f"{path} is damaged or not a safetensors file: {error}.") from error


def _check_header(path: Path) -> None:
    """Refuse a header that is longer than the file or than any real one, before it is parsed."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if length > min(HEADER_LIMIT, path.stat().st_size - 8):
        raise ModelError(f"{path} is damaged: its header claims {length} bytes.")


def fingerprint(folder: Path) -> str:
    """Twelve hex digits that change with any byte of a checkpoint: figures are kept under it."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.safetensors")]):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]

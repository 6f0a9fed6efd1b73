"""Key and value tensors of one run of tokens, for all layers. Which are kept is engine.cache's."""

import torch
from torch import Tensor

from models.config import ModelConfig

BLOCK = 64


class KeyValues:
    """Keys and values [layers, kv_heads, capacity, head_dim]; grows, and can be cut short."""

    def __init__(self, config: ModelConfig, dtype: torch.dtype, device: torch.device) -> None:
        self._shape = (config.layers, config.kv_heads, 0, config.head_dim)
        self.keys = torch.empty(self._shape, dtype=dtype, device=device)
        self.values = torch.empty(self._shape, dtype=dtype, device=device)

    @property
    def capacity(self) -> int:
        """Rows there is room for."""
        return self.keys.shape[2]

    @property
    def nbytes(self) -> int:
        """Bytes held on the device."""
        return 2 * self.keys.numel() * self.keys.element_size()

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all; what stands is kept."""
        if rows <= self.capacity:
            return
        room = max(rows, self.capacity + self.capacity // 2)
        self.keys = self._grown(self.keys, -(-room // BLOCK) * BLOCK)
        self.values = self._grown(self.values, -(-room // BLOCK) * BLOCK)

    def _grown(self, old: Tensor, capacity: int) -> Tensor:
        layers, heads, _, size = self._shape
        new = torch.empty((layers, heads, capacity, size), dtype=old.dtype, device=old.device)
        new[:, :, : old.shape[2]] = old
        return new

    def write(self, layer: int, at: int, keys: Tensor, values: Tensor) -> None:
        """Store keys and values [kv_heads, n, head_dim] of one layer in rows `at`..`at`+n."""
        stop = at + keys.shape[1]
        self.keys[layer, :, at:stop] = keys
        self.values[layer, :, at:stop] = values

    def view(self, layer: int, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Keys and values [kv_heads, stop - start, head_dim] of one layer."""
        return self.keys[layer, :, start:stop], self.values[layer, :, start:stop]

    def copy(self, rows: int) -> "KeyValues":
        """A copy of the first `rows` rows that can go its own way."""
        other = object.__new__(KeyValues)
        other._shape = self._shape
        other.keys = self.keys[:, :, :rows].clone()
        other.values = self.values[:, :, :rows].clone()
        return other

"""Drawing tokens: noise that depends on seed and slot alone, and the nucleus rule."""

import numpy as np
import numpy.typing as npt
from torch import Tensor


def gumbel(seed: int, slot: int, size: int) -> npt.NDArray[np.float32]:
    """Gumbel noise [size] of one slot; argmax(logits + noise) is a draw from softmax(logits)."""
    bits = np.random.Generator(np.random.Philox(key=[seed, slot]))
    uniform = bits.random(size, dtype=np.float32)
    tiny = np.finfo(np.float32).tiny
    noise: npt.NDArray[np.float32] = -np.log(-np.log(np.clip(uniform, tiny, 1 - 6e-8)))
    return noise


def nucleus(logits: Tensor, top_p: float) -> Tensor:
    """`logits` [M, V] with everything outside the smallest set of mass `top_p` at -inf."""
    if top_p >= 1.0:
        return logits
    ordered, order = logits.softmax(-1).sort(-1, descending=True)
    beyond = ordered.cumsum(-1) - ordered >= top_p
    return logits.masked_fill(beyond.scatter(-1, order, beyond), float("-inf"))

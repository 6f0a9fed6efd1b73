"""Classifier-free guidance: how much more than plain conditioning an instruction counts."""

from torch import Tensor


def guided(told: Tensor, plain: Tensor, weight: float) -> Tensor:
    """log P(plain) + weight x (log P(told) - log P(plain)), up to a constant of each row.

    `told` and `plain` are logits [rows, V] with and without the instruction, banned ids at -inf in
    both. Weight 0 ignores the instruction, 1 is plain conditioning, more exaggerates it (Ho and
    Salimans, 2207.12598, with their weight + 1; as in Sanchez et al., 2306.17806).
    """
    told, plain = told.log_softmax(-1), plain.log_softmax(-1)
    mixed = plain + weight * (told - plain)
    return mixed.where(told.isfinite(), told)

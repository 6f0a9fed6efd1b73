"""Owns healed boundaries under a constraint: bytes the hole must spell before its language begins.

The token automaton gets one state for each byte of the opening. Only tokens that can take part in
spelling it change; they are split off their classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA, compressed
from engine.constraints.healing import MAX_REQUIRED_BYTES
from engine.constraints.prefix_index import PrefixIndex
from engine.constraints.token_dfa import TokenDFA


@dataclass(frozen=True, slots=True)
class Opening:
    """`required` bytes that moved from the text before a hole into it.

    `in_language` says whether the constraint covers them (a document) or begins behind them.
    """

    required: bytes
    index: PrefixIndex
    in_language: bool


def opened(dfa: TokenDFA, opening: Opening, behind: int) -> tuple[TokenDFA, int]:
    """The automaton with the opening in front of state `behind`, and its new start state.

    Raises ValueError if the opening is longer than `MAX_REQUIRED_BYTES`.
    """
    required, first = opening.required, dfa.states
    if len(required) > MAX_REQUIRED_BYTES:
        raise ValueError(f"a hole can be asked to spell at most {MAX_REQUIRED_BYTES} bytes")
    longer = _with_chain(dfa.dfa, required, behind)
    moves: dict[int, tuple[tuple[int, int], ...]] = {}
    for token, place in _stands(opening.index, required):
        to = longer.run(opening.index.bytes_of(token) or b"", first + place)
        if to:
            moves[token] = (*moves.get(token, ()), (first + place, to))
    return _split(dfa, longer, moves), first


def _with_chain(dfa: ByteDFA, required: bytes, behind: int) -> ByteDFA:
    delta = np.zeros((dfa.states + len(required), 256), np.int32)
    delta[: dfa.states] = dfa.delta
    for place, byte in enumerate(required):
        last = place == len(required) - 1
        delta[dfa.states + place, byte] = behind if last else dfa.states + place + 1
    final = np.concatenate([dfa.final, np.zeros(len(required), bool)])
    return compressed(delta, np.arange(256, dtype=np.uint8), final, dfa.start)


def _stands(index: PrefixIndex, required: bytes) -> Iterator[tuple[int, int]]:
    """Tokens with each place of the opening where they may stand."""
    for place in range(len(required)):
        rest = required[place:]
        shorter = range(1, min(len(rest), index.longest + 1))
        for tokens in (index.starting_with(rest), *(index.equal_to(rest[:n]) for n in shorter)):
            yield from ((token, place) for token in tokens.tolist())


def _split(
    dfa: TokenDFA, longer: ByteDFA, moves: dict[int, tuple[tuple[int, int], ...]]
) -> TokenDFA:
    """Tokens with the same old class and the same new moves become a class of their own."""
    groups: dict[tuple[int, tuple[tuple[int, int], ...]], list[int]] = {}
    for token, move in moves.items():
        groups.setdefault((int(dfa.token_class[token]), move), []).append(token)
    token_class, sets = dfa.token_class.copy(), _sets(dfa)
    pairs: dict[tuple[int, int], list[int]] = {}
    heirs: dict[int, list[int]] = {}
    for label, ((old, move), tokens) in enumerate(groups.items(), dfa.classes):
        token_class[tokens] = label
        heirs.setdefault(old, []).append(label)
        for pair in move:
            pairs.setdefault(pair, []).append(label)
    widened = [sorted({*kind, *(h for c in kind for h in heirs.get(c, ()))}) for kind in sets]
    new_sets = list(pairs.values())
    return _assembled(dfa, longer, token_class, widened + new_sets, list(pairs))


def _sets(dfa: TokenDFA) -> list[list[int]]:
    return [part.tolist() for part in np.split(dfa.set_classes, dfa.set_starts[1:-1])]


def _assembled(
    dfa: TokenDFA,
    longer: ByteDFA,
    token_class: npt.NDArray[np.int32],
    sets: list[list[int]],
    pairs: list[tuple[int, int]],
) -> TokenDFA:
    fresh = np.array(pairs, np.int32).reshape(-1, 2)
    kinds = np.arange(len(sets) - len(pairs), len(sets), dtype=np.int32)
    source = np.concatenate([dfa.pair_from, fresh[:, 0]])
    target = np.concatenate([dfa.pair_to, fresh[:, 1]])
    kind = np.concatenate([dfa.pair_set, kinds])
    order = np.lexsort((source, target))
    starts = np.cumsum([0, *(len(part) for part in sets)]).astype(np.int32)
    flat = np.concatenate([np.array(part, np.int32) for part in sets])
    return TokenDFA(
        longer, token_class, source[order], target[order], kind[order], starts, flat, dfa.notes
    )

"""Owns subtraction of branches, so that `oneOf` and `not` are exact or refused, never guessed."""

from dataclasses import replace

from engine.constraints.schema.branches import (
    Boolean,
    Branch,
    Null,
    Object,
    String,
    Values,
)
from engine.constraints.schema.judge import Judge


def without(branch: Branch, others: list[Branch], judge: Judge) -> list[Branch] | None:
    """Branches inside `branch` that meet none of `others`.

    They may leave out values (a sub-language); None if nothing certain can be said.
    """
    kept = [branch]
    for other in others:
        parts: list[Branch] = []
        for part in kept:
            rest = _minus(part, other, judge)
            if rest is None:
                return None
            parts.extend(rest)
        kept = parts
    return kept


def _minus(branch: Branch, other: Branch, judge: Judge) -> list[Branch] | None:
    common = judge.meet(branch, other)
    if judge.is_empty(common):
        return [branch]
    if common == branch:
        return []
    match branch, other:
        case Values(texts), _:
            values = zip(texts, branch.values(), strict=True)
            return [Values(tuple(t for t, value in values if not judge.holds(value, other)))]
        case Null(), Values():
            return []
        case Boolean(), Values(texts):
            return [Values(tuple(t for t in ("true", "false") if t not in texts))]
        case String(), Values():
            excluded = frozenset(v for v in other.values() if isinstance(v, str))
            return [replace(branch, excluded=branch.excluded | excluded)]
        case Object(), Object():
            return _objects_apart(branch, other, judge)
    return None


def _objects_apart(one: Object, other: Object, judge: Judge) -> list[Branch] | None:
    """Parts of `one` that lack a key `other` requires, or hold one with a value it refuses."""
    parts: list[Branch] = [
        replace(one, forbidden=one.forbidden | {key})
        for key in other.required
        if key not in one.required and key not in one.forbidden
    ]
    shared = {key: None for layer in other.layers for key, _ in layer.listed}
    parts += [
        replace(one, required=(*one.required, key))
        for key in shared
        if key not in one.required and judge.value_conj(one, key) is not None
    ]
    apart = [part for part in parts if judge.is_empty(judge.meet(part, other))]
    return apart or None

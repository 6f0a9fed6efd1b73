"""What is compared: how a fill is asked for, arm by arm, and the sweeps of the curve."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

import msgspec

from engine.policies import DEFAULT_POLICY
from protocol.messages import CanvasSpec, Fill, PolicyName, Sampling, ShapeName

Length = Literal["unknown", "oracle"]
Context = Literal["both sides", "prefix only"]

VALUES: dict[str, tuple[float, ...]] = {
    "steps": (1, 2, 3, 4, 6, 8, 12, 16),
    "threshold": (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99),
    "factor": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0),
    "entropy": (0.05, 0.1, 0.25, 0.5, 1.0, 2.0),
    "margin": (0.1, 0.3, 0.5, 0.7, 0.9),
}
SWEEPS = {"fixed": "steps"} | {name: name for name in ("threshold", "factor", "entropy", "margin")}
"""The field of Sampling that a policy's curve runs over; policies without one are one point."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What is to be filled; `tokens` and `lines` of the true text are used by oracle arms alone."""

    prefix: str
    suffix: str
    path: str
    tokens: int = 1
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to ask for the same holes."""

    name: str
    sampling: Sampling = field(default_factory=Sampling)
    length: Length = "unknown"
    context: Context = "both sides"
    deadline_ms: int | None = None

    @property
    def in_flight(self) -> int:
        """Fills under way at a time: a deadline is only meant for one alone."""
        return 1 if self.deadline_ms else 8

    def settings(self) -> dict[str, Any]:
        """Everything that decides what comes out, for keys and tables (not the name)."""
        fields = {**asdict(self), "sampling": msgspec.to_builtins(self.sampling)}
        del fields["name"]
        return fields

    def fill(self, name: str, gap: Gap) -> Fill:
        """The request. Without what stands behind it a line is not to bring a block along."""
        oracle = self.length == "oracle"
        alone: ShapeName = "auto" if self.context == "both sides" else "line"
        shape: ShapeName = "block" if oracle and gap.lines > 1 else alone
        return Fill(
            id=name,
            prefix=gap.prefix,
            suffix=gap.suffix if self.context == "both sides" else "",
            path=gap.path,
            shape=shape,
            lines=gap.lines if shape == "block" else None,
            canvas=CanvasSpec(gap.tokens, pinned=True) if oracle else CanvasSpec(),
            sampling=self.sampling,
            deadline_ms=self.deadline_ms,
        )


def policies() -> tuple[str, ...]:
    """Every policy that the protocol accepts."""
    return get_args(PolicyName)


def sampling(**fields: Any) -> Sampling:
    """Checked settings; msgspec.ValidationError for what the protocol refuses."""
    return msgspec.convert(fields, Sampling)


def quality_arms(
    names: tuple[str, ...], branches: int, deadlines: tuple[int, ...], extra: tuple[Arm, ...]
) -> list[Arm]:
    """Each policy and the default one, with the length unknown, searched and known; the controls.

    Searched: `branches` texts (for canvas policies: lengths) side by side, the best one kept.
    """
    compared = dict.fromkeys(("causal", DEFAULT_POLICY, *names))
    arms = [arm for name in compared for arm in _three(name, branches)]
    arms.append(Arm("prefix only, greedy", sampling(policy="causal"), context="prefix only"))
    arms += [Arm(f"default within {ms} ms", deadline_ms=ms) for ms in deadlines]
    return [*arms, *extra]


def _three(policy: str, branches: int) -> list[Arm]:
    chosen = sampling(policy=policy)
    searched = sampling(policy=policy, branches=branches)
    found = [Arm(policy, chosen), Arm(f"{policy}, oracle length", chosen, "oracle")]
    return [*found, *([Arm(f"{policy}, {branches} branches", searched)] if branches > 1 else [])]


def curve_arms(names: tuple[str, ...]) -> list[Arm]:
    """Every policy at every setting of its sweep; the length is unknown."""
    arms = [Arm("default")]
    for name in names:
        if (swept := SWEEPS.get(name)) is None:
            arms.append(Arm(name, sampling(policy=name)))
            continue
        for value in VALUES[swept]:
            arms.append(Arm(f"{name} {swept}={value}", sampling(policy=name, **{swept: value})))
    return arms


def parse_arm(text: str) -> Arm:
    """`NAME={"policy": ...}`: a named arm with these Sampling fields; ValueError otherwise."""
    name, _, settings = text.partition("=")
    try:
        return Arm(name.strip(), msgspec.json.decode(settings, type=Sampling))
    except msgspec.MsgspecError as error:
        raise ValueError(f"arm {name!r}: {error}") from error

"""Arms ask for the same hole in the ways they are named after, for every policy there is."""

import pytest

from protocol.messages import Fill
from tests.bench.fill.arms import Arm, Gap, curve_arms, parse_arm, policies, quality_arms, sampling


def ask(arm: Arm, lines: int = 1) -> Fill:
    return arm.fill("1", Gap("before\n", "after\n", "a.py", 7, lines))


def test_oracle_arms_alone_know_the_length() -> None:
    assert ask(Arm("default")).canvas.tokens is None
    spec = ask(Arm("x", length="oracle")).canvas
    assert (spec.tokens, spec.pinned) == (7, True)
    long = ask(Arm("x", length="oracle"), lines=3)
    assert (long.shape, long.lines) == ("block", 3)


def test_prefix_only_arms_do_not_see_the_suffix() -> None:
    assert ask(Arm("x", context="prefix only")).suffix == ""


def test_every_policy_has_arms_and_a_curve() -> None:
    quality = [arm.sampling.policy for arm in quality_arms(policies(), 4, (150,), ())]
    curve = [arm.sampling.policy for arm in curve_arms(policies())]
    assert {None, *policies()} == set(quality) == set(curve)
    names = [arm.name for arm in quality_arms(policies(), 4, (150,), ())]
    assert len(names) == len(set(names))


def test_settings_tell_arms_apart_whatever_they_are_called() -> None:
    assert Arm("a").settings() == Arm("b").settings()
    settings = [Arm("a"), Arm("a", length="oracle"), Arm("a", sampling(policy="fixed", steps=3))]
    assert len({str(arm.settings()) for arm in settings}) == 3


def test_arms_can_be_given_by_hand() -> None:
    arm = parse_arm('two={"policy": "fixed", "counts": [1, 1, 6]}')
    assert arm.name == "two"
    assert arm.sampling.counts == (1, 1, 6)
    with pytest.raises(ValueError, match="arm 'two'"):
        parse_arm('two={"policy": "fixde"}')

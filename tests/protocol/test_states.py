"""Tables of order: every pair of phase and message is either a row or refused."""

from typing import get_args

import pytest
from msgspec import Struct

from protocol.messages import (
    Accepted,
    Bye,
    Delta,
    Done,
    Error,
    Hello,
    Scores,
    Snap,
    Splice,
    ToClient,
    ToServer,
    Welcome,
)
from protocol.replies import is_end
from protocol.states import CLIENT_SAYS, SERVER_SAYS, IllegalOrder, Phase, Stage, advance, step
from tests.protocol.examples import ENGINE_SAYS, TO_CLIENT, TO_SERVER

ENDS = {Done, Scores, Error}


def name(message: object) -> str:
    return type(message).__name__


def test_there_is_an_example_of_every_message() -> None:
    assert {type(message) for message in TO_SERVER} == set(get_args(ToServer))
    assert {type(message) for message in TO_CLIENT} == set(get_args(ToClient))


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("message", TO_SERVER, ids=name)
def test_every_client_message_is_legal_in_its_phase_alone(phase: Phase, message: Struct) -> None:
    legal = {
        Phase.OPENING: {Hello},
        Phase.OPEN: set(get_args(ToServer)) - {Hello},
        Phase.LEFT: set(),
    }[phase]
    if type(message) in legal:
        after = Phase.LEFT if isinstance(message, Bye) else Phase.OPEN
        assert step(phase, message, CLIENT_SAYS) is after
    else:
        with pytest.raises(IllegalOrder):
            step(phase, message, CLIENT_SAYS)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("message", TO_CLIENT, ids=name)
def test_every_server_message_is_legal_in_its_phase_alone(phase: Phase, message: Struct) -> None:
    legal = {
        Phase.OPENING: {Welcome, Error},
        Phase.OPEN: set(get_args(ToClient)) - {Welcome},
        Phase.LEFT: set(),
    }[phase]
    if type(message) in legal:
        step(phase, message, SERVER_SAYS)
    else:
        with pytest.raises(IllegalOrder):
            step(phase, message, SERVER_SAYS)


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("message", ENGINE_SAYS, ids=name)
def test_a_fill_is_accepted_once_and_ends_once(stage: Stage, message: Struct) -> None:
    legal = {
        Stage.ASKED: {Accepted} | ENDS,
        Stage.RUNNING: {Delta, Splice, Snap} | ENDS,
        Stage.OVER: set(),
    }[stage]
    if type(message) in legal:
        after = Stage.OVER if type(message) in ENDS else Stage.RUNNING
        assert advance(stage, message) is after
    else:
        with pytest.raises(IllegalOrder):
            advance(stage, message)


def test_a_refused_revision_does_not_end_the_fill() -> None:
    notice = Error("unsupported", "", "a", ends=False)
    assert advance(Stage.RUNNING, notice) is Stage.RUNNING
    with pytest.raises(IllegalOrder):
        advance(Stage.OVER, notice)


@pytest.mark.parametrize("message", [*ENGINE_SAYS, Error("unsupported", "", "a", ends=False)])
def test_what_ends_a_fill_is_told_as_the_table_has_it(message: Struct) -> None:
    stage = Stage.ASKED if isinstance(message, Accepted) else Stage.RUNNING
    assert is_end(message) == (advance(stage, message) is Stage.OVER)

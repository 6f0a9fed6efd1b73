"""Clients that can't take what the engine says: their own requests end, and nothing else does."""

import pytest

from engine.process import EngineProcess
from protocol.messages import Delta, Done, Error, ServerMessage
from tests.engine.test_process import LONG, Client, fill, run


class Careless(Client):
    """A client that fails at frames, and at ends if `always`."""

    always = False

    def deliver(self, message: ServerMessage) -> None:
        super().deliver(message)
        if self.always or isinstance(message, Delta):
            raise ValueError("it does not fit")


@pytest.mark.parametrize("always", [False, True])
def test_an_answer_that_can_not_be_taken_ends_that_request_alone(always: bool) -> None:
    async def scenario(engine: EngineProcess) -> None:
        client, other = Careless(engine), Client(engine)
        client.always = always
        client.link.send(fill(prefix=LONG))
        error = await client.end()
        assert isinstance(error, Error)
        assert error.code == "engine_failed"
        assert engine.live == 0
        heard = len(client.messages)
        other.link.send(fill())
        assert isinstance(await other.end(), Done)
        assert engine.load.live == 0, "the engine has given it up too"
        assert len(client.messages) == heard
        assert engine.restarts == 0

    run(scenario)

"""Several engine processes: which one a new client comes to."""

from engine.config import EngineConfig
from engine.hub import EngineFacts
from engine.pool import EnginePool
from engine.process import Link
from protocol.messages import Fill


def test_new_clients_go_to_a_process_that_runs() -> None:
    pool = EnginePool(EngineConfig(), 3)
    down, busy, ready = pool._processes
    busy.facts = ready.facts = EngineFacts("fake", ())
    Link("other", lambda message: None, busy).send(Fill("a", prefix="", suffix=""))
    link = pool.connect("new", lambda message: None)
    assert isinstance(link, Link)
    assert link.process is ready
    ready.facts = None
    link = pool.connect("new", lambda message: None)
    assert isinstance(link, Link)
    assert link.process is busy
    assert down.live == 0

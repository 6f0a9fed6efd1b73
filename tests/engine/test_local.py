

def test_a_cancel_acts_between_the_chunks_of_a_long_context(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    words = " ".join(f"word{number}" for number in range(600))
    engine.send(Fill(id="a", prefix=words, suffix="", sampling=Sampling(policy="fixed")))
    assert isinstance(first(engine), Accepted)
    assert engine.step() == [], "the context is still being read"
    engine.send(Cancel("a"))
    (done,) = engine.step()
    assert isinstance(done, Done)
    assert (done.finish, done.text, done.stats.forwards) == ("cancelled", "", 0)
    assert not engine.busy
    assert engine.load.live == 0


def test_a_storm_of_cancels_leaves_nothing(tiny: Model) -> None:
    engine, dice = LocalEngine(tiny, EngineConfig(threads=1)), random.Random(5)
    live: set[str] = set()
    ends: dict[str, str] = {}
    for number in range(60):
        name = str(number)
        engine.send(fill(name), client=f"client{number % 3}")
        live.add(name)
        if dice.random() < 0.6:
            engine.send(Cancel(dice.choice(sorted(live))))
        for message in engine.step():
            if isinstance(message, Done):
                assert message.id not in ends
                ends[message.id] = message.finish
                live.discard(message.id)
    while engine.busy:
        for message in engine.step():
            if isinstance(message, Done):
                ends[message.id] = message.finish
    assert len(ends) == 60
    assert set(ends.values()) == {"cancelled", "converged"}
    assert engine.load.live == 0
    assert not engine._runner._states
    assert not engine._session._live

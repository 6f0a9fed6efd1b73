"""Messages at random, within the bounds of the protocol."""

from hypothesis import strategies as st
from msgspec import Struct

from protocol.messages import (
    Accepted,
    Ack,
    Advance,
    Bye,
    Cancel,
    CanvasSpec,
    Choices,
    ClientInfo,
    ContextChange,
    ContextFile,
    Delta,
    DocumentRef,
    Done,
    Ebnf,
    Error,
    Fill,
    Goaway,
    Heard,
    Hello,
    JsonSchema,
    Lark,
    Lengths,
    Limits,
    Lock,
    NextHole,
    Pin,
    Ping,
    Pong,
    Regex,
    Remask,
    RemaskBelow,
    Resize,
    Resume,
    Revise,
    ReviseText,
    Sampling,
    Score,
    Scores,
    Snap,
    Splice,
    Stats,
    Syntax,
    Token,
    Welcome,
)

IDS = st.text("abcXYZ019._:-", min_size=1, max_size=64)
TEXT = st.text(max_size=20)
SOME = st.text(min_size=1, max_size=20)
CELLS = st.lists(st.none() | st.text(max_size=4), max_size=6).map(tuple)
SHARE = st.floats(0, 1)
SEQ = st.integers(0, 2**53)
DOCS = st.builds(DocumentRef, key=SOME, version=st.integers(0, 99), language=st.none() | TEXT)
SPECS = st.builds(CanvasSpec, tokens=st.integers(1, 1024), pinned=st.booleans())
SAMPLINGS = st.builds(
    Sampling,
    policy=st.sampled_from(["causal", "fixed", "threshold", None]),
    steps=st.none() | st.integers(1, 256),
    counts=st.lists(st.integers(1, 1024), max_size=4).map(tuple),
    threshold=SHARE,
    temperature=st.floats(0, 5),
    top_p=st.floats(0, 1, exclude_min=True),
    seed=st.integers(0, 2**63 - 1),
)
CONSTRAINTS = st.one_of(
    st.builds(Regex, pattern=SOME),
    st.builds(Choices, choices=st.lists(TEXT, min_size=1, max_size=3).map(tuple)),
    st.builds(JsonSchema, schema=SOME),
    st.builds(Ebnf, grammar=SOME),
    st.builds(Lark, grammar=SOME),
    st.builds(Syntax, language=SOME),
    st.builds(Lengths, min_chars=st.integers(0, 5), max_chars=st.integers(5, 9)),
)
FILES = st.lists(st.builds(ContextFile, path=SOME, text=TEXT), max_size=2).map(tuple)
LOCKS = st.lists(st.builds(Lock, pattern=SOME), max_size=2).map(tuple)
HOLES = st.lists(st.builds(NextHole, before=TEXT, canvas=SPECS), max_size=2).map(tuple)


def fills(ids: st.SearchStrategy[str] = IDS) -> st.SearchStrategy[Fill]:
    """Fills with any of their parts."""
    return st.builds(
        Fill,
        id=ids,
        prefix=TEXT,
        suffix=TEXT,
        canvas=SPECS,
        sampling=SAMPLINGS,
        holes=HOLES,
        doc=st.none() | DOCS,
        context=FILES,
        constraint=st.none() | CONSTRAINTS,
        init=CELLS,
        stop=st.lists(SOME, max_size=2).map(tuple),
        mode=st.sampled_from(["delta", "prefix", "final"]),
        priority=st.sampled_from(["auto", "manual", "batch"]),
    )


OPS = st.one_of(
    st.builds(Remask, start=st.integers(0, 3), stop=st.integers(4, 9)),
    st.builds(RemaskBelow, confidence=SHARE),
    st.builds(Pin, start=st.integers(0, 3), stop=st.integers(3, 9), text=SOME),
    st.builds(Resize, tokens=st.integers(1, 1024)),
    st.builds(Advance, chars=st.integers(0, 99)),
    st.builds(ContextChange, prefix_drop=st.integers(0, 9), suffix_add=TEXT),
)
HEARD = st.lists(st.builds(Heard, id=IDS, seq=SEQ), max_size=2).map(tuple)
HELLOS = st.builds(
    Hello,
    v=st.just((1,)),
    client=st.builds(ClientInfo, name=SOME, version=TEXT),
    caps=st.lists(SOME, max_size=2).map(tuple),
    resume=st.none() | st.builds(Resume, session=SOME, token=SOME, fills=HEARD),
)
REVISIONS = st.builds(
    ReviseText, id=IDS, prefix=TEXT, text=SOME, suffix=TEXT, strength=SHARE, locks=LOCKS
)
TO_SERVER: st.SearchStrategy[Struct] = st.one_of(
    HELLOS,
    fills(),
    REVISIONS,
    st.builds(Score, id=IDS, prefix=TEXT, text=SOME, suffix=TEXT, context=FILES),
    st.builds(Revise, id=IDS, base_seq=SEQ, ops=st.lists(OPS, min_size=1, max_size=3).map(tuple)),
    st.builds(Cancel, id=IDS),
    st.builds(Ack, id=IDS, seq=SEQ),
    st.builds(Ping, t=st.floats(-1e6, 1e6)),
    st.builds(Bye),
)
COUNTS = st.integers(0, 999)
TOKENS = st.lists(st.builds(Token, text=TEXT, confidence=SHARE, step=COUNTS), max_size=2).map(tuple)
STATS = st.builds(Stats, steps=COUNTS, wall_ms=st.floats(0, 1e6))
TO_CLIENT: st.SearchStrategy[Struct] = st.one_of(
    st.builds(
        Welcome,
        v=st.just(1),
        session=SOME,
        resume_token=SOME,
        resume_ttl_ms=COUNTS,
        heartbeat_ms=COUNTS,
        limits=st.builds(Limits),
        models=st.just(("m",)),
        caps=st.just(()),
    ),
    st.builds(
        Accepted, id=IDS, model=SOME, seed=COUNTS, canvas_tokens=COUNTS, policy=SOME, f=COUNTS
    ),
    st.builds(Splice, id=IDS, at=COUNTS, delete=COUNTS, insert=COUNTS, seq=COUNTS),
    st.builds(Snap, id=IDS, step=COUNTS, cells=CELLS, confidence=st.just(()), seq=COUNTS),
    st.builds(Done, id=IDS, text=TEXT, finish=st.just("stop"), tokens=TOKENS, stats=STATS),
    st.builds(Scores, id=IDS, tokens=TOKENS, stats=STATS),
    st.builds(Error, code=st.just("overloaded"), message=TEXT, id=st.none() | IDS),
    st.builds(Pong, t=st.floats(-1e6, 1e6)),
    st.builds(Goaway, reason=TEXT, grace_ms=COUNTS),
)
DELTAS = st.builds(
    Delta,
    id=IDS,
    step=COUNTS,
    size=st.just(6),
    slots=st.just((0, 5)),
    cells=st.just(("a", None)),
    confidence=st.just((1.0, 0.0)),
)

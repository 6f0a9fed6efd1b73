"""Automata operations against membership in the single languages."""

from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.algebra import build, difference, intersection
from engine.constraints.expression import (
    ByteSet,
    Choice,
    Concat,
    Elements,
    Literal,
    Member,
    Members,
    Node,
    Repeat,
)
from engine.constraints.limits import Bounds, Limits
from engine.constraints.walks import Walker, distances
from tests.engine.constraints.toys import UNTIMED

LIMITS, BOUNDS = Limits(), Bounds()

leaves: st.SearchStrategy[Node] = st.one_of(
    st.binary(max_size=2).map(lambda b: Literal(bytes(97 + x % 2 for x in b))),
    st.sampled_from([ByteSet(((97, 98),)), ByteSet(()), ByteSet(((98, 98),))]),
)
nodes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda x: Concat(tuple(x))),
        st.lists(inner, min_size=1, max_size=3).map(lambda x: Choice(tuple(x))),
        st.builds(
            lambda item, low, more: Repeat(item, low, None if more > 2 else low + more),
            inner,
            st.integers(0, 2),
            st.integers(0, 3),
        ),
    ),
    max_leaves=6,
)
words = st.text("ab", max_size=6).map(str.encode)


def matches(node: Node, text: bytes) -> set[int]:
    """Ends of all matches from the start of `text`, straight from the definition."""
    match node:
        case Literal(own):
            return {len(own)} if text.startswith(own) else set()
        case ByteSet(ranges):
            return {1} if text and any(a <= text[0] <= b for a, b in ranges) else set()
        case Choice(items):
            return set().union(*(matches(item, text) for item in items))
        case Concat(items):
            ends = {0}
            for item in items:
                ends = {a + b for a in ends for b in matches(item, text[a:])}
            return ends
        case Repeat(item, low, high):
            found, layer = ({0} if low == 0 else set()), {0}
            for count in range(1, (high if high is not None else len(text) + low + 1) + 1):
                layer = {a + b for a in layer for b in matches(item, text[a:])}
                if count >= low:
                    found |= layer
            return found
    raise AssertionError(node)


@UNTIMED
@given(nodes, words)
def test_build_agrees_with_the_definition(node: Node, text: bytes) -> None:
    assert build(node, LIMITS, BOUNDS).accepts(text) == (len(text) in matches(node, text))


@UNTIMED
@given(nodes, nodes, words)
def test_products_agree_with_their_parts(one: Node, other: Node, text: bytes) -> None:
    a, b = build(one, LIMITS, BOUNDS), build(other, LIMITS, BOUNDS)
    assert intersection(a, b, LIMITS).accepts(text) == (a.accepts(text) and b.accepts(text))
    assert difference(a, b, LIMITS).accepts(text) == (a.accepts(text) and not b.accepts(text))
    assert difference(a, a, LIMITS).empty


@UNTIMED
@given(nodes)
def test_walks_end_in_the_language(node: Node) -> None:
    dfa = build(node, LIMITS, BOUNDS)
    if not dfa.empty:
        walker = Walker(dfa, seed=0, wander=5)
        assert all(dfa.accepts(walker.draw()) for _ in range(5))
        assert distances(dfa)[dfa.start] <= len(walker.draw()) or dfa.final[dfa.start]


def _accepts(node: Node, text: str) -> bool:
    return build(node, LIMITS, BOUNDS).accepts(text.encode())


def test_members_keep_order_and_counts() -> None:
    entries = (
        Member(Literal(b"a"), True),
        Member(Literal(b"b"), False),
        Member(Literal(b"c"), False),
    )
    node = Members(entries, ByteSet(((100, 102),)), Literal(b","), 2, 4)
    good = ["a,b", "a,c", "a,d", "a,d,d", "a,b,c,d"]
    bad = ["", "a", "b,c", "a,c,b", "a,b,c,d,d", "a,", "d,a"]
    assert all(_accepts(node, text) for text in good)
    assert not any(_accepts(node, text) for text in bad)


def test_elements_keep_places_and_counts() -> None:
    endless = Elements((Literal(b"a"), Literal(b"b")), Literal(b"c"), Literal(b","), 1, None)
    assert all(_accepts(endless, text) for text in ["a", "a,b", "a,b,c,c,c"])
    assert not any(_accepts(endless, text) for text in ["", "a,c", "a,b,c,", "b"])
    bounded = Elements((), Literal(b"c"), Literal(b","), 2, 3)
    assert [_accepts(bounded, ",".join("c" * n)) for n in range(1, 5)] == [False, True, True, False]
    plain = Elements((), Literal(b"c"), Literal(b","), 0, None)
    assert all(_accepts(plain, text) for text in ["", "c", "c,c"])
    assert not _accepts(plain, ",c")

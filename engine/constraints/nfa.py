"""Owns the lowering of expressions to a byte NFA, from right to left; does not determinise.

Every part is built in front of the state that continues it, so equal parts with equal
continuations are shared, and calls in tail position become loops that cost no depth.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import TooLargeError
from engine.constraints.expression import (
    ByteSet,
    Call,
    CharSet,
    Choice,
    Concat,
    Elements,
    Literal,
    Machine,
    Members,
    Node,
    Repeat,
)
from engine.constraints.limits import Bounds, Clock, Limits
from engine.constraints.members import MembersBuilder
from engine.constraints.nfa_states import Nfa
from engine.constraints.rules import strong_components
from engine.constraints.utf8 import byte_sequences

_MOST_REPEATS = 4096


@dataclass(frozen=True, slots=True)
class Frame:
    """Where in a recursive group a part is built: which group, how deep, what follows the rule."""

    group: int
    depth: int
    after: int


class NfaBuilder:
    """Builds one NFA from an expression and the rules it calls.

    After `build`, `clipped` names each bound that cut the language down.
    """

    def __init__(self, rules: Mapping[Hashable, Node], limits: Limits, bounds: Bounds) -> None:
        self._rules = rules
        self._bounds = bounds
        self._group = strong_components(rules)
        self._clock = Clock(limits.seconds)
        self._memo: dict[tuple[object, int, Frame | None], int] = {}
        self._keep: list[object] = []  # keeps identities in the memo alive
        self.nfa = Nfa(limits)
        self.clipped: set[str] = set()

    def build(self, root: Node) -> Nfa:
        """Lower `root`; raises TooLargeError past a cap."""
        self.nfa.start = self._emit(root, self.nfa.accept, None)
        return self.nfa

    def _emit(self, node: Node, after: int, frame: Frame | None) -> int:
        key = (id(node), after, frame)
        known = self._memo.get(key)
        if known is None:
            self._clock.check()
            known = self._emit_new(node, after, frame)
            self._memo[key] = known
            self._keep.append(node)
        return known

    def _emit_new(self, node: Node, after: int, frame: Frame | None) -> int:
        match node:
            case Literal(text):
                return self._literal(text, after)
            case ByteSet(ranges):
                return self._bytes(ranges, after)
            case CharSet(ranges):
                return self._chars(byte_sequences(ranges), after)
            case Concat(items):
                for item in reversed(items):
                    after = self._emit(item, after, frame)
                return after
            case Choice(items):
                return self.nfa.new(*(self._emit(item, after, frame) for item in items))
            case Repeat():
                return self._repeat(node, after, frame)
            case Machine(dfa):
                return self._machine(dfa, after)
            case Call(rule):
                return self._call(rule, after, frame)
            case Members():
                parts = MembersBuilder(self.nfa, lambda part, to: self._emit(part, to, frame))
                if len(node.entries) <= self._bounds.any_order and node.high is None:
                    return parts.any_order(node, after)
                return parts.in_order(node, after)
            case Elements():
                return self._elements(node, after, frame)
        raise AssertionError(f"no lowering for {node!r}")

    def _literal(self, text: bytes, after: int) -> int:
        for byte in reversed(text):
            after = self._bytes(((byte, byte),), after)
        return after

    def _bytes(self, ranges: tuple[tuple[int, int], ...], after: int) -> int:
        key = (ranges, after, None)
        known = self._memo.get(key)
        if known is None:
            known = self.nfa.new()
            self.nfa.arcs[known] = [(low, high, after) for low, high in ranges]
            self._memo[key] = known
        return known

    def _chars(self, sequences: tuple[tuple[tuple[int, int], ...], ...], after: int) -> int:
        state = self.nfa.new()
        for head, *tail in sequences:
            to = after
            for pair in reversed(tail):
                to = self._bytes((pair,), to)
            self.nfa.arcs[state].append((*head, to))
        return state

    def _repeat(self, node: Repeat, after: int, frame: Frame | None) -> int:
        high = self._clip(node.low, node.high)
        if high is None:
            at = self.nfa.new(after)
            self.nfa.empty[at].append(self._emit(node.item, at, frame))
        else:
            at = after
            for _ in range(high - node.low):
                at = self.nfa.new(after, self._emit(node.item, at, frame))
        for _ in range(node.low):
            at = self._emit(node.item, at, frame)
        return at

    def _clip(self, low: int, high: int | None) -> int | None:
        if low > _MOST_REPEATS:
            raise TooLargeError(f"{low} repetitions are asked for; {_MOST_REPEATS} can be held")
        cap = max(low, self._bounds.repeat)
        if high is not None and high > cap:
            self.clipped.add(f"repetitions above {cap}")
            return cap
        return high

    def _machine(self, dfa: ByteDFA, after: int) -> int:
        states = [self.nfa.dead, *(self.nfa.new() for _ in range(1, dfa.states))]
        for state in range(1, dfa.states):
            arcs = [(low, high, states[to]) for low, high, to in dfa.arcs[state]]
            self.nfa.arcs[states[state]] = arcs
            if dfa.final[state]:
                self.nfa.empty[states[state]].append(after)
        return states[dfa.start]

    def _call(self, rule: Hashable, after: int, frame: Frame | None) -> int:
        inner = self._enter(self._group[rule], after, frame)
        if inner is not None and inner.depth > self._bounds.depth:
            self.clipped.add(f"recursion deeper than {self._bounds.depth}")
            return self.nfa.dead
        key = ((rule,), after, inner)
        known = self._memo.get(key)
        if known is None:
            known = self.nfa.new()
            self._memo[key] = known
            self.nfa.empty[known].append(self._emit(self._rules[rule], after, inner))
        return known

    def _enter(self, group: int | None, after: int, frame: Frame | None) -> Frame | None:
        """The frame a called rule is built in; `group` is None where it can't recur."""
        if group is None:
            return None
        if frame is None or frame.group != group:
            return Frame(group, 0, after)
        if after == frame.after:
            return frame
        return Frame(group, frame.depth + 1, after)

    def _elements(self, node: Elements, after: int, frame: Frame | None) -> int:
        high = self._clip(node.low, node.high)
        places = max(len(node.first), node.low, 1 if high is None else high)
        if high is not None:
            places = min(places, high)
        state = self._more_elements(node, after, frame) if high is None else after
        for place in reversed(range(places)):
            item = node.first[place] if place < len(node.first) else node.rest
            closed = [after] if place >= node.low else []
            if item is not None:
                taken = self._emit(item, state, frame)
                closed.append(self._emit(node.separator, taken, frame) if place else taken)
            state = self.nfa.new(*closed)
        return state

    def _more_elements(self, node: Elements, after: int, frame: Frame | None) -> int:
        """The endless tail behind the last counted element; its first entry has a separator."""
        state = self.nfa.new(after)
        if node.rest is not None:
            item = self._emit(node.rest, state, frame)
            self.nfa.empty[state].append(self._emit(node.separator, item, frame))
        return state

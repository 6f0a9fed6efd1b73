"""Owns the call graph of rules: which rules can reach themselves; builds no automaton."""

from collections.abc import Hashable, Iterator, Mapping

from engine.constraints.expression import Call, Node, children


def calls_of(root: Node) -> list[Hashable]:
    """Every rule called anywhere inside an expression."""
    seen = {id(root)}
    stack, found = [root], []
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            found.append(node.rule)
        for child in children(node):
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    return found


def strong_components(rules: Mapping[Hashable, Node]) -> dict[Hashable, int | None]:
    """The recursive group of each rule, None for a rule that can't reach itself (Tarjan)."""
    graph = {rule: calls_of(node) for rule, node in rules.items()}
    return _Tarjan(graph).groups


class _Tarjan:
    def __init__(self, graph: dict[Hashable, list[Hashable]]) -> None:
        self.groups: dict[Hashable, int | None] = {}
        self._graph = graph
        self._index: dict[Hashable, int] = {}
        self._low: dict[Hashable, int] = {}
        self._open: list[Hashable] = []
        for rule in graph:
            if rule not in self._index:
                self._visit(rule)

    def _visit(self, root: Hashable) -> None:
        work: list[tuple[Hashable, Iterator[Hashable]]] = [self._enter(root)]
        while work:
            rule, calls = work[-1]
            for callee in calls:
                if callee not in self._index:
                    work.append(self._enter(callee))
                    break
                if callee not in self.groups:
                    self._low[rule] = min(self._low[rule], self._index[callee])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    self._low[parent] = min(self._low[parent], self._low[rule])
                self._close(rule)

    def _enter(self, rule: Hashable) -> tuple[Hashable, Iterator[Hashable]]:
        self._index[rule] = self._low[rule] = len(self._index)
        self._open.append(rule)
        return rule, iter(self._graph[rule])

    def _close(self, rule: Hashable) -> None:
        """Name the finished component of which `rule` is the root, if it is one."""
        if self._low[rule] != self._index[rule]:
            return
        place = self._open.index(rule) if self._open[-1] != rule else len(self._open) - 1
        members = self._open[place:]
        del self._open[place:]
        recursive = len(members) > 1 or rule in self._graph[rule]
        for member in members:
            self.groups[member] = self._index[rule] if recursive else None

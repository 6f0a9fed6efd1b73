"""Owns compiled constraints for the engine: memory, then disk, then the compile process."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from engine.constraints.cache import ConstraintCache, cache_key, unpacked
from engine.constraints.checkers import Checker
from engine.constraints.gates import third_gate
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec, check_spec
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Vocabulary
from engine.constraints.worker import CompileWorker

_IN_MEMORY = 32


@dataclass(frozen=True, slots=True)
class Compiled:
    """A constraint ready for canvases; `check` is the third gate (None: nothing is wrong)."""

    dfa: TokenDFA
    check: Checker


class ConstraintCompiler:
    """Compiles specs, each at most once; safe to call from several threads."""

    def __init__(
        self, vocabulary: Vocabulary, cache_folder: Path | None = None, limits: Limits | None = None
    ) -> None:
        self._vocabulary = vocabulary
        self._cache = ConstraintCache(cache_folder) if cache_folder else None
        self._worker = CompileWorker(vocabulary, limits or Limits())
        self._recent: OrderedDict[str, Compiled] = OrderedDict()
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()

    def compile(self, spec: ConstraintSpec, wanted: Callable[[], bool] = lambda: True) -> Compiled:
        """Spec -> compiled constraint. Blocks (milliseconds if cached, else seconds).

        Raises a ConstraintError: unsupported, invalid, unsatisfiable or too large; NotWantedError
        if nobody waits for it when it is its turn.
        """
        check_spec(spec)
        key = cache_key(spec, self._vocabulary.key)
        with self._turn(key):  # who asks for the same waits, and then finds it in memory
            known = self.known(spec)
            if known is not None:
                return known
            found = Compiled(self._automaton(spec, key, wanted), third_gate(spec))
            with self._lock:
                self._recent[key] = found
                if len(self._recent) > _IN_MEMORY:
                    self._recent.popitem(last=False)
        return found

    def known(self, spec: ConstraintSpec) -> Compiled | None:
        """What was compiled not long ago; returns at once."""
        key = cache_key(spec, self._vocabulary.key)
        with self._lock:
            if key in self._recent:
                self._recent.move_to_end(key)
            return self._recent.get(key)

    def close(self) -> None:
        """End the compile process."""
        self._worker.close()

    def _turn(self, key: str) -> threading.Lock:
        """The lock of one spec; it lasts as long as somebody holds it or waits for it."""
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())

    def _automaton(self, spec: ConstraintSpec, key: str, wanted: Callable[[], bool]) -> TokenDFA:
        stored = self._cache.load(key) if self._cache else None
        if stored is not None:
            return stored
        content = self._worker.compile(spec, wanted)
        if self._cache:
            self._cache.store(key, content)
        return unpacked(content)

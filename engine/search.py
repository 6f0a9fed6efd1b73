"""Searches: which jobs a fill runs, and which of their texts is the answer.

A search is told every result of its work and returns further work; it never touches the engine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.job import Finish, Job, Rival, StepResult, Work
from engine.policies import ReadingKind
from engine.query import Answer, Context, Query
from engine.scores import SUFFIX_TOKENS, inner_part, suffix_part, text_score

FORK_RATIO = 0.25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finished text as token ids that continue the prefix."""

    job: Job
    ids: tuple[int, ...]
    inner: float | None
    """Sum of its tokens' log-probabilities in the causal reading, where that is known."""
    flaws: int


@dataclass(frozen=True, slots=True)
class Texts:
    """What a search must know of texts, given by the session."""

    read: Callable[[Job], tuple[int, ...]]
    """The answer on a job's canvas as token ids that continue the prefix."""
    size: Callable[[Sequence[int]], int]
    """Bytes that token ids spell, at least 1."""
    flaws: Callable[[Job], int]
    """How broken the document is with a job's answer in it; fewer is better."""


@dataclass(slots=True)
class Search:
    """The branches of one fill, and the vote between them.

    The lead's canvas is the one that is shown. With a `probe`, its answer says through `expand`
    which jobs to run (lengths); where a token's rival is close, a branch takes the rival and goes
    on by itself. At most `width` branches run. When all are done their texts are ranked by
    log P(hole | prefix, suffix) + log P(suffix | prefix, hole) in the causal reading, the second
    one blind to the suffix segment: the inner and suffix terms of PILL's rerank as sums. Its means
    a byte weigh the few bytes of the suffix too high: of 328 held-out lines 51 came out exactly
    with means, 58 with sums (four branches).
    """

    lead: Job
    width: int
    texts: Texts
    suffix: tuple[int, ...] = ()
    """Tokens that follow the hole; the vote asks how well each text leads to the first of them."""
    probe: Query | None = None
    expand: Callable[[Answer], list[Job]] | None = None
    spare: int = 0
    """Branches beyond the width where every text is flawed; `again` makes those without a rival."""
    again: Callable[[int], Job] | None = None
    finish: Finish | None = None
    error: str | None = None
    ranked: list[Job] = field(default_factory=list)
    """Finished branches with different texts, best first; set at the end."""
    context: Context = field(init=False)
    """What the first token of every text is read behind: the lead's, before any block joins it."""
    _branches: list[Job] = field(default_factory=list)
    _open: dict[str, Work] = field(default_factory=dict)
    _voters: list[Candidate] = field(default_factory=list)
    _ended: set[str] = field(default_factory=set)
    _passed_over: list[tuple[float, Job, Rival]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context = self.lead.context

    @property
    def over(self) -> bool:
        """Whether there is an answer or an error."""
        return bool(self.ranked) or self.error is not None

    @property
    def running(self) -> list[str]:
        """Ids of work that has not ended."""
        return list(self._open)

    def start(self) -> list[Work]:
        """The first work."""
        if self.probe is not None:
            return self._add([self.probe])
        self._branches.append(self.lead)
        return self._add([self.lead])

    def advance(self, result: StepResult) -> list[Work]:
        """Take a result in; returns the work that it calls for."""
        work = result.work
        if result.finish is None and result.error is None:
            return self._forks(work, result) if isinstance(work, Job) else []
        del self._open[work.id]
        if result.error is not None:
            self.error = result.error
            return []
        if result.finish in ("deadline", "cancelled"):
            return self._conclude(self._settled_first(), result.finish)
        if isinstance(work, Query):
            return self._expand(work) if work is self.probe else self._vote(work)
        assert isinstance(work, Job), "a search runs jobs and queries"
        self._ended.add(work.id)
        forks = self._forks(work, result)
        self.finish = result.finish if work is self.lead else self.finish
        return forks if self._open else self._ballot()

    def only_lead(self) -> list[str]:
        """Give up every branch but the shown one, for good; returns the ids of what ends so."""
        others = [name for name in self._open if name != self.lead.id]
        for name in others:
            del self._open[name]
        self._branches, self.width, self.spare = [self.lead], 1, 0
        self._passed_over = []
        return others

    def sink(self, fails: Callable[[Job], bool]) -> None:
        """At the end: texts that fail a last check go behind the others; the first is shown."""
        self.ranked.sort(key=fails)
        self.lead = self.ranked[0]

    def _add(self, works: Sequence[Work]) -> list[Work]:
        self._open |= {work.id: work for work in works}
        return list(works)

    def _expand(self, probe: Query) -> list[Work]:
        """The probe is answered: run the jobs it speaks for."""
        assert self.expand is not None
        self._branches = self.expand(probe.answers[0])[: self.width]
        self.lead = self._branches[0]
        return self._add(self._branches)

    def _forks(self, job: Job, result: StepResult) -> list[Work]:
        forks: list[Work] = []
        for rival in result.rivals:
            if not _stands(job, rival):
                continue
            if len(self._branches) < self.width and rival.ratio > FORK_RATIO:
                forks.append(self._fork(job, rival))
            elif rival.ratio > 0:
                self._passed_over.append((rival.ratio, job, rival))
        return self._add(forks)

    def _fork(self, job: Job, rival: Rival) -> Job:
        canvas = job.canvas.fork(rival.slot, rival.token, rival.probability, job.step)
        branch = job.branch(f"{self.lead.id}/{len(self._branches)}", canvas)
        self._branches.append(branch)
        return branch

    def _second_chances(self) -> list[Work]:
        """Branches for the closest rivals that were passed over, as many as the width allows."""
        standing = [entry for entry in self._passed_over if _stands(*entry[1:])]
        closest = sorted(standing, key=lambda entry: -entry[0])
        room = self.width + self.spare - len(self._branches)
        self._passed_over = []
        more = [self._fork(job, rival) for _, job, rival in closest[:room]]
        while self.again is not None and len(more) < room:
            more.append(self.again(len(self._branches)))
            self._branches.append(more[-1])
        return self._add(more)

    def _ballot(self) -> list[Work]:
        """All branches are done: ask how likely each text is, and how it leads to the suffix.

        If all of them break the document, the next closest rivals get a branch first.
        """
        self._voters = self._candidates()
        if all(voter.flaws for voter in self._voters) and (more := self._second_chances()):
            return more
        suffix = self.suffix[:SUFFIX_TOKENS]
        parts = [suffix_part(voter.ids, suffix) for voter in self._voters if suffix]
        parts += [inner_part(voter.ids) for voter in self._voters if voter.inner is None]
        held = any(voter.job.log_valid is not None for voter in self._voters)
        if len(self._voters) < 2 or not parts or not (suffix or held):
            soundest = sorted(self._voters, key=lambda voter: voter.flaws)
            return self._conclude([voter.job for voter in soundest], self.finish)
        query = Query(f"{self.lead.id}/vote", self.context, parts, deadline=self.lead.deadline)
        return self._add([query])

    def _candidates(self) -> list[Candidate]:
        """Branches whose texts differ, in order of birth."""
        found: dict[tuple[int, ...], Candidate] = {}
        for job in self._branches:
            ids = self.texts.read(job)
            free = job.policy.reading is not ReadingKind.CANVAS and job.log_valid is None
            if ids not in found:
                inner = _log_chance(job) if free or not ids else None
                found[ids] = Candidate(job, ids, inner, self.texts.flaws(job))
        return list(found.values())

    def _vote(self, query: Query) -> list[Work]:
        sums = [float(answer.target.sum()) for answer in query.answers]
        outer = [sums.pop(0) if self.suffix else None for _ in self._voters]
        scores = []
        for voter, behind in zip(self._voters, outer, strict=True):
            inner = sums.pop(0) if voter.inner is None else voter.inner
            scores.append(text_score(inner, self.texts.size(voter.ids), behind))
        flaws = np.array([voter.flaws for voter in self._voters])
        order = np.lexsort((-np.array(scores), flaws))
        return self._conclude([self._voters[index].job for index in order], self.finish)

    def _settled_first(self) -> list[Job]:
        """In a hurry: branches that came to their end, the soundest first, then by birth; else the
        lead as it is."""
        ended = [job for job in self._branches if job.id in self._ended]
        return sorted(ended, key=self.texts.flaws) if len(ended) > 1 else ended or [self.lead]

    def _conclude(self, ranked: list[Job], finish: Finish | None) -> list[Work]:
        self.ranked, self.finish = ranked or [self.lead], finish or "stop"
        return []


def _stands(job: Job, rival: Rival) -> bool:
    """Whether a rival's slot is one of the running canvas; a finished block is not gone back to."""
    return rival.past == job.finished


def _log_chance(job: Job) -> float:
    """Of the tokens up to the one that completed the answer: a pass can settle more than those."""
    whole = job.whole
    tokens = whole.tokens[: whole.settled].tolist()
    while job.stop is not None and len(tokens) > 1 and job.stop(tokens[:-1]):
        tokens.pop()
    return float(np.log(np.maximum(whole.confidence[: len(tokens)], 1e-9)).sum())


def likely_lengths(
    end: Sequence[float], count: int, fits: npt.NDArray[np.bool_] | None = None
) -> list[int]:
    """The `count` most probable lengths, from log P(end mark) of each slot of an open canvas.

    P(length n) = P(end at n) x the product of P(no end) before n; most probable first, ties short.
    `fits` [slots] says which lengths will do.
    """
    ends = np.exp(np.minimum(np.asarray(end, dtype=np.float64), -1e-9))
    posterior = ends * np.concatenate([[1.0], np.cumprod(1 - ends)[:-1]])
    order = np.argsort(-posterior, kind="stable")
    usable = [int(n) for n in order if n > 0 and (fits is None or fits[n])]
    return usable[:count]

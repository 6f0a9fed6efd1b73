"""The golden cases: see golden/README.md."""

import asyncio
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_server.text import Encoding
from tests.lsp.editor import Editor, editor, play
from tests.lsp.engine import FakeServer, fake_server

FOLDER = Path(__file__).parent / "golden"
MARK = "¦"


@dataclass(frozen=True)
class Case:
    """One case, as its file has it."""

    group: str
    name: str
    before: str
    answer: str
    insert: str | None = None
    after: str | None = None
    columns: tuple[int, int] | None = None
    typed: str = ""
    closed: str = ""
    eol: str = "lf"
    encoding: Encoding = "utf-16"
    language: str = "python"

    def document(self, text: str) -> str:
        """A text with the case's line ends."""
        return text.replace("\n", "\r\n") if self.eol == "crlf" else text


@dataclass
class Outcome:
    """What came of a case."""

    items: list[types.InlineCompletionItem] = field(default_factory=list)
    shown: str = ""
    accepted: str = ""
    undone: str = ""
    fills: int = 0


def load() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for raw in tomllib.loads(path.read_text("utf-8"))["case"]:
            columns: Any = raw.pop("columns", None)
            found.append(Case(path.stem, columns=columns and tuple(columns), **raw))
    return found


CASES = load()


def name_of(case: Case) -> str:
    return f"{case.group}: {case.name}"


async def play_case(it: Editor, fake: FakeServer, number: int, case: Case) -> Outcome:
    """One document for each case, so that none knows of another."""
    before = case.document(case.before)
    fake.engine.answer = lambda fill: case.answer
    asked = len(fake.engine.fills)
    it.open(f"/w/case{number}/a.txt", before.replace(MARK, ""), case.language, before.index(MARK))
    out = Outcome(await it.ghost())
    if case.typed:
        it.type(case.document(case.typed) + case.closed)
        it.cursor -= len(case.closed)
        out.items = await it.ghost()
    out.shown, out.fills = it.text.value, len(fake.engine.fills) - asked
    if out.items:
        step = it.accept(out.items[0])
        out.accepted = it.text.value
        it.undo(step)
        out.undone = it.text.value
    closing = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(it.uri))
    it.client.text_document_did_close(closing)
    return out


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Outcome]]:
    """Every case played, with one language server for each encoding."""
    found: dict[str, Outcome] = {}

    async def scene(fake: FakeServer) -> None:
        for encoding in ("utf-8", "utf-16", "utf-32"):
            async with editor(fake.folder, encoding=encoding, options={"debounceMs": 0}) as it:
                chosen = [case for case in CASES if case.encoding == encoding]
                for number, case in enumerate(chosen):
                    async with asyncio.timeout(20):
                        found[name_of(case)] = await play_case(it, fake, number, case)
                assert not it.warnings

    with fake_server(tmp_path_factory.mktemp("golden") / "state") as fake:
        play(scene(fake))
    yield found


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_case(outcomes: dict[str, Outcome], case: Case) -> None:
    out = outcomes[name_of(case)]
    assert out.fills <= 1, "what was typed along was asked again"
    if case.insert is None:
        assert out.items == []
        return
    (item,) = out.items
    assert item.insert_text == case.insert
    assert item.range is not None
    assert item.range.start.line == item.range.end.line
    columns = (item.range.start.character, item.range.end.character)
    assert columns == case.columns if case.columns else columns[0] == columns[1]
    assert case.after is not None
    assert out.accepted == case.document(case.after)
    assert out.undone == out.shown


def test_there_are_many_cases_and_no_two_have_one_name() -> None:
    assert len(CASES) >= 60
    assert len({name_of(case) for case in CASES}) == len(CASES)

"""What answers are held to: schemas of files, and syntax."""

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from protocol.capabilities import syntax_of
from protocol.constraint import JsonSchema, Syntax
from protocol.errors import ErrorCode, ProtocolError
from protocol.messages import Fill, ServerMessage
from tests.lsp.editor import play
from tests.lsp.jobs.desk import Desk, desk
from tests.lsp.jobs.engine import CAPS, Serving

SCHEMA = {"type": "object", "properties": {"port": {"type": "integer"}}}
JUDGING = (*CAPS, syntax_of("python"), syntax_of("lua"))
FREE = tuple(cap for cap in CAPS if not cap.startswith("constraint:"))

PYTHON = Syntax(language="python", scope="document", best_effort=True)
"""An answer that does not parse is still better than none."""


async def asked(it: Desk, served: Serving, path: Path, text: str, language: str) -> Fill:
    """The request that a fill of the placeholder makes."""
    it.endings.clear()
    it.open(str(path), text, language)
    made = await it.begin("retouch/fillHoles")
    assert len(made["holes"]) == 1
    await it.ended()
    fill = served.engine.asked(Fill)[-1]
    assert isinstance(fill, Fill)
    return fill


def logged(it: Desk) -> str:
    return "\n".join(message.message for message in it.client.log_messages)


def test_a_json_file_is_held_to_the_schema_it_names(served: Serving, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))

    async def scene() -> None:
        async with desk(served.folder) as it:
            text = '{"$schema": "./s.json", "port": <fill>}\n'
            fill = await asked(it, served, tmp_path / "a.json", text, "json")
            assert isinstance(fill.constraint, JsonSchema)
            assert json.loads(fill.constraint.schema) == SCHEMA
            assert fill.constraint.scope == "document"

    play(scene())


def test_settings_name_schemas_by_pattern(served: Serving, tmp_path: Path) -> None:
    options: dict[str, Any] = {"schemas": [{"pattern": "*.config.json", "schema": SCHEMA}]}

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            text = '{"port": <fill>}\n'
            fill = await asked(it, served, tmp_path / "a.config.json", text, "json")
            assert isinstance(fill.constraint, JsonSchema)

    play(scene())


def test_settings_tell_patterns_and_schemas_from_the_workspace(
    served: Serving, tmp_path: Path
) -> None:
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    rule = {"pattern": "conf/deep/*.json", "schema": "s.json"}

    async def scene() -> None:
        async with desk(served.folder, options={"schemas": [rule]}) as it:
            folder = types.WorkspaceFolder(tmp_path.as_uri(), "w")
            event = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
            it.client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(event)
            )
            path = tmp_path / "conf" / "deep" / "a.json"
            fill = await asked(it, served, path, '{"port": <fill>}\n', "json")
            assert isinstance(fill.constraint, JsonSchema)
            assert json.loads(fill.constraint.schema) == SCHEMA

    play(scene())


@pytest.mark.parametrize(
    ("language", "text"), [("yaml", "port: <fill>\n"), ("toml", "port = <fill>\n")]
)
def test_yaml_and_toml_are_judged_by_their_schema(
    served: Serving, tmp_path: Path, language: str, text: str
) -> None:
    options: dict[str, Any] = {"schemas": [{"pattern": f"*.{language}", "schema": SCHEMA}]}
    served.able(*CAPS, "constraint:syntax_schema")

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            fill = await asked(it, served, tmp_path / f"a.{language}", text, language)
            assert isinstance(fill.constraint, Syntax) and fill.constraint.schema is not None
            assert (fill.constraint.language, fill.constraint.best_effort) == (language, False)
            assert json.loads(fill.constraint.schema) == SCHEMA
            (file,) = fill.context
            assert json.loads(file.text) == SCHEMA

    play(scene())


def test_an_engine_that_can_not_judge_is_shown_the_schema(served: Serving, tmp_path: Path) -> None:
    options: dict[str, Any] = {"schemas": [{"pattern": "*.yaml", "schema": SCHEMA}]}

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            fill = await asked(it, served, tmp_path / "a.yaml", "port: <fill>\n", "yaml")
            assert not isinstance(fill.constraint, JsonSchema)
            assert len(fill.context) == 1
            assert "JSON Schema" in logged(it)

    play(scene())


def test_what_the_engine_can_not_do_is_left_out_and_told_once(
    served: Serving, tmp_path: Path
) -> None:
    served.able(*FREE)
    options: dict[str, Any] = {"schemas": [{"pattern": "*.json", "schema": SCHEMA}]}

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            fill = await asked(it, served, tmp_path / "a.json", '{"port": <fill>}', "json")
            assert fill.constraint is None
            it.replace(0, len(it.text), '{"port": <fill>}')
            await it.begin("retouch/fillHoles")
            await it.ended(2)
            assert logged(it).count("JSON Schema") == 1

    play(scene())


def test_schemas_that_can_not_be_used_are_told(served: Serving, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")

    async def scene() -> None:
        async with desk(served.folder) as it:
            for name in ("https://example.org/s.json", "missing.json", "bad.json", "."):
                text = f'{{"$schema": "{name}", "port": <fill>}}\n'
                fill = await asked(it, served, tmp_path / "a.json", text, "json")
                assert not isinstance(fill.constraint, JsonSchema)
            for part in ("not a local file", "no file of at most", "not JSON"):
                assert part in logged(it)

    play(scene())


def test_code_is_asked_to_parse_unless_that_is_switched_off(
    served: Serving, tmp_path: Path
) -> None:
    served.able(*JUDGING)

    async def scene() -> None:
        async with desk(served.folder) as it:
            fill = await asked(it, served, tmp_path / "a.py", "x = ___\n", "python")
            assert fill.constraint == PYTHON
            fill = await asked(it, served, tmp_path / "a.txt", "x <fill>\n", "plaintext")
            assert fill.constraint is None

    async def off() -> None:
        async with desk(served.folder, options={"syntax": False}) as it:
            fill = await asked(it, served, tmp_path / "a.py", "x = ___\n", "python")
            assert fill.constraint is None

    play(scene())
    play(off())


def test_an_engine_names_the_languages_it_checks(served: Serving, tmp_path: Path) -> None:
    served.able(*JUDGING)

    async def scene() -> None:
        async with desk(served.folder) as it:
            fill = await asked(it, served, tmp_path / "a.go", "x = ___\n", "go")
            assert fill.constraint is None
            fill = await asked(it, served, tmp_path / "a.lua", "x = ___\n", "lua")
            assert isinstance(fill.constraint, Syntax) and fill.constraint.language == "lua"

    play(scene())


def test_a_constraint_that_is_refused_is_dropped(served: Serving, tmp_path: Path) -> None:
    served.able(*JUDGING)
    taken = served.engine._take

    def refusing(message: Any) -> ServerMessage | None:
        if isinstance(message, Fill) and message.constraint is not None:
            raise ProtocolError("constraint_invalid", "not this one", "constraint")
        return taken(message)

    served.engine._take = refusing  # type: ignore[assignment, method-assign]

    async def scene() -> None:
        async with desk(served.folder) as it:
            fill = await asked(it, served, tmp_path / "a.py", "x = ___\n", "python")
            assert it.endings[0]["reason"] == "done" and fill.constraint is None
            assert it.text.value == "x = new text\n"
            assert "left free" in logged(it)

    play(scene())


def refuses(served: Serving, code: ErrorCode, kinds: tuple[type, ...]) -> None:
    """Make the engine turn down constraints of these kinds."""
    taken = served.engine._take

    def refusing(message: Any) -> ServerMessage | None:
        if isinstance(message, Fill) and isinstance(message.constraint, kinds):
            raise ProtocolError(code, "level: no level", "constraint")
        return taken(message)

    served.engine._take = refusing  # type: ignore[assignment, method-assign]


def test_a_json_document_that_can_not_fit_is_judged_instead(
    served: Serving, tmp_path: Path
) -> None:
    served.able(*CAPS, "constraint:syntax_schema")
    refuses(served, "constraint_unsatisfiable", (JsonSchema,))
    options: dict[str, Any] = {"schemas": [{"pattern": "*.json", "schema": SCHEMA}]}

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            text = '{"port": <fill>}\n'
            fill = await asked(it, served, tmp_path / "a.json", text, "json")
            assert it.endings[0]["reason"] == "done"
            assert isinstance(fill.constraint, Syntax) and fill.constraint.language == "json"

    play(scene())


def test_no_answer_is_better_than_one_that_breaks_the_schema(
    served: Serving, tmp_path: Path
) -> None:
    served.able(*CAPS, "constraint:syntax_schema")
    refuses(served, "constraint_unsatisfiable", (Syntax,))
    options: dict[str, Any] = {"schemas": [{"pattern": "*.yaml", "schema": SCHEMA}]}

    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            await asked(it, served, tmp_path / "a.yaml", "port: <fill>\n", "yaml")
            assert it.endings[0]["reason"] == "failed"
            assert "level: no level" in it.endings[0]["message"]
            assert it.text.value == "port: <fill>\n"

    play(scene())

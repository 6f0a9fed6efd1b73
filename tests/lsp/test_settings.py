"""Settings: bounds, and one wrong setting that costs itself alone."""

from lsp_server.settings import Settings, read_settings


def read(raw: object) -> tuple[Settings, list[str]]:
    said: list[str] = []
    return read_settings(raw, said.append), said


def test_settings_are_read() -> None:
    settings, said = read(
        {
            "debounceMs": 10,
            "languages": {"*": False, "python": True},
            "server": {"port": 7737},
            "schemas": [{"pattern": "*.json", "schema": {"type": "object"}}],
        }
    )
    assert not said
    assert (settings.debounce_ms, settings.server.port) == (10, 7737)
    assert settings.has_language("python") and not settings.has_language("markdown")
    assert settings.schemas[0].schema == {"type": "object"}


def test_a_wrong_setting_keeps_its_default_and_the_others_count() -> None:
    settings, said = read({"fps": 0, "maxLines": "many", "timeoutMs": 900, "stepz": 3})
    assert (settings.fps, settings.max_lines, settings.timeout_ms) == (12, 12, 900)
    assert len(said) == 3 and "stepz" in said[2]


def test_a_workspace_cant_send_the_text_elsewhere() -> None:
    settings, said = read({"server": {"host": "evil.example", "port": 80}})
    assert settings.server == Settings().server
    assert len(said) == 1


def test_settings_that_are_no_object_are_the_defaults() -> None:
    assert read([1]) == (Settings(), ["The settings are not an object; the defaults are used."])
    assert read(None) == (Settings(), [])

"""Settings: sources, precedence, and what is refused."""

from pathlib import Path

import msgspec
import pytest

from clients.cli.errors import BadInput
from clients.cli.settings import Settings, table
from clients.cli.settings_sources import config_path, resolve
from protocol.messages import Fill, Sampling


def with_file(tmp_path: Path, text: str, **environ: str) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return {"RETOUCH_CONFIG": str(path), **environ}


def test_flag_then_environment_then_file_then_default(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "seed = 1\nsteps = 2\ntop_p = 0.5\n", RETOUCH_SEED="3")
    environ["RETOUCH_STEPS"] = "4"
    found = resolve({"seed": "5", "steps": None}, environ)
    settings = found.settings
    assert (settings.seed, settings.steps, settings.top_p, settings.threshold) == (5, 4, 0.5, 0.9)
    names = ("seed", "steps", "top_p", "threshold")
    assert [found.origins[name] for name in names] == ["--seed", "RETOUCH_STEPS", "file", "default"]


def test_no_color_is_heard_and_can_be_overruled(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "color = 'always'\n", NO_COLOR="1")
    assert resolve({}, environ).settings.color == "never"
    assert resolve({}, {**environ, "RETOUCH_COLOR": "always"}).settings.color == "always"
    assert resolve({}, {**environ, "NO_COLOR": ""}).settings.color == "always"


def test_switches_from_the_environment(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "", RETOUCH_REDUCED_MOTION="1", RETOUCH_LIVE="false")
    settings = resolve({}, environ).settings
    assert settings.reduced_motion and not settings.live


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sed = 1", "unknown setting sed; did you mean seed?"),
        ("treshold = 1", "did you mean threshold?"),
        ("[sampling]\nseed = 1", "unknown setting sampling"),
        ("seed = -1", "config.toml: seed: Expected int >= 0"),
        ("seed = '1'\nsteps = 0", "steps: Expected int >= 1"),
        ("policy = 'magic'", "Invalid enum value 'magic'"),
        ("live = 1", "Expected bool"),
        ("seed = [1]", "Expected int"),
        ("seed = ", "not valid TOML"),
        ("x = '" + "a" * 300_000 + "'", "larger than"),
    ],
)
def test_a_bad_file_is_explained(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        resolve({}, with_file(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "value"),
    [("SEED", "x"), ("STEPS", "1.5"), ("TOP_P", "0"), ("LIVE", "maybe"), ("DEVICE", "toaster")],
)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(BadInput, match=f"RETOUCH_{name}: "):
        resolve({}, with_file(tmp_path, "", **{f"RETOUCH_{name}": value}))


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        resolve({}, {"RETOUCH_CONFIG": str(tmp_path / "none.toml")})
    with pytest.raises(BadInput, match="can't be read"):
        resolve({}, {"RETOUCH_CONFIG": str(tmp_path)})


def test_the_users_file_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", lambda _: tmp_path)
    assert config_path({}) == tmp_path / "config.toml"
    assert resolve({}, {}).settings == Settings()


def test_bounds_are_those_of_the_protocol() -> None:
    rows = {row.name: row for row in table()}
    names = {"steps", "threshold", "temperature", "top_p", "seed"}
    for field in msgspec.structs.fields(Sampling):
        if field.name in names:
            for value in (-1, 0, 1, 0.5, 5, 6, 1024, 1025, 2**63):
                assert _fits(field.type, value) == _fits(rows[field.name].type, value), field.name
    assert Fill("x", "", "").sampling == Sampling()


def _fits(kind: object, value: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True

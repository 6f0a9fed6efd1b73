"""The doctor: facts from fixed texts, a whole and a broken model folder, advice that fits."""

import json
import os
import shutil
import struct
from pathlib import Path

import msgspec
import pytest

from clients.cli.doctor import model_folder, slow
from clients.cli.machine import Machine, features, machine, physical_cores
from clients.cli.model_files import inspect_model
from clients.cli.settings import Settings
from clients.cli.torch_facts import Torch, torch_facts
from tests.clients.cli.harness import Cli

CPUINFO = (
    "processor\t: {n}\nmodel name\t: Some CPU\nphysical id\t: 0\ncore id\t\t: {core}\n"
    "flags\t\t: fpu avx2 avx512f avx512_bf16 amx_bf16 avx512_vnni\n\n"
)
PC = Machine("Linux", "x86_64", "CPU", 8, 4, 0.0, ("avx2", "avx512_bf16"), 16 << 30, 8 << 30)
CPU_TORCH = Torch("2.13", "CPU build", "AVX512", ())


def shard(path: Path, extra: bytes = b"") -> None:
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(8) + extra)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole model folder of two shards."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    weights = {"a": "base-1.safetensors", "b": "base-2.safetensors"}
    (folder / "base.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    shard(folder / "base-1.safetensors")
    shard(folder / "base-2.safetensors")
    return folder


def test_processors_and_features_of_a_linux_machine() -> None:
    text = "".join(CPUINFO.format(n=n, core=n // 2) for n in range(4))
    assert physical_cores(text) == 2
    assert features(text) == ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16")
    assert physical_cores("processor : 0\nFeatures : asimd bf16 i8mm\n") is None
    assert features("processor : 0\nFeatures : asimd bf16 i8mm\n") == ("asimd", "bf16", "i8mm")


def test_this_machine_has_a_core() -> None:
    here = machine()
    assert here.logical_cores >= here.free_cores >= 1


def test_a_whole_model(folder: Path) -> None:
    found = inspect_model(folder)
    assert found.problems == ()
    assert {file.name: file.size for file in found.files}["config.json"] == 2


def test_what_is_missing_or_broken_is_named(folder: Path) -> None:
    (folder / "base-2.safetensors").unlink()
    (folder / "tokenizer.json").unlink()
    shard(folder / "base-1.safetensors", extra=b"x")
    assert set(inspect_model(folder).problems) == {
        "base-2.safetensors: missing",
        "tokenizer.json: missing",
        "base-1.safetensors: is 71 bytes long instead of 70; fetch the file again",
    }


@pytest.mark.parametrize(
    "data",
    [b"", b"short", struct.pack("<Q", 2**63) + b"{}", struct.pack("<Q", 9) + b'{"a":"b"}'],
)
def test_a_damaged_shard(folder: Path, data: bytes) -> None:
    (folder / "base-1.safetensors").write_bytes(data)
    assert any("base-1.safetensors" in problem for problem in inspect_model(folder).problems)


@pytest.mark.parametrize("text", ["[]", "{", '{"weight_map": 3}'])
def test_a_damaged_index(folder: Path, text: str) -> None:
    (folder / "base.safetensors.index.json").write_text(text)
    assert any("unreadable" in problem for problem in inspect_model(folder).problems)


def test_an_index_can_not_point_outside(folder: Path) -> None:
    weights = {"a": "../../secret.safetensors"}
    (folder / "base.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    assert inspect_model(folder).problems == ()
    assert not [file for file in inspect_model(folder).files if "secret" in file.name]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "no .safetensors file" in inspect_model(tmp_path / "none").problems


@pytest.mark.parametrize(
    ("change", "settings", "words"),
    [
        ({"features": ("avx2",)}, Settings(), "no bfloat16"),
        ({"features": ("bf16",)}, Settings(), "no wide vector"),
        ({"load": 2.0}, Settings(), "only 2 of 4 cores"),
        ({}, Settings(threads=64), "threads is 64"),
        ({"logical_cores": 1}, Settings(threads=2), "there are 1 cores"),
        ({}, Settings(dtype="float32"), "faster with bfloat16"),
        ({"memory_free": 1 << 30}, Settings(), "1.0 GiB"),
    ],
)
def test_advice(change: dict[str, object], settings: Settings, words: str) -> None:
    here = msgspec.structs.replace(PC, **change)
    assert [line for line in slow(here, CPU_TORCH, settings) if words in line]


def test_no_advice_where_nothing_is_slow() -> None:
    assert list(slow(PC, CPU_TORCH, Settings())) == []
    confined = msgspec.structs.replace(PC, logical_cores=1)
    assert list(slow(confined, CPU_TORCH, Settings())) == [], "nobody else keeps cores busy"
    gpu = msgspec.structs.replace(CPU_TORCH, gpus=("GPU",))
    assert list(slow(msgspec.structs.replace(PC, features=("avx2",)), gpu, Settings())) == []
    assert list(slow(PC, gpu, Settings(device="cpu"))) == [
        "a GPU is there, but the device setting is cpu: set it to auto"
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("import no_such_torch", "No module named 'no_such_torch'"),
        ("import os; os.abort()", "ended with status"),
        ("print()", "gave no answer"),
        ("print('[]')", "gave no answer"),
    ],
)
def test_a_torch_that_does_not_work(question: str, words: str) -> None:
    assert words in (torch_facts(question).problem or "")


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there(
    cli: Cli, folder: Path, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clients.cli.doctor.torch_facts", lambda: CPU_TORCH)
    assert cli.run("doctor", "--model", str(folder), "--device", device) == 3
    assert f"Problem     the device setting is {device}" in cli.out.decode()
    monkeypatch.setattr("clients.cli.doctor.torch_facts", lambda: Torch(gpus=("GPU",), mps=True))
    assert cli.run("doctor", "--model", str(folder), "--device", device) == 0


@pytest.mark.parametrize("name", ["x" * 300, os.fsdecode(b"caf\xe9")])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_odd_name_of_a_model_folder(
    cli: Cli, name: str, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clients.cli.doctor.torch_facts", lambda: CPU_TORCH)
    assert cli.run("doctor", "--model", name, *form) == 3
    assert "config.json: missing" in cli.out.decode()


def test_a_home_that_is_not_known(cli: Cli) -> None:
    assert cli.run("doctor", "--model", "~no-such-person/model") == 2
    assert "no such home folder" in cli.err


def test_the_command(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.run("doctor", "--model", str(folder)) == 0
    said = cli.out.decode()
    for word in ("Python", "torch", "Cores", "base-1.safetensors", "config.toml", "retouch.log"):
        assert word in said
    shutil.rmtree(folder)
    monkeypatch.setattr("clients.cli.doctor.torch_facts", lambda: CPU_TORCH)
    assert cli.run("doctor", "--model", str(folder), "--json") == 3
    found = json.loads(cli.out)
    assert found["model"]["folder"] == str(folder)
    assert "config.json: missing" in found["problems"]


def test_the_model_in_the_package_is_whole() -> None:
    assert inspect_model(model_folder(Settings())).problems == ()
    assert model_folder(Settings(model="/elsewhere")) == Path("/elsewhere")

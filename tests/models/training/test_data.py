"""What gets into the training data and what does not."""

import json
import random
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.archives import Package, read_archive
from models.training.card import write_card
from models.training.data import Tally, benchmark_texts, kept_files, stated_packages
from models.training.filters import language_of, refusal
from models.training.near import NearDuplicates
from models.training.overlap import WINDOW, Overlap, normalised, windows
from models.training.shards import Document, Manifest, Shard, write_shard
from tests.bench.fill.heldout import WHEELS
from tests.models.training.conftest import source

BANNED = "# A sentence that stands in a benchmark, word for word, and is long.\n"
SCRIPT = "\n".join(
    f"export const field{n} = (left, right) => left * {n} + right;" for n in range(9)
)


@given(st.text(alphabet="ab \n", max_size=200), st.text(alphabet="ab \n", max_size=200))
def test_overlap_is_exactly_a_shared_window(banned: str, text: str) -> None:
    a, b = normalised(banned), normalised(text)
    parts = {a[i : i + WINDOW] for i in range(len(a) - WINDOW + 1)}
    shared = any(b[i : i + WINDOW] in parts for i in range(len(b) - WINDOW + 1))
    assert Overlap([banned]).touches(text) == shared


def test_a_window_is_found_wherever_it_stands() -> None:
    text = source(1)
    assert len(windows(text)) == len(normalised(text)) - WINDOW + 1
    banned = Overlap(["x" * 30 + text[300:400] + "y" * 30])
    assert banned.touches(text)
    assert banned.touches(text.upper().replace("\n", "\n\n  "))
    assert not banned.touches(text[:300])


def test_near_duplicates_are_seen_and_others_are_not() -> None:
    near, text = NearDuplicates(), source(1) * 3
    assert not near.add(text)
    assert near.add(text.replace("load_3", "fetch_3"))
    assert not near.add("completely different words stand in this text " * 3 + source(2)[:40])


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "Python"),
        ("a/_vendor/b.py", None),
        ("x.min.js", None),
        ("a/b.tsx", "TypeScript"),
        ("a.bin", None),
    ],
)
def test_languages(path: str, language: str | None) -> None:
    assert language_of(path) == language


def test_refusals() -> None:
    code = source(1)
    assert refusal(code) is None
    assert refusal("x = 1") == "short"
    assert refusal(code + "y" * 400) == "long lines"
    assert refusal("# This file is auto-generated\n" + code) == "generated"
    assert refusal(code + 'KEY = "AKIA' + "A1B2" * 4 + '"\n') == "secret"
    assert refusal("NAMES = [\n" + '    "some name",\n' * 60 + "]\n") == "data"


def _wheel(folder: Path, name: str, licence: str, files: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nLicense: {licence}\n\nx")
        for path, text in files.items():
            archive.writestr(path, text)


def test_only_permissive_unique_clean_files_are_kept(tmp_path: Path) -> None:
    _wheel(
        tmp_path,
        "good",
        "MIT",
        {"good/a.py": source(1), "good/b.py": source(1), "good/c.py": source(2) + BANNED},
    )
    _wheel(tmp_path, "copyleft", "GPL-3.0", {"copyleft/a.py": source(3)})
    data = json.dumps({"name": "web", "version": "2.0.0", "license": "ISC"}).encode()
    with tarfile.open(tmp_path / "web-2.0.0.tgz", "w:gz") as archive:
        for path, content in (
            ("package/package.json", data),
            ("package/lib/a.js", SCRIPT.encode()),
        ):
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
    tally = Tally()
    kept = kept_files(tmp_path, Overlap([BANNED]), tally)
    assert sorted(f.path for f in kept) in (
        ["good/a.py", "web/lib/a.js"],
        ["good/b.py", "web/lib/a.js"],
    )
    assert [p.name for p in tally.refused] == ["copyleft"]
    assert tally.dropped["overlap"] == 1
    assert tally.packages["web"] == Package("web", "2.0.0", "ISC")
    with pytest.raises(ValueError, match="neither a wheel"):
        read_archive(tmp_path / "x.zip")


def test_benchmark_texts_include_decoded_strings(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"code": ["line one\nline two"]}) + "\n")
    assert "line one\nline two" in list(benchmark_texts(tmp_path))


def test_stated_packages_are_few_and_some_are_held_out() -> None:
    stated = stated_packages()
    assert len(stated) <= 160
    assert len({(registry, name) for registry, name, _ in stated}) == len(stated)
    assert 5 <= sum(held for _, _, held in stated) <= 30


def test_every_package_that_is_measured_on_is_held_out() -> None:
    held = {name.replace("-", "_") for registry, name, aside in stated_packages() if aside}
    assert {wheel.partition("==")[0].replace("-", "_") for wheel in WHEELS} <= held


def test_the_card_says_which_files_of_its_tables_no_shard_has(tmp_path: Path) -> None:
    tally = Tally()
    tally.files[("train", "Python", "MIT")] = 2
    tally.files[("train", "C", "BSD")] = tally.files[("held", "Python", "MIT")] = 1
    shards = {
        "train": Manifest(["a"], ["Python"], ["a/x.py"], 100, "00"),
        "held": Manifest(["b"], ["Python"], ["b/x.py"], 70, "11"),
    }
    write_card(tmp_path / "DATA.md", {}, tally, shards)
    lines = (tmp_path / "DATA.md").read_text().split("\n")
    short = "(the tables count 2 more, too short for a shard)"
    assert f"- `train`: 100 tokens, 1 files {short}, sha256 `00`" in lines
    assert "- `held`: 70 tokens, 1 files, sha256 `11`" in lines


def test_shards_give_back_what_was_written(tmp_path: Path) -> None:
    rng = random.Random(0)
    documents = [
        Document([rng.randrange(49_152) for _ in range(50 + n)], f"p{n // 2}", "Python", f"{n}.py")
        for n in range(5)
    ]
    write_shard(tmp_path, documents)
    shard = Shard(tmp_path)
    assert [shard.ids(n) for n in range(5)] == [d.ids for d in documents]
    assert shard.ids(3, 10, 20) == documents[3].ids[10:20]
    assert (shard.neighbour(0, 1), shard.neighbour(1, 1), shard.neighbour(4, 1)) == (1, None, None)
    (tmp_path / "tokens.bin").write_bytes(b"")
    with pytest.raises(ValueError):
        Shard(tmp_path)

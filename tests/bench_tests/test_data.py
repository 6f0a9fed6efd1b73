"""The page of the benchmarks says where what they read comes from."""

import pytest

from tests.bench.common.provenance import ROOT
from tests.bench.constraints import suites
from tests.bench.edit.data import FILE
from tests.bench.fill.data import FILES
from tests.bench.fill.data import FOLDER as DATA
from tests.bench.revision.data import HUMANEVAL, MBPP

PAGE = (ROOT / "tests" / "bench" / "README.md").read_text("utf-8")
SUITES = ("test_suite", "maskbench_300")
READ = [
    *FILES.values(),
    HUMANEVAL,
    MBPP,
    str(FILE.relative_to(DATA)),
    *(f"{(suites.DATA / name).relative_to(DATA)}/" for name in SUITES),
]


@pytest.mark.parametrize("name", READ)
def test_the_page_names_every_file_that_is_read(name: str) -> None:
    assert f"| `{name}` |" in PAGE

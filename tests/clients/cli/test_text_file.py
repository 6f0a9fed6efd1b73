"""Reading files: encodings, and every refusal."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.cli.document import Document
from clients.cli.errors import BadInput
from clients.cli.text_file import SIZE_LIMIT, Source, read_source

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


def read(data: bytes) -> Source:
    return read_source("-", io.BytesIO(data))


def encoded(text: str, encoding: str) -> bytes:
    boms = {"utf-8": b"", "utf-8-sig": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    return boms[encoding] + text.encode(encoding)


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]), st.data(), TEXTS)
def test_bytes_outside_the_hole_stay(
    text: str, encoding: str, data: st.DataObject, answer: str
) -> None:
    original = encoded("." + text, encoding)
    source = read(original)
    document = Document.of(source.text)
    start = data.draw(st.integers(0, len(document.text)))
    end = data.draw(st.integers(start, len(document.text)))
    edit = document.edit(start, end, answer)
    result = source.edited(edit)
    head = len(source.bom) + len(source.text[: edit.start].encode(source.encoding))
    tail = len(source.text[edit.end :].encode(source.encoding))
    assert result[:head] == original[:head]
    assert result[len(result) - tail :] == original[len(original) - tail :]
    again = read(result).text
    assert again == source.text[: edit.start] + edit.text + source.text[edit.end :]


def test_a_link_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_text("x")
    (tmp_path / "link.py").symlink_to(real)
    assert read_source(str(tmp_path / "link.py"), io.BytesIO()).path == real.resolve()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a\0b", "binary file .*offset 1"),
        (b"\xff\xfea\0\0\0", "binary file"),
        (b"abc\xe9def", "byte 0xE9 at offset 3 is not UTF-8"),
        (b"\xef\xbb\xbfabc\xff", "offset 6 is not UTF-8"),
        (b"\xff\xfea\0\0\xd8", "is not UTF-16"),
        (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
        (b"a" * (SIZE_LIMIT + 1), "larger than 4 MiB"),
    ],
)
def test_what_is_no_source_text_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read(data)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in (
        (tmp_path / "none.py", "no such file"),
        (tmp_path, "is a directory"),
        (Path("/dev/null"), "not a regular file"),
        (tmp_path / "loop", "can't be read"),
        (tmp_path / ("x" * 5000), "can't be read"),
    ):
        with pytest.raises(BadInput, match=words):
            read_source(str(name), io.BytesIO())
    with pytest.raises(BadInput, match="can't be read"):
        read_source("a\0b", io.BytesIO())


def test_no_permission_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.py"
    path.write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BadInput, match="no permission to read"):
        read_source(str(path), io.BytesIO())

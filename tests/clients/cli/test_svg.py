"""The film: valid, self-contained, bounded, true to its frames."""

import re
from xml.etree import ElementTree

from clients.cli.rows import Row, row
from clients.cli.svg import SIZE_LIMIT, Frame, animated

SVG = "{http://www.w3.org/2000/svg}"


def frame(seconds: float, *texts: str) -> Frame:
    return Frame(seconds, tuple(row(text) for text in texts))


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(item.itertext()) for item in root.iter(f"{SVG}text")]


def test_rows_that_stand_are_drawn_once() -> None:
    svg = animated([frame(0, "same", "\u2592"), frame(1, "same", "x")], "demo", 40)
    assert texts(svg) == ["demo", "same", "\u2592", "x"]
    assert svg.count("@keyframes") == 2


def test_the_time_is_the_runs_own() -> None:
    svg = animated([frame(10, "a"), frame(11, "b"), frame(14, "c")], "demo", 40)
    assert "8.000s step-end infinite" in svg  # 4 s of frames and a pause of 4
    assert re.search(r"12\.5000%\{visibility:visible\}", svg)
    assert re.search(r"50\.0000%\{visibility:visible\}", svg)


def test_text_is_text() -> None:
    svg = animated([frame(0, '<script>&"\x1b')], "a < b", 40)
    assert texts(svg) == ["a < b", '<script>&"\\x1b']
    assert "http" not in svg.replace("http://www.w3.org", "")


def test_those_who_want_no_motion_see_the_last_frame() -> None:
    svg = animated([frame(0, "a"), frame(1, "b")], "demo", 40)
    assert "prefers-reduced-motion" in svg and "display:none" in svg


def test_a_long_film_is_thinned_and_keeps_its_end() -> None:
    frames = [frame(n / 30, *(f"{n} {line} {'x' * 60}" for line in range(20))) for n in range(400)]
    svg = animated(frames, "demo", 90)
    assert len(svg) <= SIZE_LIMIT
    assert f"399 19 {'x' * 60}" in svg


def test_wide_characters_take_two_cells() -> None:
    styled: Row = (("\u4e2d", "mask"), ("x", "fresh"))
    svg = animated([Frame(0, (styled,))], "demo", 40)
    places = re.findall(r'x="([\d.]+)" y="[\d.]+" xml:space', svg)
    assert float(places[1]) - float(places[0]) == 16.8

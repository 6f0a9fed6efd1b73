"""The maker of the picture in the plugin's README shows what is on the screen, in its colours."""

from xml.etree import ElementTree

import pytest

from tests.clients.nvim.editor import PLUGIN, Editor, span
from tests.clients.nvim.frames import MASK, frame, job, line
from tests.clients.nvim.picture import Screen, svg

pytestmark = pytest.mark.nvim

NAME = "{http://www.w3.org/2000/svg}text"


def test_letters_and_colours(editor: Editor) -> None:
    screen = Screen(editor)
    editor.setup()
    job(editor, "def f():\n    return old\n", "2Retouch rewrite")
    shown = line(f"    return {MASK}{MASK} new", new=[[14, 17]])
    frame(editor, span(1, 0, 1, 14), shown)
    drawing = svg([screen.shoot("a <shot>", 3)], "two")
    texts = {node.text: node.attrib for node in ElementTree.fromstring(drawing).iter(NAME)}
    assert "a <shot>" in texts
    assert texts[MASK * 2]["fill"] == "#4f8fd9"
    assert texts["new"]["fill"] == "#7ee08a"
    assert texts["new"]["font-weight"] == "bold"
    places = [float(texts[text]["x"]) for text in (MASK * 2, "new")]
    assert places[1] - places[0] == pytest.approx(3 * 8.4)


def test_the_stored_picture_is_small_and_has_masks() -> None:
    drawing = (PLUGIN / "canvas.svg").read_text()
    assert len(drawing.encode()) < 200_000
    assert any(MASK in (node.text or "") for node in ElementTree.fromstring(drawing).iter(NAME))

"""The page's files: all there, all known, and packed where that is worth it."""

import gzip
import json
from importlib import resources
from pathlib import Path

from server.web.assets import CONSTANTS, KINDS, LATER, UNSENT, read_assets
from server.web.constants import constants
from server.web.reply import Body
from shared.games import RULES


def files(package: str, folder: str) -> set[str]:
    """Return the files in a folder that is part of the program."""
    with resources.as_file(resources.files(package) / folder) as place:
        return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}


def test_files_of_the_page_are_known() -> None:
    """Every file of the page and of the languages has a kind and a tag, and none is left out."""
    assets = read_assets()
    page = {f"/{path}" for path in files("client", "web")}
    texts = {f"/locales/{path}" for path in files("shared", "locales")}
    parts = {f"/locales/{part}/{path}" for part in LATER for path in files("shared", "locales") if "/" not in path}
    assert set(assets) == page | texts | parts | {CONSTANTS}
    assert all(asset.kind in KINDS.values() and asset.tag for asset in assets.values())


def test_module_of_constants_is_made_and_packed() -> None:
    """What is declared is served as a file of the page is, though it lies in none."""
    module = constants(RULES.values()).encode()
    assert read_assets()["/protocol.js"] == Body.kept(module, KINDS[".js"]).pack()
    assert not files("client", "web") & {"protocol.js"}


def test_each_text_is_sent_in_one_part() -> None:
    """What the parts of a language hold is what its file holds, but for what only commands say."""
    assets = read_assets()
    whole = json.loads((resources.files("shared") / "locales" / "ru.json").read_bytes())
    sent: dict[str, dict[str, str]] = {}
    for path in ("/locales/ru.json", *(f"/locales/{part}/ru.json" for part in LATER)):
        groups = json.loads(assets[path].content)
        assert not set(sent) & set(groups)
        sent |= groups
    assert sent == {name: texts for name, texts in whole.items() if name not in UNSENT}


def test_texts_are_packed(tmp_path: Path) -> None:
    """What gets smaller by it is packed once, pictures and a few bytes are not; each time to the same bytes."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "long.js").write_text("export const nothing = 0;\n" * 50)
    (tmp_path / "short.js").write_text("0")
    assets = read_assets(tmp_path)
    assert gzip.decompress(assets["/in/long.js"].packed or b"") == assets["/in/long.js"].content
    assert assets["/in/long.js"] == read_assets(tmp_path)["/in/long.js"]
    assert assets["/short.js"] == Body.kept(b"0", KINDS[".js"])

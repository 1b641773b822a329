"""Scripts and styles of a page in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from pbem.web.page import ASSETS, BundleError, bundle_modules, json_script, page_assets

ENTRIES = sorted(path.name for path in ASSETS.glob("*.js"))


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_module_can_be_put_into_one_file(entry: str) -> None:
    """A bundle has no imports, exports or comments."""
    script = bundle_modules(entry)

    assert not re.search(r"^(import|export)\b|^\s*/\*\*$", script, re.MULTILINE)


def test_imported_modules_come_first() -> None:
    """A module's own code follows that of the modules it uses, each written once."""
    script = bundle_modules("map.js")

    assert script.count("function make(") == 1
    assert script.index("function make(") < script.index("class LiveMap")


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        (
            {"a.js": 'import { b } from "./b.js";\nconst c = b;\n', "b.js": "const c = 1;\n"},
            "c stands at the top of two",
        ),
        ({"a.js": 'import { b as c } from "./b.js";\n', "b.js": ""}, "b as c"),
        ({"a.js": "export default 1;\n"}, "export default"),
        ({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}, "imports itself"),
        ({"a.js": 'const end = "</script>";\n'}, "</script"),
    ],
)
def test_a_module_that_cannot_be_bundled_is_told(modules: dict[str, str], says: str, tmp_path: Path) -> None:
    """The error names the line that has to be written otherwise."""
    for name, code in modules.items():
        (tmp_path / name).write_text(code)

    with pytest.raises(BundleError, match=re.escape(says)):
        bundle_modules("a.js", tmp_path)


def test_the_policy_knows_script_and_styles_by_their_hashes() -> None:
    """Other scripts and styles in a page are not allowed by its policy."""
    worn = page_assets("base.css", script="map.js")
    written = re.findall(
        r"<(?:style|script type=\"module\")>(.*?)</(?:style|script)>", worn.head + worn.foot, re.DOTALL
    )
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in written]

    assert len(hashes) == 2
    assert re.findall(r"'sha256-([^']+)'", worn.policy) == hashes


def test_data_cannot_leave_their_island() -> None:
    """Text of players is in a page's data as it is, and ends no element of it."""
    data = {"text": "</script><script>alert(1)</script><!-- & \u2028"}
    written = json_script("view", data)

    assert re.fullmatch(r'<script type="application/json" id="view">[^<>]*</script>', written)
    assert json.loads(written.partition(">")[2].rpartition("<")[0]) == data

"""The HTML of mails inside a page."""

from __future__ import annotations

import pytest

from pbem.web.sanitize import sanitize_html


def body(html: str) -> str:
    """Return the sanitized <main> of a mail."""
    return str(sanitize_html(f"<html><body><main>{html}</main></body></html>", {"map.1": "<div>the map</div>"}).body)


def test_styles_become_classes() -> None:
    """Inline styles, which a page's policy forbids, become classes; equal ones are one class."""
    found = sanitize_html(
        '<main><p style="margin:0">a</p><b style="color:red">b</b><p style="margin:0">c</p></main>', {}
    )

    assert found.body == '<p class="m0">a</p><b class="m1">b</b><p class="m0">c</p>'
    assert found.style == ".m0 { margin:0 }\n.m1 { color:red }"


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<script>alert(1)</script>a", "a"),
        ("<img src=x onerror=alert(1)>a", "a"),
        ('<p onclick="alert(1)" id="line">a</p>', "<p>a</p>"),
        ('<a href="javascript:alert(1)">a</a>', "<a>a</a>"),
        ('<p style="background:url(https://example.org/x)">a</p>', "<p>a</p>"),
        ('<p style="}</style><script>">a</p>', "<p>a</p>"),
        ("<iframe src=x>b</iframe><form action=x><input name=y>a</form>", "a"),
        ("<svg><script>1</script></svg>&lt;script&gt;a", "&lt;script&gt;a"),
        ('<p title="&quot; onclick=&quot;x">a</p>', '<p title="&quot; onclick=&quot;x">a</p>'),
        ('<base href="https://example.org/"><meta http-equiv="refresh" content="0">a', "a"),
    ],
)
def test_harmful_html_is_left_out(html: str, kept: str) -> None:
    """Only elements, attributes and styles that reports need stay, as a GM may have written the template."""
    assert body(html) == kept


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ('<a href="https://example.org/?a=1&amp;b=2">a</a>',
         '<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener">a</a>'),
        ("<table cellpadding=3><tr><td align=right>1<br>2</table>",
         '<table cellpadding="3"><tr><td align="right">1<br>2</td></tr></table>'),
        ("<p>open <b>still", "<p>open <b>still</b></p>"),
        ("a</p></div>b &amp; c", "ab &amp; c"),
    ],
)  # fmt: skip
def test_html_that_reports_need_stays(html: str, kept: str) -> None:
    """Links, tables and texts stay as they were; open elements are closed."""
    assert body(html) == kept


def test_a_picture_becomes_what_the_page_has_of_it() -> None:
    """A picture is put beside paragraphs, not into one; without the picture its text stays."""
    assert body('<p><img src="cid:map.1" alt="a map"></p>') == "<div>the map</div>"
    assert body('<p><img src="cid:map.2" alt="a <map>"></p>') == "<p>[a &lt;map&gt;]</p>"


def test_html_outside_of_main_is_left_out() -> None:
    """Only the mail's <main> stays; in templates without one, the body."""
    assert sanitize_html("<head><title>t</title></head><body>x<main>a</main>y</body>", {}).body == "a"
    assert (
        sanitize_html("<head><title>t</title></head><body>a <p>template of old</body>", {}).body
        == "a <p>template of old</p>"
    )

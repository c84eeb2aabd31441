"""The table in the browser, before a browser sees it: which request gets what, and what a browser may do with it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_server.net.web.http import Page, response_of, takes_gzip
from dicegames_server.net.web.landing_page import PageRequest, landing_page
from dicegames_server.net.web.origins import may_connect
from dicegames_server.net.web.static_files import FOREVER, KINDS, static_files
from dicegames_server.net.web.table_page import table_page

WEB = Path(__file__).parents[3] / "client" / "dicegames_web"
HERE = ("192.168.1.23:8765",)
STATIC = static_files()


def page(
    path: str, method: str = "GET", hosts: tuple[str, ...] = HERE, *, encrypted: bool = False, nodes: bool = False
) -> Page:
    return table_page(PageRequest(method, path, hosts, encrypted), STATIC, nodes=nodes)


@pytest.mark.parametrize(
    "path", ["/", "/KQ7M", "/kq7m", "/r/KQ7M", "/n/2/r/KQ7M", "/KQ7M/", "/KQ7M-2PXT", "/?from=chat"]
)
def test_a_room_and_the_list_get_the_page(path: str) -> None:
    assert page(path).text == STATIC.index
    assert page(path, "HEAD").text == STATIC.index


def test_it_is_the_same_for_everybody() -> None:
    """Nothing of a request is on it, so nothing needs to be escaped, and nobody learns whether a room exists."""
    assert len({page(path, hosts=(host,)).text for path in ("/", "/KQ7M") for host in ("a.example", "[::1]:8765")}) == 1
    assert "{" not in STATIC.index


@pytest.mark.parametrize(
    ("path", "method", "hosts"),
    [
        ("/KQ7M?terminal", "GET", HERE),
        ("/?terminal", "GET", HERE),
        ("/favicon.ico", "GET", HERE),
        ("/KQ7M", "POST", HERE),
        ("/KQ7M", "GET", ("<script>",)),
        ("/KQ7M", "GET", ()),
    ],
)
def test_everything_else_gets_what_it_got_before(path: str, method: str, hosts: tuple[str, ...]) -> None:
    assert page(path, method, hosts) == landing_page(PageRequest(method, path, hosts), playable=True)
    if hosts == HERE and method == "GET":
        assert '<a href="?">Play in this browser.</a>' in page(path).text


@pytest.mark.parametrize("path", ["/HELLO", "/KQ7", "/r/IO01", "/kq7m2pxt4"])
def test_a_mistyped_code_gets_the_page_which_says_so(path: str) -> None:
    assert (page(path).status, page(path).text) == (404, STATIC.index)


def test_every_file_of_the_page_is_served_and_no_other() -> None:
    there = {str(file.relative_to(WEB)) for file in WEB.rglob("*") if file.suffix in KINDS}
    assert there == set(STATIC.pages) and "guest/witness.js" in there
    for name in there:
        for before in ("", "/r", "/n/2", "/KQ7M"):
            found = page(f"{before}/web/{STATIC.version}/{name}")
            assert found.text == (WEB / name).read_text()
            assert found.headers["Cache-Control"] == FOREVER
            assert found.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_stays_small() -> None:
    """60 KB on the wire. The files themselves are readable, so they are larger."""
    assert len(STATIC.index) + sum(len(page.packed) for page in STATIC.pages.values()) < 60_000
    assert sum(len(page.text) for page in STATIC.pages.values()) < 145_000


def test_the_page_names_all_its_files() -> None:
    named = re.findall(rf"web/{STATIC.version}/([a-z0-9./-]+)", STATIC.index)
    assert {name for name in STATIC.pages if not name.startswith("views/")} == set(named)


@pytest.mark.parametrize(
    "name",
    [
        "../index.html",
        "../../pyproject.toml",
        "base/../main.js",
        "./main.js",
        "/main.js",
        "%6dain.js",
        "main.js%00.css",
        "main.js/",
        "MAIN.JS",
        "__init__.py",
        "index.html",
        "",
        "..",
        "base",
        "base/",
        "..\\main.js",
        "main.js\n",
    ],
)
def test_a_path_with_a_trick_finds_nothing(name: str) -> None:
    assert STATIC.page(f"/web/{STATIC.version}/{name}") is None
    assert page(f"/web/{STATIC.version}/{name}").text != STATIC.pages["main.js"].text


@given(st.text(max_size=60))
def test_whatever_is_asked_only_known_files_are_found(name: str) -> None:
    found = STATIC.page(f"/web/{STATIC.version}/{name}")
    assert found is None or found is STATIC.pages[name.rpartition(f"/web/{STATIC.version}/")[2] or name]


def test_files_of_another_version_are_not_there() -> None:
    assert STATIC.page(f"/web/{'0' * 16}/main.js") is None


def policy(shown: Page) -> dict[str, str]:
    return dict(part.strip().split(" ", 1) for part in shown.headers["Content-Security-Policy"].split(";"))


def test_a_browser_may_do_little_with_it() -> None:
    shown = page("/KQ7M")
    assert policy(shown) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self' ws://192.168.1.23:8765",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name in shown.headers if "cookie" in name.lower()]


def test_with_several_nodes_it_may_be_sent_on_within_the_site() -> None:
    far = page("/KQ7M", hosts=("dice.example.org",), encrypted=True, nodes=True)
    assert policy(far)["connect-src"] == (
        "'self' wss://dice.example.org wss://dice.example.org:* wss://*.dice.example.org:*"
    )
    assert policy(page("/", hosts=("[::1]:8765",), nodes=True))["connect-src"] == "'self'"


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|style=", STATIC.index)
    for name, text in [("index.html", STATIC.index), *((name, found.text) for name, found in STATIC.pages.items())]:
        urls = re.findall(r"(?:https?:)?//[a-z0-9.]+\.[a-z]{2,}[^\s\"'`]*", text)
        assert [url for url in urls if url != "http://www.w3.org/2000/svg"] == [], name
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "srcdoc",
        ):
            assert word not in text, name
        assert "cookie" not in text, name


def test_gzip_is_for_those_who_take_it() -> None:
    asset = STATIC.pages["main.js"]
    plain, packed = response_of(asset, "GET"), response_of(asset, "GET", gzip=True)
    assert "Content-Encoding" not in plain.headers and plain.body == asset.text.encode()
    assert packed.headers["Content-Encoding"] == "gzip" and len(packed.body) < len(plain.body)
    assert packed.headers["Content-Length"] == str(len(packed.body))
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in response_of(page("/"), "GET", gzip=True).headers


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ((), False),
        (("gzip",), True),
        (("gzip, deflate, br",), True),
        (("deflate, gzip;q=0.5",), True),
        (("br", "gzip"), True),
        (("*",), True),
        (("gzip;q=0",), False),
        (("gzip; q=0.0, br",), False),
        (("notgzip",), False),
        (("br",), False),
    ],
)
def test_who_takes_gzip(accepted: tuple[str, ...], packed: bool) -> None:
    assert takes_gzip(accepted) is packed


def test_two_slashes_never_lead_to_the_page() -> None:
    """It would take what stands between them for a part of its own address."""
    for path in ("//evil.example/", "//evil.example/KQ7M", "/a//KQ7M"):
        assert page(path).text != STATIC.index


@pytest.mark.parametrize(
    ("origins", "hosts", "allowed"),
    [
        ((), HERE, True),  # a program
        (("http://192.168.1.23:8765",), HERE, True),
        (("http://192.168.1.23",), HERE, False),
        (("http://192.168.1.23:8766",), HERE, False),
        (("https://dice.example.org",), ("dice.example.org",), True),  # also behind a proxy that encrypts
        (("https://dice.example.org",), ("dice.example.org:443",), True),
        (("https://Dice.Example.org",), ("dice.example.org.",), True),
        (("http://dice.example.org",), ("dice.example.org:443",), False),
        (("https://evil.example",), ("dice.example.org",), False),
        (("https://dice.example.org.evil.example",), ("dice.example.org",), False),
        (("https://evil.example@dice.example.org",), ("dice.example.org",), False),
        (("https://example.org",), ("dice.example.org",), False),
        (("null",), HERE, False),
        (("",), HERE, False),
        (("file://",), HERE, False),
        (("http://[::1]:8765",), ("[::1]:8765",), True),
        (("http://192.168.1.23:8765", "http://192.168.1.23:8765"), HERE, False),
        (("http://192.168.1.23:8765",), (*HERE, *HERE), False),
        (("http://192.168.1.23:8765",), (), False),
        (("http://192.168.1.23:8765/",), HERE, False),
    ],
)
def test_only_our_own_pages_connect(origins: tuple[str, ...], hosts: tuple[str, ...], allowed: bool) -> None:
    assert may_connect(origins, hosts) is allowed


def test_a_page_without_encryption_does_not_use_a_connection_that_has_it() -> None:
    for scheme, allowed in (("http", False), ("https", True)):
        assert may_connect((f"{scheme}://dice.example.org",), ("dice.example.org",), encrypted=True) is allowed


def test_pages_that_the_operator_names_connect() -> None:
    named = ("https://friends.example",)
    assert may_connect(named, ("dice.example.org",), named)
    assert not may_connect(("https://friends.example:444",), ("dice.example.org",), named)


def test_a_page_of_the_site_connects_to_its_nodes() -> None:
    node = "wss://n2.dice.example.org/"
    assert may_connect(("https://dice.example.org",), ("n2.dice.example.org",), (), node)
    assert not may_connect(("https://evil.example",), ("n2.dice.example.org",), (), node)
    assert not may_connect(("https://n1.dice.example.org",), ("n2.dice.example.org",), (), node)
    assert not may_connect(("http://dice.example.org",), ("n2.dice.example.org",), (), node)
    assert not may_connect(("https://org",), ("n2.dice.example.org",), (), node)

"""The page for browsers: what it says, and that nothing of a hostile request is repeated on it."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.address import parse_address
from dicegames_server.core.room_codes import new_code, possible_code
from dicegames_server.net.web.http import Page, response_of
from dicegames_server.net.web.landing_page import NO_PAGE, STYLE, PageRequest, landing_page, no_page, place_of

HERE = ("192.168.1.23:8765",)


def page(path: str = "/", host: str = HERE[0], *, encrypted: bool = False, ssh_port: int = 0) -> Page:
    return landing_page(PageRequest("GET", path, (host,), encrypted), ssh_port=ssh_port)


class Reader(HTMLParser):
    """The tags of a page, and what stands in its lines to copy."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.lines: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "code":
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.tags and self.tags[-1] == "code" and data.strip():
            self.lines[-1] += data


PLAIN = Reader(page().text)


@pytest.mark.parametrize(
    ("host", "encrypted", "address"),
    [
        ("192.168.1.23:8765", False, "192.168.1.23:8765/KQ7M"),
        ("192.168.1.23:8765", True, "wss://192.168.1.23:8765/KQ7M"),
        ("dice.example.org", True, "wss://dice.example.org/KQ7M"),
        ("Dice.Example.ORG.", True, "wss://dice.example.org/KQ7M"),
        ("dice.example.org:443", True, "wss://dice.example.org/KQ7M"),
        ("dice.example.org", False, "dice.example.org:80/KQ7M"),
        ("dice.example.org:443", False, "dice.example.org:443/KQ7M"),
        ("ana_s-laptop:8765", False, "ana_s-laptop:8765/KQ7M"),
        ("[2001:DB8:0:0::1]:8765", False, "[2001:db8::1]:8765/KQ7M"),
        ("[::1]", True, "wss://[::1]/KQ7M"),
    ],
)
def test_the_line_leads_to_where_the_browser_is(host: str, encrypted: bool, address: str) -> None:
    shown = page("/KQ7M", host, encrypted=encrypted)
    assert shown.status == 200
    assert Reader(shown.text).lines == [
        f"uvx dicegames join {address}",
        "pipx install dicegames",
        f"dicegames join {address}",
        f"python3 dicegames.pyz join {address}",
        f"./dicegames join {address}",
        f"dicegames join {address}",
    ]
    meant = parse_address(address)
    place = place_of((host,), encrypted)
    assert place and (meant.host, meant.secure, meant.room) == (place.host, encrypted, "KQ7M")
    assert meant.port == (place.port or (443 if encrypted else 80))


@pytest.mark.parametrize(
    ("path", "code", "status"),
    [
        ("/", "", 200),
        ("/?from=chat", "", 200),
        ("/KQ7M", "KQ7M", 200),
        ("/kq7m", "KQ7M", 200),
        ("/r/KQ7M", "KQ7M", 200),
        ("/n/2/r/KQ7M?x=1", "KQ7M", 200),
        ("/KQ7M-2PXT", "KQ7M-2PXT", 200),
        ("/kq7m2pxt", "KQ7M-2PXT", 200),
        ("/favicon.ico", "", 404),
        ("/index.html", "", 404),
        ("/HACKED", "", 404),  # no code has a vowel, so no word is ever shown as one
        ("/KQ7", "", 404),
        ("/KQ7M2PXT4", "", 404),
        ("/KQ7M%22", "", 404),
        ("/KQ7M'><script>", "", 404),
    ],
)
def test_the_code_in_the_path(path: str, code: str, status: int) -> None:
    shown = page(path)
    assert shown.status == status
    assert f"join {HERE[0]}/{code}".rstrip("/") + "</code>" in shown.text
    assert (f"<b>{code}</b>" in shown.text) == bool(code)
    assert len(Reader(shown.text).tags) == len(PLAIN.tags) + (1 if code else 0)


def test_every_code_that_a_room_can_have_is_taken() -> None:
    for rooms in (0, 100, 10_000, 10**9):
        code = new_code(rooms)
        assert possible_code(code) == possible_code(code.lower()) == code


@pytest.mark.parametrize(
    ("code", "port", "host", "line"),
    [
        ("KQ7M", 2222, "dice.example.org", "ssh -p 2222 KQ7M@dice.example.org"),
        ("KQ7M", 22, "dice.example.org", "ssh KQ7M@dice.example.org"),
        ("", 2222, "192.168.1.23:8765", "ssh -p 2222 192.168.1.23"),
        ("KQ7M", 2222, "[::1]:8765", "ssh -p 2222 KQ7M@::1"),
    ],
)
def test_ssh_comes_first_where_the_server_has_it(code: str, port: int, host: str, line: str) -> None:
    assert Reader(page(f"/{code}", host, ssh_port=port).text).lines[0] == line
    assert "ssh" not in page(f"/{code}", host).text


HOSTILE = [
    "",
    " ",
    "<script>alert(1)</script>",
    'x"onmouseover="alert(1)',
    "x'><img src=x>",
    "a b",
    "a\tb",
    "dice.example.org\r\nSet-Cookie: a=b",
    "dice.example.org\n",
    "dice.example.org/../x",
    "user@dice.example.org",
    "dice.example.org; rm -rf ~",
    "$(reboot)",
    "`reboot`",
    "-oProxyCommand=reboot",
    "dice.example.org:0",
    "dice.example.org:65536",
    "dice.example.org:08765",
    "dice.example.org:",
    "dice.example.org:8765:8765",
    ":8765",
    "999.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "[::1",
    "::1",
    "[::1]x",
    "[::1]:",
    "[fe80::1%eth0]:8765",
    "[dice]",
    "dice..org",
    "-dice.org",
    "dіce.example.org",  # a Cyrillic letter
    "dice.example.org\x00",
    "\x1b[2J",
    "a" * 64,
    "a." * 200,
    "a" * 100_000,
    "１.１.１.１",
    "\u212aelvin",  # a sign whose small letter is the k of ASCII
]


@pytest.mark.parametrize("host", HOSTILE, ids=lambda host: repr(host)[:40])
def test_a_host_that_is_none_is_not_repeated(host: str) -> None:
    shown = page("/KQ7M", host)
    assert (shown.status, shown.kind) == (400, "text/plain; charset=utf-8")
    assert shown.text == page("/", "<").text


def test_a_request_names_one_host() -> None:
    for hosts in ((), ("dice.example.org", "evil.example"), (HERE[0], HERE[0])):
        assert landing_page(PageRequest("GET", "/", hosts)).status == 400


@given(host=st.text(max_size=40), path=st.text(max_size=40), encrypted=st.booleans())
def test_whatever_is_asked_nothing_but_hosts_and_codes_is_on_the_page(host: str, path: str, encrypted: bool) -> None:
    shown = page(f"/{path}", host, encrypted=encrypted)
    if shown.status != 400:
        read = Reader(shown.text)
        assert {*read.tags} <= {*PLAIN.tags, "b", "p"}
        assert {*read.attributes} <= {*PLAIN.attributes, ("class", "room")}
        for line in read.lines:
            assert re.fullmatch(r"[a-z0-9 ._:/\[\]-]+(/[A-Z0-9-]{4,9})?", line), line
    for name, value in response_of(shown, "GET").headers.raw_items():
        assert value.isascii() and value.isprintable(), name


@given(path=st.from_regex(r"/[A-Za-z0-9-]{0,12}", fullmatch=True))
def test_a_path_that_is_no_code_leaves_no_trace(path: str) -> None:
    if path != "/" and not possible_code(path[1:]):
        assert page(path).text == page("/").text


def test_a_browser_may_do_nothing_with_it() -> None:
    headers = page("/KQ7M").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    assert policy == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert f"<style>{STYLE}</style>" in page().text  # else the hash is that of another style
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name in headers if "cookie" in name.lower()]
    assert not {"script", "img", "link", "iframe", "form", "object", "base"} & {*PLAIN.tags}
    assert not [value for name, value in PLAIN.attributes if name in ("src", "style") or name.startswith("on")]
    assert all((value or "").startswith("https://") for name, value in PLAIN.attributes if name == "href")


def test_head_is_get_without_the_text() -> None:
    shown = page("/KQ7M")
    got, head = response_of(shown, "GET"), response_of(shown, "HEAD")
    assert list(got.headers.raw_items()) == list(head.headers.raw_items())
    assert got.headers["Content-Length"] == str(len(got.body)) and head.body == b""
    assert got.headers["Connection"] == "close" and got.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("answer", [landing_page, no_page])
def test_other_methods_get_a_sentence(answer: Callable[[PageRequest], Page]) -> None:
    for method in ("POST", "PUT", "OPTIONS", "<script>"):
        refused = answer(PageRequest(method, "/KQ7M", HERE))
        assert refused.status == 405 and refused.headers["Allow"] == "GET, HEAD"
        assert "script" not in refused.text and "\n" not in refused.text[:-1]


def test_without_the_page_there_is_a_sentence() -> None:
    said = no_page(PageRequest("GET", "/KQ7M", ("<script>",)))
    assert (said.status, said.text, said.headers["Upgrade"]) == (426, NO_PAGE, "websocket")
    assert said.text.count("\n") == 1

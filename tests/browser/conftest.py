"""Real pages in a real Chromium, on the loopback interface. `.ci/browser` installs what is missing, and runs this."""

import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser.phone import Phone
from e2e.conftest import end_processes, serve, server  # noqa: F401  # fixtures
from support.pty import Pty

if TYPE_CHECKING:
    from playwright.async_api import Browser

FLAGS = [
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = "no Chromium or no Playwright here; .ci/browser installs both and runs this"

OpenPhone = Callable[..., Coroutine[Any, Any, Phone]]


@pytest.fixture
async def browser() -> "AsyncIterator[Browser]":
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        pytest.skip(MISSING)
    if chromium is None:
        pytest.skip(MISSING)
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        await launched.close()


@pytest.fixture
async def phone(browser: "Browser") -> AsyncIterator[OpenPhone]:
    """Opens pages, each as on a device of its own. None of them may break a policy or throw an error."""
    phones: list[Phone] = []

    async def open_phone(url: str = "", *, width: int = 360, height: int = 640, **context: Any) -> Phone:
        page = await (await browser.new_context(viewport={"width": width, "height": height}, **context)).new_page()
        made = Phone(page)
        phones.append(made)
        if url:
            await made.open(url)
        return made

    yield open_phone
    for one in phones:
        assert one.errors == [], one.errors


@pytest.fixture(autouse=True)
def close_terminals() -> Any:
    yield
    while Pty.running:
        Pty.running.pop().close()


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

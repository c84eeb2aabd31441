"""A page as somebody with a phone uses it: reads, taps and types."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Page

PATIENCE_MS = 20_000
HARMLESS = ("Failed to load resource", "WebSocket connection to", "net::ERR")
"""What the console says when a network is cut, or a view is not there. That is what some tests are about."""


class Phone:
    def __init__(self, page: "Page") -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(f"{error}"))
        page.on("console", self._console)
        self.sockets: list[str] = []
        self.heartbeats = 0
        page.on("websocket", self._connected)
        page.on("request", lambda request: self.requests.append(request.url))
        page.set_default_timeout(PATIENCE_MS)

    def _connected(self, socket: Any) -> None:
        self.sockets.append(socket.url)
        socket.on("framereceived", self._received)

    def _received(self, frame: Any) -> None:
        self.heartbeats += '"type":"heartbeat"' in str(frame)

    def _console(self, message: Any) -> None:
        if message.type == "error" and not any(known in message.text for known in HARMLESS):
            self.errors.append(message.text)

    async def open(self, url: str) -> None:
        await self.page.goto(url)

    async def sit(self, name: str) -> None:
        await self.page.get_by_label("Your name").fill(name)
        await self.tap("Take a seat")
        await self.page.locator("tr.you").first.wait_for()  # no text: the door tells about the table, too

    async def watch(self) -> None:
        await self.tap("Only watch")
        await self.until("WATCHING")

    async def tap(self, label: str) -> None:
        await self.page.get_by_role("button", name=re.compile(f"^{re.escape(label)}")).first.click()

    async def text(self) -> str:
        text: str = await self.page.locator("body").inner_text()
        return text

    async def until(self, *wanted: str) -> str:
        """Until one of these texts is on the page."""
        try:
            await self.page.wait_for_function(
                "(wanted) => wanted.some((text) => document.body.innerText.includes(text))", arg=list(wanted)
            )
        except Exception as error:
            text = await self.text()
            raise AssertionError(f"{wanted!r} never came:\n{text[:500]}\n[...]\n{text[-1000:]}") from error
        return await self.text()

    async def until_gone(self, text: str) -> None:
        """Until a text is no longer on the page."""
        await self.page.wait_for_function("(text) => !document.body.innerText.includes(text)", arg=text)

    async def offers(self) -> list[str]:
        """The labels of the buttons with which something can be done now."""
        labels: list[str] = await self.page.locator(".actions button").all_inner_texts()
        return labels

    async def play(self, *wishes: str) -> bool:
        """Tap the first wish that is there now. False: none is."""
        labels = await self.offers()
        for wish in wishes:
            for label in labels:
                if label.startswith(wish):
                    try:
                        await self.page.locator(".actions button", has_text=label).first.click(timeout=1000)
                    except Exception as error:
                        if type(error).__name__ != "TimeoutError":  # else it has gone meanwhile: the game goes on
                            raise
                    return True
        return False

    async def breathe(self) -> None:
        """Let the page and the others act."""
        await asyncio.sleep(0.02)
